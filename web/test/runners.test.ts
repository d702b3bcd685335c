// The package in the runners of tests that its users have, as npm would install it there.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { root } from "./browser.js";
import { type Installed, installIn } from "./installed.js";

const folder = fileURLToPath(new URL("runners/", root));
const require = createRequire(join(folder, "package.json"));

let installed: Installed;

before(() => {
  installed = installIn(folder);
  copyFileSync(new URL("../testdata/quickstart/template.json", root), `${folder}template.json`);
});

after(() => installed?.remove());

/** passed returns how many tests of a runner pass. All must. */
async function passed(name: string, file: string, args: string[], env = {}): Promise<string> {
  const program = join(dirname(require.resolve(`${name}/package.json`)), file);
  const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1", ...env } };
  try {
    const said = await promisify(execFile)(process.execPath, [program, ...args], options);
    return /Tests: .*/.exec(said.stdout + said.stderr)?.[0] ?? said.stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    assert.fail(`${stdout}\n${stderr}`);
  }
}

/** jest runs the tests of one kind of modules in Node and in jsdom. Only ES modules need a flag. */
function jest(version: string, modules: "commonjs" | "esm"): Promise<string> {
  const options = modules === "esm" ? "--experimental-vm-modules --no-warnings" : "";
  const env = { VERSION: version, MODULES: modules, NODE_OPTIONS: options };
  return passed(`jest${version}`, "bin/jest.js", ["--ci", "-i"], env);
}

const all = (tests: number) => `Tests:       ${tests} passed, ${tests} total`;

test("in the runners", { concurrency: true }, async (t) => {
  await Promise.all([
    t.test("jest 30", async () => assert.equal(await jest("", "commonjs"), all(6))),
    t.test("jest 30, ES modules", async () => assert.equal(await jest("", "esm"), all(4))),
    t.test("jest 29", async () => assert.equal(await jest("29", "commonjs"), all(6))),
    t.test("jest 29, ES modules", async () => assert.equal(await jest("29", "esm"), all(4))),
    t.test("vitest", async () => {
      assert.match(await passed("vitest", "vitest.mjs", ["run"]), /Tests {2}2 passed \(2\)/);
    }),
  ]);
});
