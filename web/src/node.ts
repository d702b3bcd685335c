// The entry of the package in Node, where nothing serves vmrules.wasm: it is read from its file.

import { setDefault } from "./engine.js";
import { VmrulesError } from "./errors.js";

setDefault(async () => {
  const { readFile } = await import("node:fs/promises");
  const { createRequire } = await import("node:module");
  const { pathToFileURL } = await import("node:url");
  // In a bundle, the file is not beside this module, which may not even have an address.
  const here = import.meta.url ?? pathToFileURL(process.argv[1] ?? "x").href;
  try {
    return await readFile(new URL("vmrules.wasm", here));
  } catch (cause) {
    try {
      return await readFile(createRequire(here).resolve("@vmrules/vmrules/vmrules.wasm"));
    } catch {
      const cure =
        "leave @vmrules/vmrules out of the bundle, as external, or copy vmrules.wasm there";
      throw new VmrulesError(`there is no vmrules.wasm beside ${here}: ${cure}`, {
        code: "load",
        cause,
      });
    }
  }
});

export * from "./index.js";
