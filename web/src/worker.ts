// What a Web Worker imports to answer the questions of VmrulesProvider.

import { init, type VmrulesError } from "@vmrules/vmrules";
import { answer, type Question } from "./ask.js";

/** A Request asks a worker to load vmrules.wasm, and for the answer to a question if it has one. */
export interface Request {
  id: number;
  source?: string | undefined;
  question?: Question | undefined;
}

/** A Reply has the answer, or what is wrong, as data. */
export interface Reply {
  id: number;
  answer?: unknown;
  failure?: Pick<VmrulesError, "message" | "code" | "problems" | "omitted">;
}

async function reply({ id, source, question }: Request): Promise<Reply> {
  try {
    await init(source); // which does nothing while the library runs
    return { id, answer: question && answer(question) };
  } catch (error) {
    const { message, code, problems, omitted } = error as VmrulesError;
    return { id, failure: { message, code, problems, omitted } };
  }
}

self.addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  self.postMessage(await reply(data));
});
