import assert from "node:assert/strict";
import { test } from "node:test";
import { readEntities } from "../src/document.js";
import { format, indented } from "../src/format.js";

test("JSON has a member in each line, and short arrays of scalars in one", () => {
  const long = Array.from({ length: 40 }, (_, i) => `"v${i}"`);
  for (const [text, wanted] of [
    ["[]", "[]"],
    ["{}", "{}"],
    ["12", "12"],
    ['{"a":[],"b":{}}', '{\n  "a": [],\n  "b": {}\n}'],
    [' [ 1 ,"a]\\"[",null]', '[1, "a]\\"[", null]'],
    [
      '[{"a":1.10,"b":[[1],{}]}]',
      '[\n  {\n    "a": 1.10,\n    "b": [\n      [1],\n      {}\n    ]\n  }\n]',
    ],
    [`[${long}]`, `[\n  ${long.join(",\n  ")}\n]`],
    ['{"a": 12345678901234567890.10e400}', '{\n  "a": 12345678901234567890.10e400\n}'],
  ] as const) {
    assert.equal(indented(text), wanted);
    assert.equal(indented(wanted), wanted);
  }
  assert.throws(() => format('[{"name": ]'), SyntaxError);
});

const yaml = `# of the department
kind:   Template
metadata:
    annotations: {a: "1", b: yes}
    name: windows
objects:
-   kind: VirtualMachine
    metadata:
      annotations:
        vm.kubevirt.io/validations: |
          [{"name":"a", "values": [ "x","y" ], "max": 1.0},
            {"name":"b"}]   
        other: |
          [1,
            2]
    spec: {cores: 010, on: off, at: 1.10}   # as many
---
kind: VirtualMachine
`;

test("YAML keeps its comments and values, and the rules in it are laid out", () => {
  const formatted = format(yaml);
  assert.equal(
    formatted,
    `# of the department
kind: Template
metadata:
  annotations: { a: "1", b: yes }
  name: windows
objects:
  - kind: VirtualMachine
    metadata:
      annotations:
        vm.kubevirt.io/validations: |
          [
            {
              "name": "a",
              "values": ["x", "y"],
              "max": 1.0
            },
            {
              "name": "b"
            }
          ]
        other: |
          [1,
            2]
    spec: { cores: 010, on: off, at: 1.10 } # as many
---
kind: VirtualMachine
`,
  );
  assert.equal(format(formatted), formatted);
  const [before, after] = [yaml, formatted].map((text) => readEntities(text).entities[1]?.json);
  assert.equal(after, before);
});

test("what cannot be laid out is left alone", () => {
  assert.equal(format(""), "");
  assert.equal(format("# nothing yet\n"), "# nothing yet\n");
  assert.throws(() => format("a: ["), /flow sequence/i);
  const broken = "vm.kubevirt.io/validations: |\n  [{]\n";
  assert.equal(format(broken), broken);
  const aliases = "a: &a {b: 1}\nc:\n  <<: *a\n  d: *a\n";
  assert.equal(
    readEntities(format(aliases)).entities[0]?.json,
    '{"a":{"b":1},"c":{"b":1,"d":{"b":1}}}',
  );
});
