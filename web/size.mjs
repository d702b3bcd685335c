// Prints the size of vmrules.wasm as browsers fetch it, and fails above the limit.

import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const limit = 1_430_000; // bytes, with brotli at its best

const wasm = readFileSync(new URL("dist/vmrules.wasm", import.meta.url));
const { length } = brotliCompressSync(wasm, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length,
  },
});

const bytes = (n) => n.toLocaleString("en-US");
console.log(
  `vmrules.wasm has ${bytes(wasm.length)} bytes, ${bytes(length)} with brotli; the limit is ${bytes(limit)}.`,
);
if (length > limit) {
  console.error("FAILED: vmrules.wasm is too large. README.md says what its size consists of.");
  process.exit(1);
}
