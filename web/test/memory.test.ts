import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { init, parseRules, VmrulesError, validate } from "@vmrules/vmrules";
import { instances } from "./instances.js";

const cores = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
  "message": "1 to 8 cores", "min": 1, "max": 8}]`;
const vm = { spec: { template: { spec: { domain: { cpu: { cores: 9 } } } } } };

const size = () => instances[0]?.mem.buffer.byteLength ?? Number.NaN;

test("memory does not grow over 100,000 calls", async () => {
  await init();
  const rules = parseRules(cores);
  const repeat = async (times: number) => {
    for (let i = 0; i < times; i++) {
      parseRules(cores);
      assert.equal(validate(rules, vm).valid, false);
      if (i % 1_000 === 0) {
        await setImmediate(); // as a page does between events
      }
    }
    return size();
  };
  const before = await repeat(15_000);
  const after = await repeat(35_000); // of two calls each
  assert.ok(after - before < 1 << 20, `the memory has ${after} bytes, after ${before}`);
});

test("rules that need far more memory than their text do not add up", async () => {
  await init();
  for (let i = 0; i < 50; i++) {
    const rules = Array.from({ length: 40 }, (_, j) => ({
      name: `rule-${j}`,
      rule: "regex",
      path: "jsonpath::.a",
      message: "m",
      regex: `(\\p{L}{1,200}|\\p{Lu}x){1,4}${i}`,
    }));
    assert.equal(parseRules(JSON.stringify(rules)).length, 40);
  }
  // Each takes 6 MB.
  assert.ok(size() < 224 << 20, `the memory has ${size()} bytes`);
});

test("large objects do not add up, either", async () => {
  await init();
  const rules = parseRules(cores);
  const object = `{"a": [${"[],".repeat(300_000)}[]]}`;
  const grown = () => {
    for (let i = 0; i < 5; i++) {
      validate(rules, object);
    }
    return size();
  };
  const before = grown();
  assert.ok(grown() < before * 1.2, `the memory has ${size()} bytes, after ${before}`);
});

test("a text that is too long", async () => {
  await init();
  const long = JSON.stringify({ a: "x".repeat(16 << 20) });
  const rules = parseRules(cores);
  const before = size();
  assert.throws(
    () => validate(rules, long),
    (error) => error instanceof VmrulesError && /more than 4194304 bytes/.test(error.message),
  );
  assert.ok(size() - before < long.length / 8, "the text was copied");
});
