// The schemas for inputs in ajv's build for draft 2020-12, in strict mode, without any option.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import * as vmrules from "@vmrules/vmrules";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { root } from "../browser.js";
import type { Vector } from "../vectors.js";

before(() => vmrules.init());

/** compiled returns a schema as a function of ajv, and what ajv says about it. */
function compiled({ schema }: vmrules.InputSchema) {
  const said: unknown[] = [];
  const say = (...words: unknown[]) => said.push(words);
  const ajv = new Ajv2020({ logger: { log: say, warn: say, error: say } });
  for (const [name, allows] of Object.entries(vmrules.formats(schema))) {
    ajv.addFormat(name, allows);
  }
  return { accepts: ajv.compile(schema), said };
}

/** isNarrower reports whether an error comes from what `inputs` documents: one type for each field. */
function isNarrower(errors: ErrorObject[], object: unknown, partial: boolean): boolean {
  return errors.some(({ keyword, instancePath }) => {
    const value = instancePath
      .split("/")
      .slice(1)
      .reduce((at: unknown, name) => (at as { [name: string]: unknown })?.[name], object);
    const isUnset = value === 0 && /\/(cores|sockets|threads)$/.test(instancePath);
    const isLength = keyword === "minItems" || keyword === "maxItems";
    return keyword === "type" || isLength || value === null || isUnset || (partial && value === "");
  });
}

test("all conformance vectors", async () => {
  const vectors: Vector[] = JSON.parse(await readFile(new URL("build/vectors.json", root), "utf8"));
  const counts = { accepted: 0, rejected: 0, narrower: 0, listed: 0 };
  for (const { name, call, texts, instancetypes, parse, validate, report } of vectors) {
    const { annotation, object, template: _, ...objects } = texts;
    // A schema does not know an old object.
    const isUpdate = texts.oldObject !== undefined;
    if (call !== "validate" || object === undefined || report === undefined || isUpdate) {
      continue;
    }
    const rules = vmrules.parseRules(annotation, parse);
    const options = { ...validate, ...objects, instancetypes: instancetypes ?? [] };
    const plain = JSON.parse(object); // with the numbers that JavaScript has
    const inputs = vmrules.inputs(rules, plain, options);
    const { accepts, said } = compiled(inputs);
    assert.deepEqual(said, [], name);
    const { valid, results } = vmrules.validate(rules, plain, options);
    const isAccepted = accepts(plain);
    if (isAccepted && valid) {
      counts.accepted++;
    } else if (!isAccepted && !valid) {
      counts.rejected++;
    } else if (!isAccepted) {
      counts.narrower++;
      const errors = accepts.errors ?? [];
      assert.ok(isNarrower(errors, plain, options.partial ?? false), name);
    } else {
      counts.listed++;
      const isBound = results.some((r) => JSON.stringify(r.violations ?? []).includes(",000"));
      assert.ok(inputs.unexpressed.length > 0 || isBound, `${name}: ${JSON.stringify(results)}`);
    }
  }
  console.log(counts);
  assert.ok(counts.accepted > 150 && counts.rejected > 200, JSON.stringify(counts));
});

test("the quickstart", async () => {
  const read = (name: string) => readFile(new URL(`../testdata/quickstart/${name}`, root), "utf8");
  const template = await read("template.json");
  for (const [name, valid] of [
    ["vm.json", false],
    ["vm-valid.json", true],
  ] as const) {
    const vm = await read(name);
    const rules = vmrules.rulesFor(vm, template);
    const { accepts, said } = compiled(vmrules.inputs(rules, vm));
    assert.deepEqual(said, []);
    assert.equal(accepts(JSON.parse(vm)), valid);
    assert.equal(vmrules.validate(rules, vm).valid, valid);
  }
});

const template = {
  kind: "Template",
  apiVersion: "template.openshift.io/v1",
  parameters: [
    { name: "CORES", displayName: "CPU cores", value: "2" },
    { name: "MEMORY", value: "2Gi" },
    { name: "BUS", required: true },
    { name: "NAME", value: "a" },
  ],
  objects: [
    {
      kind: "VirtualMachine",
      apiVersion: "kubevirt.io/v1",
      metadata: {
        annotations: {
          "vm.kubevirt.io/validations": JSON.stringify([
            {
              name: "cores",
              rule: "integer",
              path: "jsonpath::.spec.domain.cpu.cores",
              message: "1 to 8 cores",
              min: 1,
              max: 8,
            },
            {
              name: "memory",
              rule: "integer",
              path: "jsonpath::.spec.domain.memory.guest",
              message: "1 to 8 GiB",
              min: "1Gi",
              max: "8Gi",
            },
            {
              name: "bus",
              rule: "enum",
              path: "jsonpath::.spec.domain.devices.disks[*].disk.bus",
              message: "a bus that the system knows",
              values: ["virtio", "sata"],
            },
            {
              name: "name",
              rule: "string",
              path: "jsonpath::.spec.hostname",
              message: "a short name",
              maxLength: 6,
            },
          ]),
        },
      },
      spec: {
        template: {
          spec: {
            hostname: "vm-${NAME}",
            domain: {
              cpu: { cores: "${{CORES}}" },
              memory: { guest: "${MEMORY}" },
              devices: { disks: [{ disk: { bus: "${BUS}" } }] },
            },
          },
        },
      },
    },
  ],
};

test("the parameters of a template", () => {
  const inputs = vmrules.parameterInputs(template);
  assert.deepEqual(inputs.unexpressed, []);
  const { accepts, said } = compiled(inputs);
  assert.deepEqual(said, []);
  const cases: [vmrules.ParameterValues, boolean][] = [
    [{ BUS: "sata" }, true],
    [{ BUS: "scsi" }, false],
    [{}, false],
    [{ BUS: "sata", CORES: 8 }, true],
    [{ BUS: "sata", CORES: 9 }, false],
    [{ BUS: "sata", MEMORY: "8192Mi" }, true],
    [{ BUS: "sata", MEMORY: "8193Mi" }, false],
    [{ BUS: "sata", MEMORY: "much" }, false],
    [{ BUS: "sata", NAME: "abc" }, true],
    [{ BUS: "sata", NAME: "abcd" }, false],
  ];
  for (const [values, valid] of cases) {
    assert.equal(accepts(values), valid, JSON.stringify(values));
    const filled = vmrules.fill(template, values);
    assert.equal(vmrules.validateOwn(filled).valid, valid, JSON.stringify(values));
  }
});

test("formats", () => {
  const format = "quantity-from-1Gi-to-8Gi";
  const known = vmrules.formats({ items: { format }, allOf: [{ format: "email" }, { format }] });
  assert.deepEqual(Object.keys(known), [format]);
  assert.equal(known[format]?.("8Gi"), true);
  assert.equal(known[format]?.("9Gi"), false);
  assert.deepEqual(vmrules.formats({}), {});
});

test("errors", () => {
  assert.throws(() => vmrules.fill(template, { NO: 1 }), /does not declare the parameter "NO"/);
  assert.throws(() => vmrules.fill({ kind: "VirtualMachine" }), /only a Template/);
  assert.throws(() => vmrules.parameterInputs({ kind: "VirtualMachine" }), /only a Template/);
});
