import assert from "node:assert/strict";
import { test } from "node:test";
import { init, parseRules, VmrulesError } from "@vmrules/vmrules";
import { instances } from "./instances.js";

test("a program that has ended can be started anew", async () => {
  await init();
  const rules = parseRules('[{"name":"n","rule":"integer","path":"jsonpath::.a","message":"m"}]');
  const notAnInteger = () => rules.check(0, "x").length;
  assert.equal(notAnInteger(), 1);
  try {
    instances[0]?.call(-1); // Go panics outside of any operation
  } catch {
    // It may throw, or only exit.
  }
  const ended = /the library has ended \(panic: .*\): call init\(\) again/;
  assert.throws(
    notAnInteger,
    (error) => error instanceof VmrulesError && ended.test(error.message),
  );
  assert.throws(notAnInteger, ended);
  await init();
  parseRules('[{"name":"n","rule":"string","path":"jsonpath::.a","message":"m"}]'); // has the same number
  assert.equal(notAnInteger(), 1);
  assert.equal(instances.length, 2);
});
