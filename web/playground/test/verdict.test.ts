import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { init } from "@vmrules/vmrules";
import { analyse, reportOf } from "../src/analysis.js";
import { signOf, summaryOf } from "../src/report.js";

await init();

const rules = (max: number) =>
  `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": ${max}}]`;

const cpu = { cores: 4 };
const vmOf = (metadata: object, domain: object = { cpu }) => ({
  ...{ apiVersion: "kubevirt.io/v1", kind: "VirtualMachine" },
  ...{ metadata: { name: "vm", ...metadata }, spec: { template: { spec: { domain } } } },
});
const own = (annotation: string) => ({ annotations: { "vm.kubevirt.io/validations": annotation } });
const named = (name: string, namespace?: string) => ({
  labels: { "vm.kubevirt.io/template": name, "vm.kubevirt.io/template.namespace": namespace },
});
const template = (name: string, max: number, namespace?: string) => ({
  ...{ apiVersion: "template.openshift.io/v1", kind: "Template", metadata: { name, namespace } },
  objects: [vmOf(own(rules(max)))],
});
const listOf = (...items: object[]) => ({ apiVersion: "v1", kind: "List", items });
const skipping = `[{"name": "a", "rule": "string", "path": "jsonpath::.a", "valid": "jsonpath::.a", "message": "m"}]`;

const warning = `[{"name": "a", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "max": "jsonpath::.none", "justWarning": true, "message": "m"}]`;

/** texts returns the text of objects. */
function texts(of: string | object | object[]): string {
  return typeof of === "string"
    ? of
    : [of]
        .flat()
        .map((one) => JSON.stringify(one))
        .join("\n---\n");
}

function verdict(templates: string | object | object[], vms: string | object | object[] = "") {
  const { template, vm } = { template: texts(templates), vm: texts(vms) };
  const input = { texts: { template, vm, cluster: "" }, partial: false, ssp: false, values: {} };
  const analysis = analyse(input);
  return [signOf(analysis), summaryOf(analysis)];
}

const two = [template("small", 2), template("large", 8)];

// Nothing judged is never a pass, and no VM is judged by the rules of a template that it does not name.
for (const [name, templates, vms, sign, summary] of [
  [
    "the named template",
    two,
    vmOf(named("large", "n")),
    "good",
    "VirtualMachine vm: valid, 1 satisfied, by the template n/large.",
  ],
  [
    "the other",
    two,
    vmOf(named("small", "n")),
    "bad",
    "VirtualMachine vm: not valid, 1 violated, by the template n/small.",
  ],
  [
    "half a name",
    two,
    vmOf(named("large")),
    "good",
    "VirtualMachine vm: valid, 1 satisfied, by the template large.",
  ],
  [
    "of two namespaces",
    [template("t", 2, "a"), template("t", 8, "b")],
    vmOf(named("t", "b")),
    "good",
    "VirtualMachine vm: valid, 1 satisfied, by the template b/t.",
  ],
  [
    "half a name of two namespaces",
    [template("t", 2, "a"), template("t", 8, "b")],
    vmOf(named("t")),
    "bad",
    "VirtualMachine vm: not validated: the template t cannot be looked up: 2 templates here have that name, and not the same rules.",
  ],
  [
    "a list of templates",
    { apiVersion: "v1", kind: "List", items: two },
    vmOf(named("large", "n")),
    "good",
    "VirtualMachine vm: valid, 1 satisfied, by the template n/large.",
  ],
  [
    "a template that is not here",
    two,
    vmOf(named("none", "n")),
    "bad",
    "3 objects: 1 valid, 2 not.",
  ],
  [
    "another namespace",
    template("t", 8, "a"),
    vmOf(named("t", "b")),
    "bad",
    "VirtualMachine vm: not validated: the template b/t, which the VM names, is not there.",
  ],
  [
    "no name among several",
    two,
    vmOf({}),
    "unjudged",
    "VirtualMachine vm: not validated: it has no rules.",
  ],
  [
    "no name beside one",
    template("t", 8),
    vmOf({}),
    "good",
    "VirtualMachine vm: valid, 1 satisfied, by the template t.",
  ],
  ["no template", "", vmOf({}), "unjudged", "VirtualMachine vm: not validated: it has no rules."],
  [
    "its own rules",
    two,
    vmOf({ ...named("small", "n"), ...own(rules(8)) }),
    "good",
    "VirtualMachine vm: valid, 1 satisfied, by its own rules.",
  ],
  [
    "an exempt VM",
    two,
    vmOf({ annotations: { "vm.kubevirt.io/skip-validations": "" } }),
    "unjudged",
    "VirtualMachine vm: not validated: it is exempt.",
  ],
  [
    "an annotation alone",
    rules(8),
    vmOf(named("none", "n")),
    "good",
    "VirtualMachine vm: valid, 1 satisfied, by the annotation.",
  ],
  [
    "no rules in it",
    "[]",
    vmOf({}),
    "unjudged",
    "VirtualMachine vm: not validated: it has no rules.",
  ],
  [
    "rules that do not apply",
    skipping,
    vmOf({}),
    "unjudged",
    "VirtualMachine vm: not validated: no rule applies.",
  ],
  [
    "a warning that is undecided",
    warning,
    vmOf({}),
    "doubtful",
    "VirtualMachine vm: not validated: max cannot be read: jsonpath::.none is not there.",
  ],
  [
    "a broken annotation",
    "[{]",
    vmOf({}),
    "bad",
    'VirtualMachine vm: not validated: its rules cannot be read: line 1, column 3: "]" is not allowed here, where a key in double quotes is expected.',
  ],
  [
    "a broken template",
    "a: [",
    vmOf({}),
    "unjudged",
    "Not validated: The template cannot be read: see what is marked there.",
  ],
  [
    "a broken VM",
    two,
    "a: [",
    "unjudged",
    "Not validated: The VM cannot be read: see what is marked there.",
  ],
  [
    "a Pod",
    rules(8),
    { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } },
    "unjudged",
    "Pod p: not validated: it is no VM.",
  ],
  [
    "a Pod in place of a template",
    { apiVersion: "v1", kind: "Pod" },
    "",
    "unjudged",
    "Pod: not validated: it is no VM.",
  ],
  [
    "another API's VirtualMachine",
    rules(8),
    { ...vmOf({}), apiVersion: "example.org/v1" },
    "unjudged",
    "VirtualMachine vm: not validated: it is no VM.",
  ],
  [
    "a template itself",
    template("t", 2),
    "",
    "bad",
    "Template t: not valid, 1 violated, by its own rules.",
  ],
  [
    "a template without rules",
    { ...template("t", 2), objects: [vmOf({})] },
    "",
    "unjudged",
    "Template t: not validated: it has no rules.",
  ],
  [
    "a template whose second VM has no rules",
    { ...template("t", 4), objects: [vmOf(own(rules(4))), vmOf({})] },
    "",
    "unjudged",
    "Template t: valid, 1 satisfied, by its own rules. But objects[1]: it has no rules.",
  ],
  [
    "a template whose second object is no VM",
    { ...template("t", 4), objects: [vmOf(own(rules(4))), { kind: "Service" }] },
    "",
    "good",
    "Template t: valid, 1 satisfied, by its own rules.",
  ],
  [
    "a template with two VMs beside another template",
    two,
    { ...template("t", 4), objects: [vmOf(own(rules(4))), vmOf({})] },
    "unjudged",
    "Template t: valid, 1 satisfied, by its own rules. But objects[1]: it has no rules.",
  ],
  [
    "VMs in a list in a list, each by its own rules",
    two,
    listOf(listOf(vmOf(own(rules(4))), vmOf(own(rules(8))))),
    "good",
    "List: valid, 2 satisfied, by its own rules.",
  ],
  [
    "one of them names a template",
    two,
    listOf(listOf(vmOf(named("small", "n")), vmOf(own(rules(8))))),
    "bad",
    "List: not valid, 1 violated, 1 satisfied, by the template n/small and its own rules.",
  ],
  [
    "templates",
    [...two, { ...template("t", 2), objects: [] }, template("t", 9)],
    "",
    "bad",
    "4 templates: 2 valid, 1 not validated, 1 not.",
  ],
  [
    "a bundle of a template and a VM, beside another VM",
    [...two, vmOf({ ...named("large", "n"), name: "bundled" })],
    vmOf({ ...named("none", "n") }),
    "bad",
    "2 VMs: 1 valid, 1 not.",
  ],
  [
    "a bundle in place of the VM",
    template("other", 1),
    [...two, vmOf(named("large", "n"))],
    "bad",
    "3 objects: 2 valid, 1 not.",
  ],
  ["VMs", two, [vmOf(named("large")), vmOf({})], "unjudged", "2 VMs: 1 valid, 1 not validated."],
  ["nothing", "", "", "", "No VM to validate yet."],
] as const) {
  test(`judged by: ${name}`, () => {
    assert.deepEqual(verdict(templates, vms), [sign, summary]);
  });
}

test("a report for others has what the library says, and what was not validated", () => {
  const vms = texts([vmOf(named("large")), vmOf({}, { cpu: { cores: 1 } })]).replace(
    '"cores":4',
    '"cores":123456789012345678901',
  );
  const input = {
    texts: { template: texts(two), vm: vms, cluster: "" },
    ...{ partial: false, ssp: false, values: {} },
  };
  assert.equal(
    reportOf("text", input),
    `2 VMs: 1 not validated, 1 not valid.

VirtualMachine vm: not valid, 1 violated, by the template large
Violated cores: m
  spec.template.spec.domain.cpu.cores: 123456789012345678901 is more than max 8

VirtualMachine vm: not validated: it has no rules
`,
  );
  const json = reportOf("json", input);
  assert.match(json, /"value": 123456789012345678901,?\n/);
  const { valid, objects, problems } = JSON.parse(json);
  assert.deepEqual([valid, problems], [false, []]);
  assert.equal(objects[0].report.results[0].outcome, "Violated");
  assert.deepEqual(
    objects.map((one: object) => ({ ...one, report: 0 })),
    [
      {
        ...{ object: "VirtualMachine vm", by: "the template large", valid: false, report: 0 },
        says: "not valid, 1 violated, by the template large",
      },
      {
        ...{ object: "VirtualMachine vm", by: "", valid: true, report: 0 },
        says: "not validated: it has no rules",
      },
    ],
  );
});

test("while one types in a large text, places are those of a fresh reading", () => {
  const windows = readFileSync(
    new URL("../../../../testdata/quickstart/template.yaml", import.meta.url),
    "utf8",
  );
  const input = (template: string) => ({
    texts: { template, vm: "", cluster: "" },
    ...{ partial: false, ssp: true, values: {} },
  });
  analyse(input([windows, windows].join("---\n")));
  const typed = [`# é\n${windows}`, windows.replace("Windows needs", "Windows wants")].join(
    "---\n",
  );
  const { marks, verdicts } = analyse(input(typed));
  assert.deepEqual(verdicts.length, 2);
  const alone = analyse(input(`# é\n${windows}`)).marks;
  assert.deepEqual(marks.slice(0, alone.length), alone);
  for (const { from, to, fix } of marks) {
    assert.ok(
      from < to && to <= typed.length && (fix === undefined || (fix.from <= from && fix.to >= to)),
    );
  }
  const words = (all: typeof marks) => all.map(({ from, to }) => typed.slice(from, to));
  const [first, second] = [marks.slice(0, alone.length), marks.slice(alone.length)];
  assert.ok(first.length > 0);
  assert.deepEqual(words(second), words(first));
});
