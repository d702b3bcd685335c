import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "@vmrules/vmrules";
import { complete } from "../src/completion.js";

await init();

const vm = `
spec:
  template:
    spec:
      domain:
        devices:
          disks:
          - name: a
            extra: 1
`;

/** labels returns what is offered at the | of a text. */
function labels(text: string): string[] {
  const at = text.indexOf("¦");
  const template = text.replace("¦", "");
  const found = complete({ template, vm, cluster: "" }, at);
  return (found?.options ?? []).map(({ label }) => label);
}

/** written returns the text after the first option is taken. */
function written(text: string, label: string): string {
  const at = text.indexOf("¦");
  const template = text.replace("¦", "");
  const found = complete({ template, vm, cluster: "" }, at);
  const option = found?.options.find((one) => one.label === label);
  assert.ok(found && option, `${label} is not offered`);
  return (
    template.slice(0, found.from) +
    (option.insert ?? option.label) +
    template.slice(at + (found.behind ?? 0))
  );
}

test("keys are offered that the rule does not have", () => {
  const found = labels('[{"name": "a", "¦", "path": "jsonpath::.spec"}]');
  assert.ok(found.includes("rule") && found.includes("justWarning"));
  assert.ok(!found.includes("name") && !found.includes("path"));
});

test("a key is written with the beginning of its value", () => {
  assert.equal(written('[{"¦', "name"), '[{"name": ""');
  assert.equal(written('[{"¦"}]', "values"), '[{"values": []}]');
  assert.equal(written('[{"¦": 1}]', "min"), '[{"min": 1}]');
});

test("kinds, and values that KubeVirt knows, are offered", () => {
  assert.deepEqual(labels('[{"rule": "¦"}]'), ["integer", "string", "enum", "regex"]);
  const bus = '"path": "jsonpath::.spec.domain.devices.disks[*].cdrom.bus"';
  assert.ok(labels(`[{${bus}, "values": ["sata", "¦"]}]`).includes("scsi"));
  assert.deepEqual(labels('[{"justWarning": ¦}]'), ["true"]);
});

test("paths are offered step by step, from KubeVirt's API and the VM", () => {
  assert.deepEqual(labels('[{"path": "¦"}]'), ["jsonpath::"]);
  assert.deepEqual(labels('[{"path": "jsonpath::.¦"}]'), ["metadata", "spec"]);
  assert.ok(labels('[{"path": "jsonpath::.spec.domain.devices.¦"}]').includes("disks[*]"));
  const disk = labels('[{"valid": "jsonpath::.spec.domain.devices.disks[*].¦"}]');
  assert.ok(disk.includes("cdrom") && disk.includes("extra"));
  assert.ok(labels('[{"min": "jsonpath::.spec.domain.memory.¦"}]').includes("guest"));
});

test("a block of YAML has the same", () => {
  const text = "metadata:\n  annotations:\n    vm.kubevirt.io/validations: |\n      [{";
  assert.ok(labels(`${text}"na¦"}]\n`).includes("name"));
  assert.ok(labels(`${text}"path": "jsonpath::.spec.¦"}]\n`).includes("domain"));
});

test("nothing is offered elsewhere", () => {
  for (const text of ["¦", "a¦: 1", "[¦]", '[{"message": "¦"}]', '[{"name": "a"}¦]', "kind: ¦"]) {
    assert.deepEqual(labels(text), [], text);
  }
  const quoted = JSON.stringify({
    metadata: { annotations: { "vm.kubevirt.io/validations": '[{"¦"}]' } },
  });
  assert.deepEqual(labels(quoted), []);
});
