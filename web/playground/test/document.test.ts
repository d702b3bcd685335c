import assert from "node:assert/strict";
import { test } from "node:test";
import { readEntities } from "../src/document.js";

/** jsonOf returns the JSON of the value of a key x. */
function jsonOf(value: string): string {
  const { entities, mistakes } = readEntities(value.startsWith("{") ? value : `x: ${value}\n`);
  return mistakes[0]?.message ?? entities[0]?.json.slice(5, -1) ?? "";
}

test("values are those that kubectl reads, and numbers keep their digits", () => {
  const values = {
    "12": "12",
    "-0.50": "-0.50",
    "12345678901234567890.123456789": "12345678901234567890.123456789",
    "1e400": "1e400",
    "0x1F": "31",
    "0o17": "15",
    "017": "15",
    "08": "8",
    "+7": "7",
    "1_000": "1000",
    ".5": "0.5",
    "5.": "5",
    ".inf": '".inf"',
    "1:30": '"1:30"',
    "2020-01-01": '"2020-01-01"',
    yes: "true",
    Off: "false",
    n: "false",
    tRue: '"tRue"',
    "~": "null",
    "": "null",
    "8Gi": '"8Gi"',
    '"12"': '"12"',
    "'yes'": '"yes"',
    "!!str 12": '"12"',
    "[a, {b: 1}]": '["a",{"b":1}]',
    "\n  __proto__: 1": '{"__proto__":1}',
    "|\n  a\n  b": '"a\\nb\\n"',
    '{"x": 1e2, "y": "\\u00e9\\/"}': '1e2,"y":"é/"',
    '{\n\t"x": 1}': "1",
    "{a: &a {b: 1}, c: {<<: *a, d: 2}, e: *a}": '{"a":{"b":1},"c":{"b":1,"d":2},"e":{"b":1}}',
  };
  const got = Object.fromEntries(Object.keys(values).map((text) => [text, wrapped(text)]));
  assert.deepEqual(got, values);
});

/** wrapped is jsonOf, where a flow map is a value and JSON a whole text. */
function wrapped(text: string): string {
  return text.startsWith("{a") ? jsonOf(`\n  ${text}`) : jsonOf(text);
}

test("what cannot be read has a message and a place, and no object", () => {
  const bomb = ["a: &a [1,1,1,1,1,1,1,1,1,1]"];
  const merges = ["a: &a {x: 1}"];
  for (let i = 0; i < 12; i++) {
    const [last, next] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)];
    bomb.push(`${next}: &${next} [${Array(10).fill(`*${last}`).join()}]`);
    merges.push(`${next}: &${next} {<<: [${Array(10).fill(`*${last}`).join()}]}`);
  }
  const texts = {
    "a: 1\na: 2\n": "Map keys must be unique",
    "a: [": "Flow sequence in block collection",
    "? [a]\n: 1": "a key must be a string, not an object, an array or an alias",
    "a: *b": "there is no anchor &b before this alias",
    "- a": "an object of Kubernetes is expected here",
    [`a: ${"[".repeat(600)}${"]".repeat(600)}`]: "the values are nested too deeply",
    [`a: ${"[".repeat(20_000)}`]: "the values are nested too deeply",
    [`a:\n${"- ".repeat(20_000)}`]: "the values are nested too deeply",
    [`${"? ".repeat(20_000)}`]: "the values are nested too deeply",
    [`{"a": ${'{"a":'.repeat(20_000)}`]: "the values are nested too deeply",
    [bomb.join("\n")]: "aliases and merge keys stand for more than 100000 values",
    [merges.join("\n")]: "aliases and merge keys stand for more than 100000 values",
    "a: &a {b: *a}": "",
    "<<: 1": "<< takes an object, or an array of objects",
    ["x".repeat(2_000_001)]: "The text has 2000001 characters",
  };
  for (const [text, want] of Object.entries(texts)) {
    const { entities, mistakes } = readEntities(text);
    assert.equal(entities.length, 0, text.slice(0, 50));
    assert.ok(
      mistakes[0]?.message.startsWith(want),
      `${text.slice(0, 50)}: ${mistakes[0]?.message}`,
    );
  }
});

test("a text without an object is no mistake", () => {
  for (const text of ["", "\n", "---\n", "# nothing\n", "---\n---\n"]) {
    assert.deepEqual(readEntities(text), { entities: [], mistakes: [] });
  }
});

test("a pointer has a place in the text", () => {
  const text = 'spec:\n  a.b/c: [1, {d: "x"}]\n  e: &e {f: 2}\n  g: *e\n  h:\n    <<: *e\n';
  const [entity] = readEntities(text).entities;
  const places = {
    "/spec/a.b~1c/1/d": '"x"',
    "/spec/a.b~1c/0": "1",
    "/spec/e/f": "2",
    "/spec/g/f": "2",
    "/spec/h/f": "2",
    "/spec/e": "e",
    "/spec/missing/there": "spec",
    "/spec/a.b~1c/7": "a.b/c",
    "/spec/e/__proto__": "e",
  };
  for (const [pointer, want] of Object.entries(places)) {
    const { from, to } = entity?.locate(pointer) ?? { from: 0, to: 0 };
    assert.equal(text.slice(from, to), want, pointer);
  }
});
