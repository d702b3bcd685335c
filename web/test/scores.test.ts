import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "./browser.js";

const project = new URL("..", root);

test("the package answers the conformance runner as the scoreboard says", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "scores-")), "npm.json");
  const program = new URL("build/test/answer.js", root).pathname;
  const args = ["run", "./conformance", "-json", file, "node", program];
  await promisify(execFile)("go", args, { cwd: project });
  const scores = new URL("conformance/scores/npm.json", project);
  assert.equal(await readFile(file, "utf8"), await readFile(scores, "utf8"));
});
