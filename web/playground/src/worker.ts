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

const ready = init(wasm);

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
