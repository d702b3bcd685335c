// Prints the size of the package as browsers fetch it, and fails above the limit.

import { readdirSync, readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const limit = 1_400_000; // bytes, with brotli at its best

/** sizeOf returns the size of files of dist: as they are, and with brotli. */
function sizeOf(...names) {
  const files = names.map((name) => readFileSync(new URL(`dist/${name}`, import.meta.url)));
  const content = Buffer.concat(files);
  const { length } = brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  return [content.length, length];
}

const bytes = (n) => n.toLocaleString("en-US");
const modules = readdirSync(new URL("dist", import.meta.url)).filter((name) =>
  name.endsWith(".js"),
);
const [wasm, wasmWithBrotli] = sizeOf("vmrules.wasm");
const [js, jsWithBrotli] = sizeOf(...modules);
const together = wasmWithBrotli + jsWithBrotli;
console.log(
  `vmrules.wasm has ${bytes(wasm)} bytes, ${bytes(wasmWithBrotli)} with brotli. The JavaScript has ` +
    `${bytes(js)}, ${bytes(jsWithBrotli)} with brotli. Together ${bytes(together)}; the limit is ${bytes(limit)}.`,
);
if (together > limit) {
  console.error("FAILED: the package is too large. README.md says what its size consists of.");
  process.exit(1);
}
