// Prints how long a call of validate takes in Node, and the same call in Go, for the
// quickstart's VM of Windows. It is information: nothing depends on it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { init, rulesFor, validate } from "./dist/node.js";

const read = (name) =>
  readFileSync(new URL(`../testdata/quickstart/${name}`, import.meta.url), "utf8");

await init();
const vm = read("vm.json");
const rules = rulesFor(vm, read("template.json"));

/** best returns the microseconds of a call in the fastest of many runs. */
function best(call, runs = 100, calls = 20) {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) {
      call();
    }
    least = Math.min(least, (performance.now() - start) / calls);
  }
  return Math.round(least * 1000);
}

const inNode = best(() => validate(rules, vm));
const bench = ["test", "-run=^$", "-bench=^BenchmarkValidate$", "./internal/engine"];
const output = execFileSync("go", bench, { encoding: "utf8", cwd: new URL(".", import.meta.url) });
const inGo = Math.round(Number(/([\d.]+) ns\/op/.exec(output)?.[1]) / 1000);
console.log(`validate takes ${inNode} µs a call in Node, and ${inGo} µs in Go.`);
