import assert from "node:assert/strict";
import { test } from "node:test";
import { init, lint } from "@vmrules/vmrules";
import { annotationsIn, type Marked, place } from "../src/annotation.js";
import { readEntities } from "../src/document.js";

await init();

const rules = `[
  {
    "name": "ça va 😀 'well' \\"so\\" \\u00e9 \\ud83d\\ude00",
    "rule": "integr",
    "path": "jsonpath::.spec.domain.cpu.core",
    "message": "two  blanks",
    "max": 8
  }
]`;

const indented = rules.replaceAll("\n", "\n        ");

/** around returns a VM with an annotation as it is written. */
function around(written: string): string {
  return `# é\nkind: VirtualMachine\nmetadata:\n    annotations:\n      vm.kubevirt.io/validations: ${written}\n`;
}

/** forms are all ways in which a document can hold the rules. */
const forms: { [name: string]: string } = {
  literal: around(`|\n        ${indented}`),
  "literal, stripped": around(`|-\n        ${indented}`),
  folded: around(`>\n        ${indented}`),
  "double quotes": around(JSON.stringify(rules)),
  "double quotes, with escapes": around(
    JSON.stringify(rules)
      .replaceAll("ç", "\\u00e7")
      .replaceAll("😀", "\\U0001F600")
      .replaceAll("[", "\\x5b"),
  ),
  "double quotes, over several lines": around(
    JSON.stringify(rules).replaceAll("\\n", "\\n\\\n        "),
  ),
  "single quotes": around(`'${indented.replaceAll("'", "''")}'`),
  JSON: JSON.stringify({ metadata: { annotations: { "vm.kubevirt.io/validations": rules } } }),
  "JSON, with escapes": JSON.stringify({
    metadata: { annotations: { "vm.kubevirt.io/validations": rules } },
  }).replaceAll("😀", "\\ud83d\\ude00"),
};

function marked(text: string): Marked[] {
  const [entity] = readEntities(text).entities;
  assert.ok(entity);
  const [annotation] = annotationsIn(entity).annotations;
  assert.ok(annotation);
  return place(annotation, lint(annotation.text, { version: annotation.version }));
}

for (const [name, text] of Object.entries(forms)) {
  test(`findings have their places in an annotation as ${name}`, () => {
    const all = marked(text);
    const found = all.map(({ finding, from, to }) => [
      finding.id,
      text.slice(from, to).replaceAll("\\", ""),
    ]);
    assert.deepEqual(found, [
      ["misspelt-kind", '"integr"'],
      ["misspelt-field", ".core"],
    ]);
  });

  test(`fixes mend an annotation as ${name}`, () => {
    let mended = text;
    for (const { fix } of marked(text).reverse()) {
      assert.ok(fix);
      mended = mended.slice(0, fix.from) + fix.insert + mended.slice(fix.to);
    }
    assert.deepEqual(marked(mended), []);
  });
}

test("an annotation that is not text is marked", () => {
  const text = around("\n      - name: a");
  const [entity] = readEntities(text).entities;
  assert.ok(entity);
  const { annotations, mistakes } = annotationsIn(entity);
  assert.deepEqual(annotations, []);
  assert.match(mistakes[0]?.message ?? "", /must be a string that contains JSON/);
});

test("all annotations inside a template are found", () => {
  const vm = { metadata: { annotations: { "vm.kubevirt.io/validations": "[]" } } };
  const template = {
    kind: "Template",
    metadata: { annotations: { validations: "[ ]" } },
    objects: [vm, vm],
  };
  const [entity] = readEntities(JSON.stringify(template)).entities;
  assert.ok(entity);
  const found = annotationsIn(entity).annotations.map(({ text, version }) => [text, version]);
  assert.deepEqual(found, [
    ["[ ]", "detected"],
    ["[]", "201902-2"],
    ["[]", "201902-2"],
  ]);
});
