// The entry of the package in Node, where nothing serves vmrules.wasm: it is read from its file.

import { setDefault } from "./engine.js";

setDefault(async () => {
  const { readFile } = await import("node:fs/promises");
  return readFile(new URL("vmrules.wasm", import.meta.url));
});

export * from "./index.js";
