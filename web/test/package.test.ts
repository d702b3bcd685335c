// The package as npm publishes it: what is in it, and what bundlers make of it on a server.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build as esbuild } from "esbuild";
import { publint } from "publint";
import { build as vite } from "vite";
import webpack from "webpack";
import { launch, root, serve } from "./browser.js";
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
  const tarball = new Uint8Array(readFileSync(join(installed.folder, installed.tarball))).buffer;
  const { messages } = await publint({ strict: true, pack: { tarball } });
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
judge().then(
  (answer) => console.log(JSON.stringify(answer)),
  ({ code, message }) => console.log(code, message),
);
`;

for (const [name, bundle] of [
  ["esbuild's ES module", (entry: string) => bundled(entry, "esm", "a.mjs")],
  ["esbuild's CommonJS", (entry: string) => bundled(entry, "cjs", "b.cjs")],
  ["Vite's for a server, with noExternal", viteBundled],
  ["webpack's for a server", (entry: string) => webpacked(entry, "node")],
] as const) {
  test(`in a bundle, ${name}, which says what to do where the file is not`, async () => {
    const entry = join(installed.folder, "server.mjs");
    writeFileSync(entry, program);
    const file = await bundle(entry);
    assert.equal(installed.run(process.execPath, file), "[true,0]\n");
    runElsewhere(file);
  });
}

/** runElsewhere runs a bundle in another folder, without vmrules.wasm and then with it. */
function runElsewhere(file: string): void {
  const elsewhere = mkdtempSync(join(tmpdir(), "vmrules-"));
  const moved = join(elsewhere, basename(file));
  // webpack writes the place of each module into the bundle.
  const here = pathToFileURL(installed.folder).href;
  writeFileSync(moved, readFileSync(file, "utf8").replaceAll(here, "file:///gone"));
  writeFileSync(join(elsewhere, "package.json"), '{"type": "module"}');
  const cure = /^load there is no vmrules\.wasm beside file:.*: leave @vmrules\/vmrules out of/;
  assert.match(installed.run(process.execPath, moved), cure);
  copyFileSync(new URL("dist/vmrules.wasm", root), join(elsewhere, "vmrules.wasm"));
  assert.equal(installed.run(process.execPath, moved), "[true,0]\n");
  rmSync(elsewhere, { recursive: true });
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

/** webpacked returns the file of webpack's bundle for Node or for browsers. */
async function webpacked(entry: string, target: "node" | "web"): Promise<string> {
  const path = join(installed.folder, "out", target);
  const compiler = webpack({
    ...{ mode: "production", context: installed.folder, entry, target },
    output: { path, filename: "main.cjs" },
    performance: false, // which is about the size of any WebAssembly
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  const { errors, warnings } = stats?.compilation ?? {};
  assert.deepEqual([errors, warnings], [[], []]);
  return join(path, "main.cjs");
}

test("in webpack's bundle for browsers, in Chromium", async () => {
  const entry = join(installed.folder, "browser.mjs");
  writeFileSync(entry, program);
  const file = relative(fileURLToPath(root), await webpacked(entry, "web"));
  const { server, url } = await serve();
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/empty.html`);
    const said = page.waitForEvent("console", (message) => message.type() === "log");
    await page.addScriptTag({ url: `${url}/${file}` });
    assert.equal((await said).text(), "[true,0]");
  } finally {
    await browser.close();
    server.close();
  }
});
