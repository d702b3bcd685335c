import { init, type Rules, VmrulesError } from "@vmrules/vmrules";
import {
  type Answers,
  type Ask,
  answer,
  plainly,
  type Question,
  type RulesSource,
  rulesOf,
} from "./ask.js";
import type { Reply, Request } from "./worker.js";

/** LoaderSettings say who answers: the library in this page, unless there is a worker or `ask`. */
export interface LoaderSettings {
  /** source is the address of vmrules.wasm, if the bundler does not find it. */
  source?: string | URL | undefined;
  /** worker starts a module worker that imports "@vmrules/vmrules/worker". */
  worker?: (() => Worker) | undefined;
  /** ask asks somebody else, such as a backend. Then nothing is loaded. */
  ask?: Ask | undefined;
}

/** Loading is how far a Loader is. */
export type Loading =
  | { status: "loading" }
  | { status: "ready"; ask: Ask; isHere: boolean }
  | { status: "failed"; error: Error };

/** A Loader loads what answers, once, and says to listeners how far it is. */
export class Loader {
  readonly #settings: LoaderSettings;
  readonly #listeners = new Set<() => void>();
  #state: Loading = { status: "loading" };
  #started: Promise<void> | undefined;
  #worker: Worker | undefined;
  #isUsed = false;

  constructor(settings: LoaderSettings) {
    this.#settings = settings;
  }

  readonly state = (): Loading => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** use starts to load, and returns what ends that when nobody uses it any more. */
  readonly use = (): (() => void) => {
    this.#isUsed = true;
    void this.load();
    return () => {
      this.#isUsed = false;
      setTimeout(() => this.#isUsed || this.#end()); // React may be about to use it again
    };
  };

  /** load is fulfilled when the state is another than "loading". */
  load(): Promise<void> {
    this.#started ??= this.#start().then(
      (state) => this.#set(state),
      (error) => this.#set({ status: "failed", error }),
    );
    return this.#started;
  }

  /** ask answers when everything is loaded: at once if it is, here. */
  readonly ask: Ask = (question) => {
    if (this.#state.status === "ready") {
      return this.#state.ask(question);
    }
    return this.load().then(() => {
      if (this.#state.status === "failed") {
        throw this.#state.error;
      }
      return this.ask(question);
    });
  };

  async #start(): Promise<Loading> {
    const { source, worker, ask } = this.#settings;
    if (ask) {
      return { status: "ready", ask: (question) => ask(plainly(question)), isHere: false };
    }
    if (!worker) {
      await init(source);
      return { status: "ready", ask: askHere(), isHere: true };
    }
    this.#worker = worker();
    const send = sending(this.#worker);
    // An address is relative to the page, not to the worker.
    await send({ source: source && new URL(source, document.baseURI).href });
    const askWorker: Ask = (question) => send({ question: plainly(question) });
    return { status: "ready", ask: askWorker, isHere: false };
  }

  #set(state: Loading): void {
    this.#state = state;
    for (const listener of this.#listeners) {
      listener();
    }
  }

  #end(): void {
    if (this.#worker) {
      this.#worker.terminate();
      this.#worker = undefined;
      this.#started = undefined;
      this.#set({ status: "loading" });
    }
  }
}

/** askHere returns a function that answers in this page. It reads rules once. */
function askHere(): Ask {
  const kept = new WeakMap<RulesSource, Rules>();
  const read = (from: RulesSource) => {
    const rules = kept.get(from) ?? rulesOf(from);
    kept.set(from, rules);
    return rules;
  };
  return (question) => {
    try {
      return answer(question, read);
    } catch (error) {
      if (error instanceof VmrulesError && error.code === "ended") {
        return init().then(() => answer(question, read));
      }
      throw error;
    }
  };
}

type Send = <Operation extends keyof Answers>(
  request: Omit<Request, "id" | "question"> & { question?: Question & { operation: Operation } },
) => Promise<Answers[Operation]>;

/** sending returns a function that sends requests to a worker, and returns its answers. */
function sending(worker: Worker): Send {
  const open = new Map<number, (reply: Omit<Reply, "id">) => void>();
  let last = 0;
  worker.addEventListener("message", ({ data: { id, ...reply } }: MessageEvent<Reply>) => {
    open.get(id)?.(reply);
    open.delete(id);
  });
  worker.addEventListener("error", ({ message }) => {
    const failure = { ...{ code: "load" as const, problems: [], omitted: 0 } };
    for (const answer of open.values()) {
      answer({
        failure: { ...failure, message: `the worker has failed: ${message ?? "not loaded"}` },
      });
    }
    open.clear();
  });
  return (request) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      open.set(id, ({ answer, failure }) =>
        failure ? reject(new VmrulesError(failure.message, failure)) : resolve(answer as never),
      );
      worker.postMessage({ ...request, id });
    });
}
