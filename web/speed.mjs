// Prints how long calls take in Node, for the quickstart's VM of Windows: in microseconds, as
// multiples of a copy of the VM through JSON in the same run, and for validate the same call in Go.
// It is information: nothing depends on it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { init, rulesFor, validate } from "./dist/node.js";

const read = (name) =>
  JSON.parse(readFileSync(new URL(`../testdata/quickstart/${name}`, import.meta.url), "utf8"));

await init();
const vm = read("vm.json");
const template = read("template.json");
const rules = rulesFor(vm, template);

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
  return least * 1000;
}

const copy = best(() => JSON.parse(JSON.stringify(vm)));
const says = (micros) => `${Math.round(micros)} µs, ${(micros / copy).toFixed(1)} copies of the VM`;
let written = 0;
const other = (of) => ({ ...of, metadata: { ...of.metadata, generation: ++written } });
for (const [name, call] of Object.entries({
  "validate, of a VM that it knows": () => validate(rules, vm),
  "validate, of another VM": () => validate(rules, other(vm)),
  "rulesFor, of a template that it knows": () => rulesFor(vm, template),
  "rulesFor, of another template": () => rulesFor(vm, other(template)),
})) {
  console.log(`${name}: ${says(best(call))}`);
}

const bench = ["test", "-run=^$", "-bench=^BenchmarkValidate$", "./internal/engine"];
const output = execFileSync("go", bench, { encoding: "utf8", cwd: new URL(".", import.meta.url) });
console.log(`validate in Go: ${says(Number(/([\d.]+) ns\/op/.exec(output)?.[1]) / 1000)}`);
