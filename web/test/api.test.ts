import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import * as api from "@vmrules/vmrules";
import {
  init,
  jsonText,
  lint,
  parseRules,
  rulesFor,
  VmrulesError,
  validate,
} from "@vmrules/vmrules";

const cores = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
  "message": "1 to 8 cores", "min": 1, "max": 8}]`;
const vmWith = (cores: unknown) => ({
  kind: "VirtualMachine",
  metadata: { annotations: { "vm.kubevirt.io/validations": "" } },
  spec: { template: { spec: { domain: { cpu: { cores } } } } },
});
const small = {
  kind: "VirtualMachineClusterInstancetype",
  metadata: { name: "small" },
  spec: { cpu: { guest: 2 }, memory: { guest: "1Gi" } },
};

const template = { kind: "Template", apiVersion: "template.openshift.io/v1", objects: [] };

/** Hidden is a class whose instances JSON writes as {}. */
class Hidden {
  #spec = 1;
  get hidden() {
    return this.#spec;
  }
}

/** failing returns what a call throws, which must be a VmrulesError. */
function failing(call: () => unknown): VmrulesError {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof VmrulesError, String(error));
    assert.equal(error.name, "VmrulesError");
    return error;
  }
  assert.fail("there is no error");
}

test("a call before init", () => {
  const error = failing(() => parseRules(cores));
  assert.match(error.message, /wait for init\(\).*In React, call init\(\) in an effect/);
  assert.equal(error.code, "not-loaded");
});

test("init", async (t) => {
  await t.test("of something else fails, and can be tried again", async () => {
    const begin = [0, 0x61, 0x73, 0x6d]; // of WebAssembly
    const bytes = (text: string) => new TextEncoder().encode(text);
    for (const [source, code, message] of [
      [new Uint8Array(8), "not-wasm", /^what init got is not WebAssembly/],
      [bytes("\n<!doctype html><p>no such page"), "not-wasm", /^what init got is a page of HTML/],
      [bytes("<!doctype html>").buffer, "not-wasm", /a page of HTML/],
      [new Uint8Array([...begin, 9, 9, 9, 9]), "load", /cannot be loaded: CompileError/],
      [new Uint8Array([...begin, 1, 0, 0, 0]), "not-wasm", /not the vmrules.wasm of this version/],
      [
        "http://127.0.0.1:1/vmrules.wasm",
        "load",
        /^the library cannot be loaded: http:.*: TypeError/,
      ],
      [{} as never, "not-wasm", /^what init got is not WebAssembly/],
    ] as const) {
      const error = await init(source).catch((error) => error);
      assert.ok(error instanceof VmrulesError);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.equal(error.cause instanceof Error, code === "load");
    }
  });
  await t.test("twice is once", async () => {
    const first = init();
    assert.equal(init(), first);
    await first;
    assert.equal(init(new Uint8Array(8)), first);
  });
});

test("with the library loaded", async (t) => {
  before(() => init());

  await t.test("validate takes an object and its text", () => {
    const rules = parseRules(cores);
    for (const vm of [vmWith(12), JSON.stringify(vmWith(12))]) {
      const report = validate(rules, vm);
      assert.equal(report.valid, false);
      assert.deepEqual(
        api.violationsAt(report, "/spec/template/spec/domain/cpu/cores").map((v) => v.detail),
        ["12 is more than max 8"],
      );
      assert.deepEqual(api.violationsAt(report, ""), []);
    }
    assert.equal(validate(rules, vmWith(8)).valid, true);
  });

  await t.test("validate takes the options of Go", () => {
    const memory = {
      name: "memory",
      rule: "integer",
      path: "jsonpath::.spec.domain.memory.guest",
      message: "m",
      min: "2Gi",
    };
    const rules = parseRules(JSON.stringify([memory]));
    const outcome = (vm: api.ObjectInput | undefined, options?: api.ValidateOptions) =>
      validate(rules, vm, options).results.map((r) => r.doubt ?? r.outcome)[0];
    const having = (guest: string | null) => ({
      spec: { template: { spec: { domain: { memory: { guest } } } } },
    });
    const named = { spec: { instancetype: { name: "small" }, template: { spec: { domain: {} } } } };

    assert.equal(outcome(undefined), "Nothing");
    assert.equal(outcome({ kind: "VirtualMachine" }), "Nothing");
    assert.equal(outcome({}, { partial: true }), "Skipped");
    assert.equal(outcome(having("1Gi"), { ratcheting: true }), "Violated");
    assert.equal(outcome(having("1Gi"), { ratcheting: true, oldObject: having("1Gi") }), "Warned");
    assert.equal(outcome(named), "Instancetype");
    assert.equal(outcome(named, { instancetype: small }), "Violated");
    assert.equal(outcome(named, { instancetype: JSON.stringify(small) }), "Violated");
    assert.equal(outcome(named, { instancetypes: [] }), "Instancetype");
    assert.equal(outcome(named, { instancetypes: [small] }), "Violated");
    const defaults = { "jsonpath::.spec.domain.memory.guest": "4Gi" };
    assert.equal(outcome(having(null)), "Violated");
    assert.equal(outcome(having(null), { defaults }), "Satisfied");
  });

  await t.test("numbers keep their digits in texts", () => {
    const digits = "12345678901234567890.123456789";
    const report = validate(parseRules(cores), JSON.stringify(vmWith(0)).replace("0", digits));
    assert.ok(jsonText(report).includes(`"value":${digits}`));
    assert.match(failing(() => jsonText({ ...report })).message, /very object/);
  });

  await t.test("a problem of an annotation", () => {
    const error = failing(() =>
      parseRules('[{"name": "x", "rule": "integer", "path": ".a", "message": "m"}]'),
    );
    assert.equal(error.problems.length, 1);
    assert.equal(error.problems[0]?.key, "path");
    assert.equal(error.problems[0]?.suggestion, "jsonpath::.a");
    assert.match(error.message, /line 1, column/);
    assert.equal(error.code, "rules");
  });

  await t.test("what is not an argument", () => {
    const cyclic: { self?: object } = {};
    cyclic.self = cyclic;
    const rules = parseRules(cores);
    const wrong: [() => unknown, RegExp][] = [
      [() => parseRules(undefined as never), /the annotation is of type undefined/],
      [() => parseRules("\ud800"), /half of a surrogate pair/],
      [() => validate("[]" as never, {}), /first argument must be Rules/],
      [() => validate(rules, "{"), /object: .*line 1, column 2/s],
      [() => validate(rules, '{"a": 1, "a": 2}'), /given twice/],
      [() => validate(rules, '"\ud800"'), /half of a surrogate pair/],
      [() => validate(rules, [] as never), /an array is not an object/],
      [() => validate(rules, cyclic), /^the object\.self contains itself$/],
      [() => validate(rules, { a: 1n }), /^the object\.a is a bigint, which has no JSON$/],
      [() => validate(rules, (() => 1) as never), /a function, which has no JSON/],
      [() => validate(rules, ""), /^object: .*line 1/s],
      [() => api.rulesFor("", template), /^vm: .*line 1/s],
      [
        () => validate(rules, {}, { defaults: { "jsonpath::.a": 1n } }),
        /^the option defaults\["jsonpath::\.a"\] is a bigint/,
      ],
      [() => validate(rules, {}, { partail: true } as never), /^there is no option "partail" here/],
      [() => validate(rules, {}, { strict: true } as never), /^there is no option "strict" here/],
      [() => validate(rules, {}, { partial: 1 } as never), /^the option partial must be a boolean/],
      [() => parseRules(cores, { strict: "yes" as never }), /^the option strict must be a boolean/],
      [() => lint(cores, { profile: 1 as never }), /^the option profile must be a string/],
      [() => api.parameters(template, null as never), /^the options must be an object/],
      [() => validate(rules, {}, null as never), /^the options must be an object/],
      [
        () => validate(rules, {}, { instancetypes: small as never }),
        /^the option instancetypes must/,
      ],
      [() => validate(rules, {}, { defaults: [] as never }), /defaults/],
      [() => api.expand({}, undefined as never), /^the second argument must be an object/],
      [() => api.hint(null as never), /^the first argument must be an object/],
      [() => api.hint({ must: { max: 8 } } as never), /: pass its must or its should$/],
      [
        () => validate(rules, {}, { instancetypes: [small, null as never] }),
        /^instancetypes\[1\]: null is not an object$/,
      ],
      [() => validate(rules, new Map([["kind", "VM"]]) as never), /^the object is a Map, of which/],
      [() => validate(rules, new Uint8Array(2) as never), /^the object is a Uint8Array/],
      [() => validate(rules, { spec: new Map() }), /^the object\.spec is a Map/],
      [
        () => validate(rules, { spec: [new Uint8Array(2)] }),
        /^the object\.spec\[0\] is a Uint8Array/,
      ],
      [() => validate(rules, new Hidden()), /^the object is a Hidden, of which JSON has nothing/],
      [() => validate(rules, Promise.resolve({}) as never), /^the object is a Promise/],
      [() => rules.check(0, new Set([1])), /^the value is a Set/],
      [() => api.violationsAt({} as never, ""), /^the first argument must be a Report/],
      [() => api.violationsAt(validate(rules, {}), "spec"), /^"spec" is not a JSON Pointer/],
      [() => api.violationsAt(validate(rules, {}), "/a~2"), /^"\/a~2" is not a JSON Pointer/],
      ...["cpu", "", "0", undefined, null, NaN, 1.5, {}, [], true].map(
        (rule): [() => unknown, RegExp] => [
          () => rules.check(rule as never, 1),
          typeof rule === "string"
            ? /no rule with the name/
            : /^the first argument must be the index/,
        ],
      ),
      ...[NaN, Infinity, -Infinity, () => 1, Symbol("s")].flatMap(
        (bad): [() => unknown, RegExp][] => [
          [
            () => validate(rules, vmWith(bad)),
            /^the object\.spec\.template\.spec\.domain\.cpu\.cores is /,
          ],
          [
            () => validate(rules, { a: [{ toJSON: () => ({ b: bad }) }] }),
            /^the object\.a\[0\]\.b is /,
          ],
          [
            () => validate(rules, {}, { defaults: { "jsonpath::.a": bad } }),
            /^the option defaults\["jsonpath::\.a"\] is /,
          ],
          [() => rules.check(0, bad), /^the value is /],
          [() => api.validateOwn({}, { templates: [{ a: bad }] }), /^templates\[0\]\.a is /],
        ],
      ),
      [() => api.validateOwn({}, { root: "object" } as never), /^there is no option "root" here/],
      [
        () => api.validateOwn({}, { templates: {} as never }),
        /^the option templates must be an array/,
      ],
      [() => api.validateOwn({}, { templates: ["["] }), /^templates\[0\]: .*line 1/s],
      [() => rules.check(0, 1, { strict: true } as never), /^there is no option "strict" here/],
      [() => rules.check(1, 1), /there is no rule with the index 1/],
      [() => rules.check(-1, 1), /there is no rule with the index -1/],
      [() => rules.check(0, () => 1), /has no JSON/],
      [() => api.rulesFor([] as never), /an array is not an object/],
      [() => api.expand({}, { instancetype: {} }), /^instancetype: spec\.cpu\.guest is missing$/],
    ];
    for (const [call, message] of wrong) {
      const error = failing(call);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /json: |Go /);
      assert.equal(error.code, "argument");
    }
    const written = [{ toJSON: () => vmWith(8) }, Object.assign(new Hidden(), vmWith(8))];
    for (const vm of [...written, Object.assign(Object.create(null), vmWith(8), { disk: {} })]) {
      assert.equal(validate(rules, vm).valid, true);
    }
    assert.equal(validate(rules, vmWith(8)).valid, true);
  });

  await t.test("rules", () => {
    const rules = parseRules(cores);
    assert.equal(rules.length, 1);
    assert.deepEqual(JSON.parse(JSON.stringify(rules)), JSON.parse(cores));
    assert.deepEqual(rules.check(0, 8), []);
    assert.deepEqual(rules.check(0, "8"), []);
    assert.equal(rules.check(0, 9)[0]?.reason, "FieldValueInvalid");
    assert.deepEqual(rules.check("cores", 9), rules.check(0, 9));
    assert.deepEqual(rules.check(0, undefined), []); // it counts as 1
    assert.equal(parseRules(" ").length, 0);
    assert.match(failing(() => parseRules(cores, { version: "1" as never })).message, /no version/);
  });

  await t.test("rules for a VM", async () => {
    const template = await readFile(
      new URL("../../../testdata/quickstart/template.json", import.meta.url),
      "utf8",
    );
    const vm = await readFile(
      new URL("../../../testdata/quickstart/vm.json", import.meta.url),
      "utf8",
    );
    const rules = rulesFor(vm, template);
    assert.equal(rules.length, parseRules(JSON.stringify(rules)).length);
    assert.equal(validate(rules, vm).valid, false);
    assert.equal(rulesFor(undefined, template).length, rules.length);
    assert.equal(rulesFor(null, JSON.parse(template)).length, rules.length);
    assert.match(failing(() => rulesFor(vm)).message, /template .*is not given/);
    assert.ok(api.parameters(template).some((p) => p.name === "NAME" && p.uses.length > 0));
    assert.equal(api.validateOwn(template).valid, api.validateOwn(JSON.parse(template)).valid);
    assert.deepEqual(failing(() => api.parameters("{}")).result, []);
  });

  await t.test("rules that are not kept any more are read again", () => {
    const rules = parseRules(cores);
    for (let i = 0; i < 20; i++) {
      parseRules(cores + " ".repeat(255 << 10));
    }
    assert.equal(validate(rules, vmWith(9)).valid, false);
  });

  await t.test("what became of every VM", () => {
    const own = (text: string, n: number) => ({
      ...vmWith(n),
      metadata: { annotations: { "vm.kubevirt.io/validations": text } },
    });
    const { valid, passed, targets, results } = api.validateOwn({
      ...{ kind: "List", items: [own("[", 1), own(cores, 9)] },
    });
    assert.deepEqual([valid, passed, results.length], [false, false, 2]);
    assert.deepEqual(
      targets.map(({ name, coverage, problems }) => [name, coverage, problems?.length]),
      [
        ["items[0]", "Undecided", 1],
        ["items[1]", "Judged", undefined],
      ],
    );
  });

  await t.test("lint", () => {
    assert.deepEqual(lint(cores), []);
    const portable = lint(cores.replace("1,", '"1Gi",'), { profile: "ssp" });
    assert.deepEqual(
      portable.map((f) => [f.id, f.severity]),
      [
        ["ssp-bound", "error"],
        ["unsatisfiable-range", "error"],
      ],
    );
    assert.ok(api.checks().some((c) => c.id === "ssp-bound"));
  });

  await t.test("limits and schema", () => {
    const rules = parseRules(cores);
    const [limit] = api.limits(rules, vmWith(9));
    assert.equal(limit?.must?.max, 8);
    assert.equal(limit?.fields[0]?.value, 9);
    assert.deepEqual(api.limits(parseRules(""), {}), []);
    assert.equal(
      api.schema(rules, vmWith(9)).$schema,
      "https://json-schema.org/draft/2020-12/schema",
    );
  });

  await t.test("expand", () => {
    const vm = { spec: { instancetype: { name: "small" }, template: { spec: { domain: {} } } } };
    const expandedSpec = {
      instancetype: { name: "small" },
      template: {
        spec: { domain: { cpu: { cores: 1, sockets: 2, threads: 1 }, memory: { guest: "1Gi" } } },
      },
    };
    const { vm: expanded, conflicts } = api.expand(vm, { instancetype: small });
    assert.equal(conflicts, undefined);
    assert.deepEqual(expanded?.spec, expandedSpec);
    assert.equal(api.expand(vmWith(1), { instancetype: small }).conflicts?.length, 1);
    assert.deepEqual(api.checkRequirements(vm, {}), []);
    const demanding = {
      kind: "VirtualMachinePreference",
      metadata: { name: "p" },
      spec: { requirements: { memory: { guest: "2Gi" } } },
    };
    assert.equal(
      api.checkRequirements(vm, { instancetype: small, preference: demanding }).length,
      1,
    );
  });

  await t.test("hints", () => {
    const G = 2 ** 30;
    for (const [of, want] of [
      [{ type: "integer", min: 536870912 }, "at least 512Mi"],
      [{ type: "number", min: G, max: 8 * G }, "1Gi to 8Gi"],
      [{ type: "quantity", max: 1000000 }, "at most 1000000"],
      [{ type: "integer", min: 1, max: 8 }, "1 to 8"],
      [{ type: "integer", min: 2, max: 2 }, "exactly 2"],
      [{ type: "integer", min: 0 }, "at least 0"],
      [{ type: "integer", min: 1024, max: 65536 }, "1024 to 65536"], // a port is no size
      [{ type: "quantity", max: 2 ** 60 }, "at most 1Ei"],
      [{ type: "quantity", max: 1e300 }, "at most 1e+300"],
      [{ type: "quantity", min: 1, max: Infinity }, "at least 1"], // 1e400, which no number is
      [{ type: "quantity", min: Infinity }, "at least Infinity"],
      [{ type: "quantity", min: -Infinity, max: 8 }, "at most 8"],
      [{ type: "quantity", max: -Infinity }, "at most -Infinity"],
      [{ type: "string", minLength: 3, maxLength: 63 }, "3 to 63 characters"],
      [{ type: "string", maxLength: 1024 }, "at most 1024 characters"],
      [{ type: "scalar", values: ["virtio", "sata"] }, "one of virtio, sata"],
      [{ type: "scalar", values: [], maxLength: 4 }, "no value, at most 4 characters"],
      [
        { type: "integralQuantity", min: 4 * G, values: ["4Gi", "8Gi"] },
        "one of 4Gi, 8Gi, at least 4Gi",
      ],
      [{ type: "string", patterns: ["a"] }, ""],
    ] as [api.Constraints, string][]) {
      assert.equal(api.hint(of), want, JSON.stringify(of));
    }
  });

  await t.test("a deep object", () => {
    const nested = (levels: number) => `${`{"a":`.repeat(levels)}1${"}".repeat(levels)}`;
    assert.equal(validate(parseRules(cores), nested(999)).valid, false);
    assert.match(failing(() => validate(parseRules(cores), nested(2000))).message, /1,?000/);
    assert.match(
      failing(() => validate(parseRules(cores), "[".repeat(1e6))).message,
      /nested deeper than 1000 levels/,
    );
    assert.equal(validate(parseRules(cores), vmWith(8)).valid, true);
  });
});
