import type { Operation, Requests } from "./protocol.js";

/** patience is how long an answer may take, in milliseconds. The library itself stops after two seconds. */
const patience = 20_000;

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

/** A Client asks the worker, and starts it anew if it does not answer. */
export class Client {
  #worker = this.#start();
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** ask returns the answer to a request. */
  ask<Name extends Operation>(
    operation: Name,
    input: Requests[Name]["input"],
  ): Promise<Requests[Name]["answer"]> {
    const id = ++this.#last;
    const timer = setTimeout(() => this.#restart(), patience);
    const answer = new Promise<Requests[Name]["answer"]>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.#worker.postMessage({ id, operation, input });
    return answer.finally(() => clearTimeout(timer));
  }

  #start(): Worker {
    const worker = new Worker(new URL("worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) {
        waiting?.resolve(data.answer as never);
      } else {
        waiting?.reject(new Error(data.error));
      }
    };
    worker.onerror = () => this.#fail("the library could not be loaded: reload the page");
    return worker;
  }

  #restart(): void {
    this.#worker.terminate();
    this.#worker = this.#start();
    this.#fail("this took too long, and was stopped");
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new Error(message));
    }
    this.#waiting.clear();
  }
}
