// Runs scripts of package.json in two lanes side by side, and prints what each says when it is done.

import { spawn } from "node:child_process";

const lanes = [["test:js"], ["size", "test:playground", "test:example"]];

/** run runs a script, and returns whether it succeeds. */
function run(script) {
  const start = Date.now();
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => said.push(chunk));
  }
  return new Promise((resolve) => {
    child.on("close", (code) => {
      const took = Math.round((Date.now() - start) / 1000);
      const ended = code === 0 ? "ok" : "FAILED";
      process.stdout.write(`\n${script}: ${ended} after ${took} s\n${Buffer.concat(said)}`);
      resolve(code === 0);
    });
  });
}

async function runAll(scripts) {
  for (const script of scripts) {
    if (!(await run(script))) {
      process.exitCode = 1;
      return;
    }
  }
}

await Promise.all(lanes.map(runAll));
