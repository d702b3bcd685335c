// The entry of the package in Node, where nothing serves vmrules.wasm: it is read from its file.

import { setDefault } from "./engine.js";
import { VmrulesError } from "./errors.js";

setDefault(async () => {
  const { readFile } = await import("node:fs/promises");
  const { createRequire } = await import("node:module");
  const { pathToFileURL } = await import("node:url");
  // In a bundle, this module has no address, that of the bundle, or that where it was bundled.
  const program = pathToFileURL(process.argv[1] ?? "x").href;
  let cause: unknown;
  for (const here of new Set([import.meta.url ?? program, program])) {
    for (const find of [
      () => new URL("vmrules.wasm", here),
      () => createRequire(here).resolve("@vmrules/vmrules/vmrules.wasm"),
    ]) {
      try {
        return await readFile(find());
      } catch (error) {
        cause ??= error;
      }
    }
  }
  const cure = "leave @vmrules/vmrules out of the bundle, as external, or copy vmrules.wasm there";
  throw new VmrulesError(`there is no vmrules.wasm beside ${program}: ${cure}`, {
    code: "load",
    cause,
  });
});

export * from "./index.js";
