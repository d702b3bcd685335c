// The package as npm publishes it: what is in it, and what bundlers make of it on a server.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build as esbuild } from "esbuild";
import { publint } from "publint";
import { build as vite } from "vite";
import { root } from "./browser.js";
import { type Installed, install } from "./installed.js";

let installed: Installed;

before(() => {
  installed = install();
});

after(() => installed?.remove());

test("what is in it", () => {
  const other = installed.files.filter((name) => !/^dist\/\w+(\.d\.ts|\.js)$/.test(name));
  assert.deepEqual(other, [
    "CHANGELOG.md",
    "LICENSE",
    "NOTICES",
    "README.md",
    "dist/vmrules.wasm",
    "dist/vmrules.wasm.d.ts",
    "package.json",
  ]);
  const notices = readFileSync(new URL("NOTICES", root), "utf8");
  assert.match(notices, /^-+\nvmrules\.wasm contains Go, .*:\n\nCopyright \S+ The Go Authors/);
  const contained = [...notices.matchAll(/^vmrules\.wasm contains (.*),.*:$/gm)].map((m) => m[1]);
  assert.deepEqual(contained, ["Go", "github.com/ohler55/ojg"]);
});

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: fileURLToPath(root), strict: true, pack: "npm" });
  assert.deepEqual(messages, []);
});

test("attw finds nothing, where modules can be imported", async () => {
  const tarball = readFileSync(join(installed.folder, installed.tarball));
  const found = await checkPackage(createPackageFromTarballData(tarball));
  assert.ok(found.types);
  const problems = found.problems
    .map((one) => ("resolutionKind" in one ? `${one.kind} ${one.resolutionKind}` : one.kind))
    .filter((problem) => !problem.endsWith("node10"));
  // CommonJS can import an ES module since Node 20.19. Node 10 knew no exports.
  assert.deepEqual([...new Set(problems)].sort(), ["CJSResolvesToESM node16-cjs"]);
});

const program = `import { init, parseRules, rulesFor, validate } from "@vmrules/vmrules";
export async function judge() {
  await init();
  const vm = { metadata: { annotations: { "vm.kubevirt.io/validations": "[]" } } };
  return [validate(rulesFor(vm), vm).valid, parseRules("[]").length];
}
judge().then((answer) => console.log(JSON.stringify(answer)));
`;

for (const [name, bundle] of [
  ["esbuild's ES module", (entry: string) => bundled(entry, "esm", "a.mjs")],
  ["esbuild's CommonJS", (entry: string) => bundled(entry, "cjs", "b.cjs")],
  ["Vite's for a server, with noExternal", viteBundled],
] as const) {
  test(`in a bundle, ${name}`, async () => {
    const entry = join(installed.folder, "server.mjs");
    writeFileSync(entry, program);
    const file = await bundle(entry);
    assert.equal(installed.run(process.execPath, file), "[true,0]\n");
  });
}

async function bundled(entry: string, format: "esm" | "cjs", name: string): Promise<string> {
  const outfile = join(installed.folder, "out", name);
  await esbuild({
    ...{ entryPoints: [entry], outfile, format, bundle: true, platform: "node" },
    logOverride: { "empty-import-meta": "silent" },
  });
  return outfile;
}

async function viteBundled(entry: string): Promise<string> {
  const outDir = join(installed.folder, "out/vite");
  await vite({
    ...{ root: installed.folder, configFile: false, logLevel: "error" },
    build: { ssr: entry, outDir },
    ssr: { noExternal: true },
  });
  return join(outDir, "server.js");
}

test("a bundle without the file says what to do", async () => {
  const entry = join(installed.folder, "alone.mjs");
  writeFileSync(
    entry,
    program.replace(
      /console.log\(.*\);$/m,
      "0, ({ code, message }) => console.log(code, message));",
    ),
  );
  const outfile = await bundled(entry, "esm", "alone.mjs");
  const elsewhere = mkdtempSync(join(tmpdir(), "vmrules-"));
  copyFileSync(outfile, join(elsewhere, "alone.mjs"));
  const said = installed.run(process.execPath, join(elsewhere, "alone.mjs"));
  rmSync(elsewhere, { recursive: true });
  assert.match(
    said,
    /^load there is no vmrules\.wasm beside file:.*: leave @vmrules\/vmrules out of the bundle/,
  );
});
