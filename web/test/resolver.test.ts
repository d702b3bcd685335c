// The resolver without React: what react-hook-form asks of it, and how it answers.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { init, limits, parseRules, type Report, type Violation, validate } from "@vmrules/vmrules";
import {
  inputAt,
  type ResolverSettings,
  type Validator,
  vmrulesResolver,
} from "@vmrules/vmrules/resolver";
import { createFormControl, type FieldErrors, type ResolverOptions } from "react-hook-form";

const domain = "/spec/template/spec/domain";
const cores = { name: "cores", rule: "integer", path: "jsonpath::.spec.domain.cpu.cores" };
const memory = { name: "memory", rule: "integer", path: "jsonpath::.spec.domain.memory.guest" };
const host = { name: "host", rule: "string", path: "jsonpath::.spec.hostname" };
const all = [
  { ...cores, message: "the licence covers 8 cores", min: 1, max: 8 },
  { ...cores, name: "even", rule: "enum", values: [2, 4, 8], justWarning: true, message: "even" },
  { ...memory, message: "too little memory", min: "4Gi" },
  { ...host, message: "a name is needed" },
];

interface Values {
  cores?: number | undefined;
  memory?: string | undefined;
  host?: string | undefined;
}

const fields = {
  [`${domain}/cpu/cores`]: "cores",
  [`${domain}/memory/guest`]: "memory",
  "/spec/template/spec/hostname": "host",
} as const;

function vmOf({ cores, memory, host }: Values) {
  const domain = { cpu: { cores }, memory: { guest: memory } };
  return { kind: "VirtualMachine", spec: { template: { spec: { domain, hostname: host } } } };
}

before(() => init());

/** byField are settings that say which field is where, and leave out what the library adds to messages. */
const byField = { fields, text: ({ message }: Violation) => message };

/** judging returns a function that judges by rules, and what it was asked. */
function judging(...rules: object[]): { judge: Validator<Values>; asked: boolean[] } {
  const parsed = parseRules(JSON.stringify(rules));
  const asked: boolean[] = [];
  const judge: Validator<Values> = (values, { partial }) => {
    asked.push(partial);
    return validate(parsed, vmOf(values), { partial });
  };
  return { judge, asked };
}

/** answer returns the errors of a resolver for a form that has fields with these names. */
async function answer(
  judge: Validator<Values>,
  values: Values,
  names: readonly (keyof Values)[],
  settings: ResolverSettings<Values> = byField,
  more: Partial<ResolverOptions<Values>> = {},
): Promise<FieldErrors<Values>> {
  const options = { names: [...names], fields: {}, shouldUseNativeValidation: false, ...more };
  const result = await vmrulesResolver(judge, settings)(values, undefined, options);
  assert.equal(Object.keys(result.errors).length === 0, result.values === values);
  return result.errors as FieldErrors<Values>;
}

const names = ["cores", "memory", "host"] as const;
const good = { cores: 8, memory: "4Gi", host: "a" };

test("at submit, everything is judged, and each error is at its field", async () => {
  const { judge, asked } = judging(...all);
  assert.deepEqual(await answer(judge, { cores: 12, memory: "1Gi" }, names), {
    cores: { type: "max", message: "the licence covers 8 cores" },
    memory: { type: "min", message: "too little memory" },
    host: { type: "required", message: "a name is needed" },
  });
  assert.deepEqual(asked, [false]);
  assert.deepEqual(await answer(judge, good, names), {});
  const { cores } = await answer(judge, { cores: 12 }, names, { fields });
  assert.equal(cores?.message, "the licence covers 8 cores (12 is more than max 8)");
});

test("while somebody types, what is still missing is not wrong, and not right either", async () => {
  const { judge, asked } = judging(...all);
  const { cores, root, ...none } = await answer(judge, { cores: 12 }, ["cores"]);
  assert.deepEqual([cores?.type, root, none], ["max", undefined, {}]);
  assert.deepEqual(asked, [true]);
  // react-hook-form shows of this what is at the field, and takes from the rest that isValid is false.
  const missing = await answer(judge, { cores: 8 }, ["cores"]);
  assert.deepEqual(Object.keys(missing), ["root"]);
  assert.equal(missing.root?.type, "incomplete");
  assert.match(missing.root?.message ?? "", /memory.*\n.*a name is needed/);
  assert.deepEqual(asked, [true, true, false]);
  assert.deepEqual(await answer(judge, good, ["cores"]), {});
  assert.deepEqual(asked.slice(3), [true]);
});

test("what has no field is in root", async () => {
  const { judge } = judging(...all);
  const wrong = { cores: 12, memory: "1Gi" };
  const noHost = await answer(judge, wrong, ["cores", "memory"]);
  assert.equal(noHost.root?.message, "spec.template.spec.hostname: a name is needed");
  const unknown = await answer(judge, wrong, names, { fields: () => undefined });
  assert.deepEqual(Object.keys(unknown), ["root"]);
  assert.equal(unknown.root?.message?.split("\n").length, 3);
  const mount = (cores: boolean) => ({
    fields: { cores: { ref: { name: "cores" }, name: "cores" as const, mount: cores } },
  });
  const hidden = await answer(judge, wrong, names, { fields }, mount(false));
  assert.match(hidden.root?.message ?? "", /^spec.template.spec.domain.cpu.cores: the licence/);
  assert.equal((await answer(judge, wrong, names, { fields }, mount(true))).root, undefined);
});

test("a warning never blocks", async () => {
  const { judge } = judging(...all);
  const report = (await judge({ ...good, cores: 7 }, { partial: false })) as Report;
  assert.equal(report.results[1]?.outcome, "Warned");
  assert.deepEqual(await answer(judge, { ...good, cores: 7 }, names), {});
});

test("what was not validated is no pass, unless it is allowed", async () => {
  const argument = { ...all[0], max: "jsonpath::.metadata.labels.most" };
  const { judge } = judging(argument);
  const undecided = await answer(judge, good, names);
  assert.deepEqual(Object.keys(undecided), ["root"]);
  assert.match(undecided.root?.message ?? "", /the licence covers 8 cores/);
  assert.deepEqual(await answer(judge, good, names, { fields, allow: ["Argument"] }), {});
  assert.notDeepEqual(await answer(judge, good, names, { fields, allow: ["Bound"] }), {});

  const { judge: none } = judging();
  assert.match((await answer(none, good, names)).root?.message ?? "", /no rules/);
  assert.deepEqual(await answer(none, good, names, { fields, allow: ["NoRules"] }), {});

  const { judge: both } = judging(argument, { ...all[2] });
  const rest = await answer(both, { memory: "1Gi" }, names, { fields, allow: ["Argument"] });
  assert.deepEqual(Object.keys(rest), ["memory"]);
});

test("a report with parts left out is no pass", async () => {
  const { judge } = judging(...all);
  const report = (await judge({ ...good, cores: 12 }, { partial: false })) as Report;
  const results = report.results.map(({ violations: _, ...result }) => ({ ...result, omitted: 1 }));
  for (const lost of [
    { ...report, results: [], omitted: 4 },
    { ...report, results, targets: [] },
    { ...report, results: [], targets: [] },
    { ...report, valid: true, results: [], targets: [], omittedTargets: 1 },
  ]) {
    for (const allow of [[], ["NoRules"] as const]) {
      const { root } = await answer(() => lost, good, names, { fields, allow });
      assert.ok(root?.message);
    }
    assert.ok((await answer(() => lost, good, ["cores"])).root);
  }
});

test("a promise of a report, one that fails, and what is no report", async () => {
  const { judge } = judging(...all);
  const later: Validator<Values> = async (...args) => judge(...args);
  assert.equal((await answer(later, { cores: 12 }, names)).cores?.type, "max");
  for (const [failing, message] of [
    [() => Promise.reject(new TypeError("failed to fetch")), "failed to fetch"],
    [
      () => {
        throw new Error("not loaded");
      },
      "not loaded",
    ],
    [() => ({ error: "no such page" }) as never, "what validates the form returned no report"],
    [() => undefined as never, "what validates the form returned no report"],
  ] as [Validator<Values>, string][]) {
    for (const which of [names, ["cores"] as const]) {
      assert.deepEqual(await answer(failing, good, which), { root: { type: "failed", message } });
    }
  }
  const coded = () => Promise.reject(Object.assign(new Error("m"), { code: "wasm-forbidden" }));
  assert.equal((await answer(coded, good, names)).root?.type, "wasm-forbidden");
});

test("the name of a field is its pointer with dots, unless somebody says otherwise", async () => {
  const { judge } = judging(...all);
  const name = "spec.template.spec.domain.cpu.cores";
  const options = { names: [name], fields: {}, shouldUseNativeValidation: false };
  const result = await vmrulesResolver(judge as Validator<object>)(
    { cores: 12 },
    undefined,
    options as never,
  );
  const errors = result.errors as FieldErrors<ReturnType<typeof vmOf>>;
  assert.equal(errors.spec?.template?.spec?.domain?.cpu?.cores?.type, "max");
  const list = { ...cores, path: "jsonpath::.spec.disks[*].size", message: "m", max: 1 };
  const rules = parseRules(JSON.stringify([list]));
  const disks = vmrulesResolver((values: { spec: object }) =>
    validate(rules, { kind: "VirtualMachine", spec: { template: values } }),
  );
  const found = await disks({ spec: { disks: [{ size: 1 }, { size: 2 }] } }, undefined, {
    ...options,
    names: ["spec.template.spec.disks.0.size", "spec.template.spec.disks.1.size"] as never,
  });
  const spec = (found.errors as FieldErrors).spec as never as { template: { spec: { disks: [] } } };
  assert.ok(Array.isArray(spec.template.spec.disks));
  assert.deepEqual(Object.keys(spec.template.spec.disks), ["1"]);
});

test("all of what is wrong with a field, by rule, and other words", async () => {
  const { judge } = judging(
    { ...all[0], regex: "^1$" },
    { ...all[0], name: "b", message: "m", max: 4 },
  );
  assert.deepEqual(await answer(judge, { cores: 12 }, names, byField, { criteriaMode: "all" }), {
    cores: {
      type: "max",
      message: "the licence covers 8 cores",
      types: { cores: ["the licence covers 8 cores", "the licence covers 8 cores"], b: ["m"] },
    },
  });
});

test("rules with the names of what all objects have", async () => {
  const called = ["constructor", "toString", "__proto__"];
  const { judge } = judging(...called.map((name) => ({ ...all[0], name, min: undefined })));
  const { cores } = (await answer(judge, { cores: 12 }, names, byField, {
    criteriaMode: "all",
  })) as FieldErrors<Values>;
  assert.deepEqual(Object.keys(cores?.types ?? {}), called);
});

test("in a form of react-hook-form", async () => {
  const { judge, asked } = judging(...all);
  const { register, handleSubmit, setValue, subscribe } = createFormControl<Values>({
    resolver: vmrulesResolver(judge, { fields }),
    mode: "onChange",
  });
  let errors: FieldErrors<Values> = {};
  subscribe({
    formState: { errors: true },
    callback: (state) => {
      errors = state.errors ?? {};
    },
  });
  const inputs = { cores: register("cores"), memory: register("memory"), host: register("host") };
  const type = async (name: keyof Values, value: unknown) => {
    await inputs[name].onChange({ type: "change", target: { name, value } });
  };
  await type("cores", 12);
  assert.deepEqual([Object.keys(errors), errors.cores?.type], [["cores"], "max"]);
  await type("cores", 8);
  assert.deepEqual([Object.keys(errors), asked.includes(true)], [[], true]);
  let submitted: Values | undefined;
  const submit = handleSubmit((values) => {
    submitted = values;
  });
  asked.length = 0;
  await submit();
  assert.deepEqual(
    [submitted, asked, Object.keys(errors).sort()],
    [undefined, [false], ["host", "memory"]],
  );
  setValue("memory", "4Gi");
  setValue("host", "a");
  await submit();
  assert.deepEqual([submitted, errors], [good, {}]);
});

test("a form with one field does not pass what is missing", async () => {
  const { judge } = judging(all[0] as object);
  const { root } = await answer(judge, {}, ["cores"]);
  assert.equal(root, undefined); // cores is 1 if it is missing
  const { judge: strict } = judging(all[2] as object);
  const missing = await answer(strict, {}, ["memory"]);
  assert.match(missing.root?.message ?? "", /too little memory/);
});

test("the limits of an input", () => {
  const rules = parseRules(
    JSON.stringify([
      ...all,
      {
        ...cores,
        name: "again",
        path: "jsonpath::.spec.domain.cpu['cores']",
        min: 2,
        message: "m",
      },
      { ...host, name: "short", rule: "string", maxLength: 3, message: "m" },
      {
        ...host,
        name: "any",
        path: "jsonpath::.spec.os",
        rule: "enum",
        values: ["a", "b"],
        message: "m",
      },
      {
        ...host,
        name: "any2",
        path: "jsonpath::.spec['os']",
        rule: "enum",
        values: ["b", "c"],
        message: "m",
      },
    ]),
  );
  const vm = vmOf({ cores: 7 });
  const validation = {
    limits: limits(rules, vm, { partial: true }),
    report: validate(rules, vm, { partial: true }),
  };
  const at = (pointer: string) => inputAt(validation, pointer);
  assert.deepEqual(at(`${domain}/cpu/cores`), {
    ...{ isRequired: false, min: 2, max: 8 },
    helperText: "2 to 8; better one of 2, 4, 8",
    warnings: ['even (7 is not one of "2", "4", "8")'],
  });
  assert.deepEqual(at(`${domain}/memory/guest`), {
    ...{ isRequired: true, min: 2 ** 32, helperText: "at least 4Gi", warnings: [] },
  });
  assert.deepEqual(at("/spec/template/spec/hostname"), {
    ...{ isRequired: true, maxLength: 3, helperText: "at most 3 characters", warnings: [] },
  });
  assert.deepEqual(at("/spec/template/spec/os"), {
    ...{ isRequired: true, options: ["b"], helperText: "one of b", warnings: [] },
  });
  assert.deepEqual(at("/spec/other"), { isRequired: false, helperText: "", warnings: [] });
});
