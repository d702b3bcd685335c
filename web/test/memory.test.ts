import assert from "node:assert/strict";
import { test } from "node:test";
import { init, parseRules, VmrulesError, validate } from "@vmrules/vmrules";
import { instances } from "./instances.js";

const cores = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
  "message": "1 to 8 cores", "min": 1, "max": 8}]`;
const vm = { spec: { template: { spec: { domain: { cpu: { cores: 9 } } } } } };

const size = () => instances[0]?.mem.buffer.byteLength ?? Number.NaN;

test("memory does not grow over 100,000 calls", async () => {
  await init();
  const rules = parseRules(cores);
  const repeat = (times: number) => {
    for (let i = 0; i < times; i++) {
      parseRules(cores);
      assert.equal(validate(rules, vm).valid, false);
    }
  };
  repeat(5_000);
  const before = size();
  repeat(100_000);
  assert.equal(size(), before);
});

test("rules that need far more memory than their text do not add up", async () => {
  await init();
  for (let i = 0; i < 80; i++) {
    const rules = Array.from({ length: 40 }, (_, j) => ({
      name: `rule-${j}`,
      rule: "regex",
      path: "jsonpath::.a",
      message: "m",
      regex: `(\\p{L}{1,200}|\\p{Lu}x){1,4}${i}`,
    }));
    assert.equal(parseRules(JSON.stringify(rules)).length, 40);
  }
  assert.ok(size() < 512 << 20, `the memory has ${size()} bytes`);
});

test("a text that is too long", async () => {
  await init();
  const long = JSON.stringify({ a: "x".repeat(16 << 20) });
  assert.throws(() => validate(parseRules(cores), long), VmrulesError);
  assert.ok(size() < 512 << 20, `the memory has ${size()} bytes`);
});
