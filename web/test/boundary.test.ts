// What the functions say of arguments that are not what they seem: always a VmrulesError, with the place.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as api from "@vmrules/vmrules";

const cores = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
  "message": "1 to 8 cores", "min": 1, "max": 8}]`;
const vmWith = (cpu: object): object => ({ spec: { template: { spec: { domain: { cpu } } } } });
const template = { kind: "Template", apiVersion: "template.openshift.io/v1", objects: [] };
const at = (place: string) => `${place}.spec.template.spec.domain.cpu`;

let rules: api.Rules;

before(async () => {
  await api.init();
  rules = api.parseRules(cores);
});

/** failing returns what a call throws, which must be a VmrulesError. */
function failing(call: () => unknown): api.VmrulesError {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof api.VmrulesError, String((error as Error)?.stack));
    return error;
  }
  assert.fail("there is no error");
}

/** throwing is an object with a member that can be read a number of times. */
function throwing(times: number): object {
  let left = times;
  const get = () => {
    if (left-- > 0) {
      return 8;
    }
    throw new RangeError("no more");
  };
  return Object.defineProperty({}, "cores", { get, enumerable: true });
}

test("what can be read once is read once", () => {
  assert.equal(api.validate(rules, vmWith(throwing(1))).valid, true);
  let asked = 0;
  const cpu = { toJSON: () => (asked++ ? assert.fail("asked again") : { cores: 8 }) };
  assert.equal(api.validate(rules, vmWith(cpu)).valid, true);
  const options = {
    get partial() {
      return (throwing(1) as { cores: unknown }).cores === 8;
    },
  };
  assert.equal(api.validate(rules, {}, options).valid, true);
});

test("what cannot be read is an error with its place", () => {
  const error = failing(() => api.validate(rules, vmWith(throwing(0))));
  assert.equal(error.message, `${at("the object")}.cores cannot be read: RangeError: no more`);
  assert.ok(error.cause instanceof RangeError);
  const fails = () => {
    throw Object.create(null);
  };
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const [cpu, place] of [
    [new Proxy({ cores: 1 }, { get: fails }), ""],
    [new Proxy({ cores: 1 }, { get: (_, name) => name === "cores" && fails() }), ".cores"],
    [new Proxy({ cores: 1 }, { ownKeys: fails }), ""],
    [new Proxy({ cores: 1 }, { getPrototypeOf: fails }), ""],
    [{ cores: revoked }, ".cores"],
    [{ toJSON: fails }, ""],
    [{ "a b": [throwing(0)] }, '["a b"][0].cores'],
  ] as [object, string][]) {
    const calls: { [name: string]: () => unknown } = {
      "the object": () => api.validate(rules, vmWith(cpu)),
      vm: () => api.expand(vmWith(cpu), {}),
      template: () => api.rulesFor({}, vmWith(cpu)),
      oldObject: () => api.validate(rules, {}, { oldObject: vmWith(cpu) }),
      "templates[1]": () => api.validateOwn({}, { templates: [template, vmWith(cpu)] }),
      "the option defaults": () =>
        api.validate(rules, {}, { defaults: vmWith(cpu) as object as never }),
      "the value": () => rules.check(0, vmWith(cpu)),
      values: () => api.fill(template, vmWith(cpu) as never),
    };
    for (const [name, call] of Object.entries(calls)) {
      const { message } = failing(call);
      assert.ok(message.startsWith(`${at(name)}${place} cannot be read: `), message);
    }
  }
});

test("what JSON has no text for, or another one, is an error with its place", () => {
  const cyclic: { a: object[] } = { a: [] };
  cyclic.a.push(cyclic);
  let nested: object = { cores: 1 };
  for (let i = 0; i < 1000; i++) {
    nested = { a: nested };
  }
  const endless = (): object =>
    new Proxy({ a: 1, b: 1 }, { get: (_, name) => (name === "toJSON" ? undefined : endless()) });
  let shared: object = {};
  for (let i = 0; i < 50; i++) {
    shared = { a: shared, b: shared };
  }
  for (const [cpu, says] of [
    [{ cores: "\ud800" }, ".cores has half of a surrogate pair, which is not a character"],
    [{ "\udfff": 1 }, '["\\udfff"] has half of a surrogate pair, which is not a character'],
    [cyclic, ".a[0] contains itself"],
    [{ cores: 1n }, ".cores is a bigint, which has no JSON"],
    [{ cores: new Number(NaN) }, ".cores is NaN, which JSON does not have"],
    [{ cores: new Date(NaN) }, ".cores is an invalid Date"],
    [{ cores: Object.assign(new Map(), { a: 1 }) }, ".cores is a Map, of which JSON has nothing"],
    [{ cores: new Error("e") }, ".cores is an Error, of which JSON has nothing"],
    [
      { cores: Object.create(Object.create(Object.create(null))) },
      ".cores is a value of another class, of which JSON has nothing",
    ],
  ] as [object, string][]) {
    const { message } = failing(() => api.validate(rules, vmWith(cpu)));
    assert.ok(message.startsWith(`${at("the object")}${says}`), message);
  }
  for (const wide of [shared, new Array(1e9), new Array(1000).fill("x".repeat(1e4))]) {
    assert.equal(failing(() => api.validate(rules, { a: wide })).code, "too-long");
  }
  for (const deep of [nested, endless()]) {
    const { message } = failing(() => api.validate(rules, { spec: deep }));
    assert.match(message, /^the object\.spec\.a\.a\..* is nested deeper than 1000 levels$/);
    assert.ok(message.length < 300);
  }
});

test("what is a member in JSON is a member here", () => {
  for (const cpu of [
    { cores: new Number(8) },
    JSON.parse('{"__proto__": {"cores": 9}, "cores": 8}'),
    { cores: 8, __errors: [] },
    Object.assign(Object.create(Object.create(null)), { cores: 8 }),
    { cores: 8, sockets: undefined, threads: null },
    { cores: 8, when: new Date(0) },
  ]) {
    assert.equal(api.validate(rules, vmWith(cpu)).valid, true);
  }
  const own = JSON.parse('{"kind": "Template", "objects": [{"__proto__": {"a": 1}}]}');
  assert.match(JSON.stringify(api.fill({ ...template, ...own })), /"__proto__":\{"a":1\}/);
});

test("no line and column of a text that nobody wrote", () => {
  for (const [object, says] of [
    [[], "the object: an array is not an object"],
    [{ toJSON: () => "{}" }, "the object: a string is not an object"],
    [{ toJSON: () => undefined }, "the object is undefined, which has no JSON"],
    [7, "the object: a number is not an object"],
    [true, "the object: a boolean is not an object"],
    [Symbol("s"), "the object is a symbol, which has no JSON"],
  ] as [never, string][]) {
    assert.equal(failing(() => api.validate(rules, object)).message, says);
  }
  assert.match(failing(() => api.validate(rules, "[]")).message, /^object: .*line 1, column 1/s);
});

test("options are members of a plain object", () => {
  const inherited = Object.assign(Object.create(null), { partial: true });
  class Options {
    partial = true;
  }
  for (const [options, says] of [
    [[], "the options must be a plain object, not an array"],
    [new Map([["partial", true]]), "the options must be a plain object, not a Map"],
    [new Options(), "the options must be a plain object, not an Options"],
    [Object.create({ partial: true }), "the options must be a plain object"],
    [
      Object.create(inherited),
      "the option partial is inherited: it must be a member of the options",
    ],
    [() => 1, "the options must be an object"],
    ["partial", "the options must be an object"],
    [throwing(0), 'there is no option "cores" here'],
    [
      {
        get partial() {
          throw new Error("no");
        },
      },
      "the option partial cannot be read: Error: no",
    ],
    [{ oldObject: 1 }, "oldObject: a number is not an object"],
    [{ defaults: [] }, "the option defaults: an array is not an object"],
    [{ instancetypes: {} }, "the option instancetypes must be an array of objects"],
    [{ instancetypes: [null] }, "instancetypes[0]: null is not an object"],
  ] as [never, string][]) {
    for (const call of [
      () => api.validate(rules, {}, options),
      () => api.validateOwn({}, options),
      () => api.limits(rules, {}, options),
    ]) {
      const { message } = failing(call);
      assert.ok(message.startsWith(says), message);
    }
  }
  for (const call of [
    (wrong: never) => api.parseRules(cores, wrong),
    (wrong: never) => api.lint(cores, wrong),
    (wrong: never) => api.parameters(template, wrong),
    (wrong: never) => rules.check(0, 1, wrong),
    (wrong: never) => api.expand({}, wrong),
    (wrong: never) => api.hint(wrong),
  ]) {
    for (const wrong of [[], new Map(), "x", 1, null]) {
      assert.match(failing(() => call(wrong as never)).message, /must be an? (plain )?object/);
    }
  }
});

test("an unknown option lists all that there are", () => {
  const all = "partial, ratcheting, oldObject, instancetype, preference, instancetypes, defaults";
  for (const [call, names] of [
    [(o: object) => api.validate(rules, {}, o), all],
    [(o: object) => api.validateOwn({}, o), `${all}, templates, strict, version`],
    [(o: object) => api.parseRules(cores, o), "strict, version, root"],
    [(o: object) => api.lint(cores, o), "strict, version, root, profile"],
    [(o: object) => rules.check(0, 1, o), "partial, defaults"],
    [(o: object) => api.expand({}, o), "instancetype, preference"],
  ] as [(options: object) => unknown, string][]) {
    assert.match(
      failing(() => call({ instanceType: {} })).message,
      new RegExp(`"instanceType" here: there are ${names}$`),
    );
  }
});

function cyclicPointer(): object {
  const pointer: { own?: object } = {};
  pointer.own = pointer;
  return pointer;
}

test("rules and reports that are something else", () => {
  const notRules = /^the first argument must be Rules/;
  for (const wrong of [new Proxy(rules, {}), Object.create(api.Rules.prototype), null, {}]) {
    assert.match(failing(() => api.validate(wrong, {})).message, notRules);
  }
  assert.match(failing(() => new Proxy(rules, {}).check(0, 1)).message, /proxy/);
  const report = /^the first argument must be a Report/;
  for (const wrong of [null, { results: [null] }, new Proxy([], { get: () => assert.fail() })]) {
    assert.match(failing(() => api.violationsAt(wrong as never, "")).message, report);
  }
  for (const wrong of [1n, Symbol("s"), cyclicPointer(), "a"]) {
    assert.match(
      failing(() => api.violationsAt({} as never, wrong as never)).message,
      /JSON Pointer/,
    );
  }
  for (const of of [{ values: 1 }, { min: Object.create(null) }, { min: Symbol("s") }]) {
    assert.match(failing(() => api.hint(of as never)).message, /^the first argument/);
  }
  assert.match(failing(() => api.jsonText(1 as never)).message, /^jsonText takes/);
});

test("a text that is too long is refused by its name", () => {
  const long = JSON.stringify({ a: "x".repeat(4 << 20) });
  const error = failing(() => api.validateOwn({}, { templates: ["{}", long] }));
  assert.equal(error.code, "too-long");
  assert.equal(error.message, "templates[1] has more than 4194304 bytes");
});
