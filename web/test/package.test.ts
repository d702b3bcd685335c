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
import type { Page } from "playwright-core";
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
  const other = installed.files.filter((name) => !/^dist\/\w+(\.d\.c?ts|\.c?js)$/.test(name));
  assert.deepEqual(other, [
    "CHANGELOG.md",
    "LICENSE",
    "NOTICES",
    "README.md",
    "dist/vmrules.wasm",
    "dist/vmrules.wasm.d.cts",
    "dist/vmrules.wasm.d.ts",
    "package.json",
  ]);
  const notices = readFileSync(new URL("NOTICES", root), "utf8");
  assert.match(notices, /^-+\nvmrules\.wasm contains Go, .*:\n\nCopyright \S+ The Go Authors/);
  const contained = [...notices.matchAll(/^vmrules\.wasm contains (.*),.*:$/gm)].map((m) => m[1]);
  assert.deepEqual(contained, ["Go", "github.com/ohler55/ojg"]);
});

test("vmrules.wasm has no numbers of lines, which only traces print", () => {
  const wasm = readFileSync(new URL("dist/vmrules.wasm", root));
  for (const name of ["runtime/proc.go", "internal/meter/meter.go"]) {
    assert.ok(!wasm.includes(name), name);
  }
});

test("publint finds nothing", async () => {
  const tarball = new Uint8Array(readFileSync(join(installed.folder, installed.tarball))).buffer;
  const { messages } = await publint({ strict: true, pack: { tarball } });
  assert.deepEqual(messages, []);
});

test("attw finds nothing", async () => {
  const tarball = readFileSync(join(installed.folder, installed.tarball));
  const found = await checkPackage(createPackageFromTarballData(tarball));
  assert.ok(found.types);
  assert.deepEqual(found.problems, []);
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

/** inCommonJS is the same program as a CommonJS module. */
const inCommonJS = program
  .replace(/^import (.*) from (.*);$/m, "const $1 = require($2);")
  .replace("export ", "");

/** Container is what a plugin gives to the console. */
interface Container {
  init(shared: object): Promise<void>;
  get(name: string): Promise<() => unknown>;
}

test("the types need none of browsers, on a server", () => {
  const entry = join(installed.folder, "server.ts");
  writeFileSync(entry, program);
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const options = "--ignoreConfig --noEmit --strict --module nodenext --lib es2022 --types node";
  installed.run(process.execPath, tsc, ...options.split(" "), entry);
});

test("required by a CommonJS module", () => {
  const entry = join(installed.folder, "server.cjs");
  writeFileSync(entry, inCommonJS);
  assert.equal(installed.run(process.execPath, entry), "[true,0]\n");
});

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

/** compile runs webpack, which may neither fail nor warn. */
async function compile(settings: webpack.Configuration): Promise<void> {
  const compiler = webpack({
    ...{ mode: "production", context: installed.folder, ...settings },
    performance: false, // which is about the size of any WebAssembly
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  const { errors, warnings } = stats?.compilation ?? {};
  assert.deepEqual([errors, warnings], [[], []]);
}

/** webpacked returns the file of webpack's bundle for Node or for browsers. */
async function webpacked(entry: string, target: "node" | "web"): Promise<string> {
  const path = join(installed.folder, "out", target);
  await compile({ entry, target, output: { path, filename: "main.cjs" } });
  return join(path, "main.cjs");
}

/** inChromium calls what uses an empty page, and the address of the package's folder. */
async function inChromium(use: (page: Page, url: string) => Promise<void>): Promise<void> {
  const { server, url } = await serve();
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/empty.html`);
    await use(page, `${url}/${relative(fileURLToPath(root), installed.folder)}`);
  } finally {
    await browser.close();
    server.close();
  }
}

for (const [file, text, said] of [
  ["browser.mjs", program, /^\[true,0\]$/],
  ["browser.cjs", inCommonJS, /^load this bundle does not say where vmrules\.wasm is: give init/],
] as const) {
  test(`in webpack's bundle for browsers, of ${file}, in Chromium`, async () => {
    const entry = join(installed.folder, file);
    writeFileSync(entry, text);
    const bundle = relative(installed.folder, await webpacked(entry, "web"));
    await inChromium(async (page, url) => {
      const message = page.waitForEvent("console", (message) => message.type() === "log");
      await page.addScriptTag({ url: `${url}/${bundle}` });
      assert.match((await message).text(), said);
    });
  });
}

test("in a plugin of a console, which webpack builds for module federation, in Chromium", async () => {
  const path = join(installed.folder, "out/plugin");
  writeFileSync(join(installed.folder, "plugin.mjs"), program);
  await inChromium(async (page, url) => {
    await compile({
      entry: {},
      output: { path, publicPath: `${url}/out/plugin/`, filename: "[name]-bundle.js" },
      plugins: [
        new webpack.container.ModuleFederationPlugin({
          name: "plugin",
          filename: "plugin-entry.js",
          library: { type: "jsonp", name: "loadPluginEntry" },
          exposes: { "./judge": "./plugin.mjs" },
        }),
      ],
    });
    const answer = await page.evaluate(async (address) => {
      const loaded = new Promise<Container>((resolve) => {
        Object.assign(globalThis, { loadPluginEntry: resolve });
      });
      const script = document.createElement("script");
      script.src = address;
      document.head.append(script);
      const container = await loaded;
      await container.init({});
      return ((await container.get("./judge"))() as { judge(): Promise<unknown> }).judge();
    }, `${url}/out/plugin/plugin-entry.js`);
    assert.deepEqual(answer, [true, 0]);
  });
});
