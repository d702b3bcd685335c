// The schemas for inputs in ajv's build for draft 2020-12, in strict mode, without any option.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import * as vmrules from "@vmrules/vmrules";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { root } from "../browser.js";
import type { Vector } from "../vectors.js";

before(() => vmrules.init());

/** said is what ajv says beside its errors, such as that it does not know a keyword. */
let said: unknown[] = [];
const say = (...words: unknown[]) => said.push(words);

/** ajv is one for all schemas: it takes long to begin. */
const ajv = new Ajv2020({ logger: { log: say, warn: say, error: say } });

/** known are the schemas that are compiled, by their texts: many vectors have the same. */
const known = new Map<string, { accepts: ValidateFunction; said: unknown[] }>();

/** compiled returns a schema as a function of ajv, and what ajv says about it. */
function compiled({ schema }: vmrules.InputSchema) {
  const text = JSON.stringify(schema);
  const made = known.get(text) ?? compile(schema);
  known.set(text, made);
  return made;
}

function compile(schema: vmrules.JSONSchema) {
  said = [];
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

test("hints", () => {
  const G = 2 ** 30;
  for (const [of, want] of [
    [{ type: "string", format: "integral-quantity-from-536870912" }, "at least 512Mi"],
    [{ type: "string", format: "quantity-from-1Gi-to-8Gi" }, "1Gi to 8Gi"],
    [{ type: "string", format: "quantity-to-1000000" }, "at most 1000000"],
    [{ type: "string", format: "quantity" }, ""],
    [{ type: "integer", minimum: 1, maximum: 8 }, "1 to 8"],
    [{ type: "integer", minimum: 2, maximum: 2 }, "exactly 2"],
    [{ type: "integer", minimum: 0 }, "at least 0"],
    [{ type: "string", minLength: 3, maxLength: 63 }, "3 to 63 characters"],
    [{ enum: ["virtio", "sata"] }, "one of virtio, sata"],
    [
      { type: "integralQuantity", min: 4 * G, values: ["4Gi", "8Gi"] },
      "one of 4Gi, 8Gi, at least 4Gi",
    ],
    [{ type: "string", pattern: "a" }, ""],
  ] as const) {
    assert.equal(vmrules.hint(of as vmrules.JSONSchema), want, JSON.stringify(of));
  }
  const least = { type: "integer", minimum: 1 };
  assert.deepEqual(
    vmrules.withHints({
      properties: { enum: least, a: { items: { ...least, description: "cores" }, enum: [1] } },
      allOf: [{ else: { enum: ["x"], description: "d" } }],
    }),
    {
      properties: {
        enum: { ...least, description: "at least 1" },
        a: { items: { ...least, description: "cores (at least 1)" }, enum: [1] },
      },
      allOf: [{ else: { enum: ["x"], description: "d" } }],
    },
  );
});

test("extra errors", () => {
  const path = "jsonpath::.spec.domain.devices.disks[*].disk.bus";
  const least = { rule: "integer", path: "jsonpath::.spec.domain.memory.guest", min: 536870912 };
  const rules = vmrules.parseRules(
    JSON.stringify([
      { name: "bus", rule: "enum", path, message: "a bus", values: ["sata"] },
      { ...least, name: "memory", message: "enough memory" },
      { ...least, name: "more", message: "more is faster", justWarning: true, min: "1Gi" },
    ]),
  );
  const devices = { disks: [{ disk: { bus: "sata" } }, { disk: { bus: "x" } }] };
  const vm = { spec: { template: { spec: { domain: { devices, memory: { guest: "1Mi" } } } } } };
  const report = vmrules.validate(rules, vm);
  const wrong = {
    devices: {
      disks: { 1: { disk: { bus: { __errors: ['a bus ("x" is not "sata")'] } } } },
    },
    memory: { guest: { __errors: ['enough memory ("1Mi" is less than min 512Mi)'] } },
  };
  const plain = (errors: object) => JSON.parse(JSON.stringify(errors));
  assert.deepEqual(plain(vmrules.extraErrors(report)), {
    spec: { template: { spec: { domain: wrong } } },
  });
  const warning = 'Warning: more is faster ("1Mi" is less than min 1Gi)';
  assert.ok(
    JSON.stringify(vmrules.extraErrors(report, { warnings: true })).includes(
      JSON.stringify(warning),
    ),
  );
  const hostile = {
    ...report,
    results: [{ ...report.results[0], violations: [{ pointer: "/__proto__/x" }] }],
  };
  vmrules.extraErrors(hostile as never);
  assert.equal(({} as { x?: unknown }).x, undefined);
});

test("errors", () => {
  assert.throws(() => vmrules.fill(template, { NO: 1 }), /does not declare the parameter "NO"/);
  assert.throws(() => vmrules.fill({ kind: "VirtualMachine" }), /only a Template/);
  assert.throws(() => vmrules.parameterInputs({ kind: "VirtualMachine" }), /only a Template/);
});
