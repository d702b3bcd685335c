// The worker holds the library, so that nothing that it does makes the page wait.

import { init } from "@vmrules/vmrules";
import wasm from "@vmrules/vmrules/vmrules.wasm?url";
import { analyse, reportOf } from "./analysis.js";
import { complete } from "./completion.js";
import { edit } from "./edit.js";
import { format } from "./format.js";
import { formState } from "./forms.js";
import type { Operation, Requests } from "./protocol.js";

type Operations = {
  [name in Operation]: (input: Requests[name]["input"]) => Requests[name]["answer"];
};

const operations: Operations = {
  analyse,
  report: ({ as, of }) => reportOf(as, of),
  form: ({ name, of, which }) => formState(name, of, which),
  edit: ({ text, changes, which }) => edit(text, changes, which),
  format,
  complete: ({ texts, at }) => complete(texts, at),
};

declare const wasmBytes: number; // which the build knows

/** loading fetches the library, and says how much of it is there. */
async function loading(): Promise<Response> {
  const response = await fetch(wasm);
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, to) {
      bytes += chunk.length;
      self.postMessage({ loaded: bytes / wasmBytes });
      to.enqueue(chunk);
    },
  });
  return response.ok ? new Response(response.body?.pipeThrough(count) ?? null, response) : response;
}

const ready = init(loading());

self.onmessage = async (
  event: MessageEvent<{ id: number; operation: Operation; input: never }>,
) => {
  const { id, operation, input } = event.data;
  try {
    await ready;
    self.postMessage({ id, answer: operations[operation](input) });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
};
