// Builds the package: the WebAssembly, Go's own wasm_exec.js as a module, and the TypeScript.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { strip } from "./strip.mjs";

process.chdir(import.meta.dirname ?? new URL(".", import.meta.url).pathname);

function run(program, args, env = {}) {
  execFileSync(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
}

// Without inlining, code is smaller. These packages take no time that counts, and 86,000 bytes less with brotli.
// Inlining nothing at all would save 130,000 more, and validate would take 60 % longer.
const vmrules = "github.com/vmrules/vmrules";
const notInlined = [
  ...["encoding/base64", "encoding/binary", "encoding/json", "fmt", "hash/crc64", "io/fs", "log"],
  ...["math/big", "os", "reflect", "regexp/syntax", "syscall", "time"],
  ...["internal/bisect", "internal/fmtsort", "internal/godebug", "internal/poll"],
  ...["container/list", "hash/fnv", "math/rand", "math/rand/v2", "path", "sort", "strconv"],
  ...["bytes", "unicode/utf16"],
  "github.com/ohler55/ojg/...",
  vmrules,
  ...[
    "fieldpath",
    "form",
    "instancetype",
    "internal/constraint",
    "internal/door",
    "internal/expand",
    "internal/inside",
    "internal/jsonpath",
    "internal/jsontext",
    "internal/keep",
    "internal/meter",
    "internal/parameter",
    "internal/pcre",
    "internal/plan",
    "internal/quantity",
    "internal/rulekey",
    "internal/spelling",
    "internal/value",
    "internal/vmfields",
    "internal/vmsource",
    "internal/vmtarget",
    "internal/vmapi",
    "lint",
    "lint/ssp",
    "web/...",
  ].map((folder) => `${vmrules}/${folder}`),
];
const flags = ["-trimpath", "-buildvcs=false", ...notInlined.map((path) => `-gcflags=${path}=-l`)];
const toWasm = { GOOS: "js", GOARCH: "wasm", GOFLAGS: flags.join(" ") };
if (process.argv[2] === "--with") {
  // Another command of Go for WebAssembly, which then compiles nothing anew.
  run("go", process.argv.slice(3), toWasm);
  process.exit();
}

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist", { recursive: true });
run("go", ["build", "-ldflags=-s -w", "-o", "dist/vmrules.wasm", "./wasm"], toWasm);
writeFileSync("dist/vmrules.wasm", strip(readFileSync("dist/vmrules.wasm")));

// wasm_exec.js sets globals, and reads them from globalThis. Here both are those of a scope.
const root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
const source = readFileSync(join(root, "lib/wasm/wasm_exec.js"), "utf8");
const fromScope = "fs, TextEncoder, TextDecoder, crypto, performance, setTimeout, clearTimeout";
writeFileSync(
  "dist/go.js",
  `export function load(globalThis) {\nconst { ${fromScope} } = globalThis;\n${source}\nreturn globalThis.Go;\n}\n`,
);

// The licences of what is compiled in, beside what npm takes from this folder.
writeFileSync("NOTICES", execFileSync("../release/notices", ["vmrules.wasm", "wasm", "js/wasm"]));
copyFileSync("../LICENSE", "LICENSE");
copyFileSync("../CHANGELOG.md", "CHANGELOG.md");
const wasmTypes = "declare const address: string;\nexport";
writeFileSync("dist/vmrules.wasm.d.ts", `${wasmTypes} default address;\n`);
writeFileSync("dist/vmrules.wasm.d.cts", `${wasmTypes} = address;\n`);

// The types of the results, from those of Go.
const toTypes = ["-args", "-to", "../../src/types.ts"];
run("go", ["test", "-vet=off", "-count=1", "./internal/typescript", ...toTypes]);
run(process.execPath, ["node_modules/typescript/bin/tsc"]);

// A CommonJS module beside each ES module, with the same types. They share what they load with each other,
// which one file for each entry of the package would not.
const toCommonJS = (text) => text.replaceAll(/(["']\.\/[\w.]+)\.js(["'])/g, "$1.cjs$2");
const modules = readdirSync("dist").filter((name) => name.endsWith(".js"));
for (const name of modules) {
  const { code } = transformSync(readFileSync(join("dist", name), "utf8"), {
    ...{ format: "cjs", platform: "node", target: "node20" },
    logOverride: { "empty-import-meta": "silent" },
  });
  writeFileSync(join("dist", name.replace(".js", ".cjs")), toCommonJS(code));
}
for (const name of readdirSync("dist").filter((name) => /^\w+\.d\.ts$/.test(name))) {
  const types = toCommonJS(readFileSync(join("dist", name), "utf8"));
  writeFileSync(join("dist", name.replace(".d.ts", ".d.cts")), types);
}
