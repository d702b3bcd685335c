import assert from "node:assert/strict";
import { test } from "node:test";
import { readEntities } from "../src/document.js";
import { edit } from "../src/edit.js";

const text = "spec:\n  cores: 4   # as many\n  bus: 'sata'\n  list:\n  - {a: x}\n";

test("a value that is written is replaced where it is", () => {
  assert.equal(
    edit(text, [
      { pointer: "/spec/cores", value: 8 },
      { pointer: "/spec/bus", value: "virtio" },
      { pointer: "/spec/list/0/a", value: "yes" },
    ]),
    'spec:\n  cores: 8   # as many\n  bus: virtio\n  list:\n  - {a: "yes"}\n',
  );
  assert.equal(edit('{"a": "b"}', [{ pointer: "/a", value: "virtio" }]), '{"a": "virtio"}');
});

test("a value that is emptied becomes null", () => {
  assert.equal(edit("a: 1\nb: 2\n", [{ pointer: "/a" }]), "a: null\nb: 2\n");
});

test("other values are added, and all else remains", () => {
  const texts = [
    text,
    '{"spec": {"cores": 4, "big": 12345678901234567890}}',
    "spec:\n  cores:\n",
    "{}",
  ];
  for (const one of texts) {
    for (const value of ["on", "12", "8Gi", "a: b", "- x", "", 3, true]) {
      const changes = [{ pointer: "/spec/new/deep/0/b", value }];
      const edited = edit(one, changes);
      const [entity] = readEntities(edited).entities;
      const spec = entity?.object.spec as { new: unknown };
      assert.deepEqual(spec.new, { deep: [{ b: value }] }, `${one} ${value}\n${edited}`);
    }
  }
  assert.match(edit(text, [{ pointer: "/spec/new", value: 1 }]), /# as many/);
});

test("values of other objects are changed in these alone", () => {
  const list = "kind: List\nitems:\n- {a: 1}\n- {a: 1}\n";
  assert.equal(edit(list, [{ pointer: "/a", value: 2 }], 1), list.replace(/1}\n$/, "2}\n"));
  const documents = "a: 1\n---\na: 1\n";
  assert.equal(edit(documents, [{ pointer: "/a", value: 2 }], 1), "a: 1\n---\na: 2\n");
  assert.match(edit(documents, [{ pointer: "/b", value: 2 }], 1), /^a: 1\n---\na: 1\nb: 2\n$/);
});

test("strings remain strings, and keys of prototypes stay away", () => {
  for (const value of ["y", "null", "0x1F", "1e3", "~", "true", "# no", "a\nb", "é😀"]) {
    const [entity] = readEntities(edit("a: b\n", [{ pointer: "/a", value }])).entities;
    assert.equal(entity?.object.a, value);
  }
  edit('{"a": 1}', [{ pointer: "/__proto__/polluted", value: 1 }]);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});
