// What every export says of every object of testdata/edges, where web.json expects it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import * as api from "@vmrules/vmrules";
import { root } from "./browser.js";

type Given = object | undefined;

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../testdata/edges/${name}.json`, root), "utf8"));
const { objects, templates } = read("objects");
const expected: { [edge: string]: { [object: string]: string } } = read("web");

const cores = `[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores",
  "message": "at least 2 cores", "min": 2}]`;

function said({ valid, passed, targets }: api.Report): string {
  const became = targets.map(({ coverage, doubt }) => (doubt ? `${coverage} ${doubt}` : coverage));
  return `${valid ? "valid" : "not valid"}${passed ? ", passed" : ""}: ${became.join(", ")}`;
}

function details(report: api.Report): string {
  const pointer = "/spec/template/spec/domain/cpu/cores";
  return api.violationsAt(report, pointer).map(({ detail }) => detail)[0] ?? "";
}

const edges: { [edge: string]: (object: Given) => string } = {
  "npm validateOwn": (object) => said(api.validateOwn(object, { templates })),
  "npm validateOwn with partial": (object) =>
    said(api.validateOwn(object, { templates, partial: true })),
  "npm validateOwn with no template": (object) => said(api.validateOwn(object, { templates: [] })),
  "npm validateOwn without templates": (object) => said(api.validateOwn(object)),
  "npm validate": (object) => said(api.validate(api.parseRules(cores), object)),
  "npm validate without rules": (object) => said(api.validate(api.parseRules(""), object)),
  "npm violationsAt": (object) => details(api.validateOwn(object, { templates })),
};

/** others say why an export is no edge. */
const others: { [name: string]: string } = {
  VmrulesError: "is no function",
  Rules: "judges single values, which api.test.ts checks",
  init: "takes no object",
  parseRules: "takes no object",
  lint: "takes no object",
  checks: "takes no object",
  knownFields: "takes no object",
  hint: "takes no object",
  jsonText: "returns what another function has returned",
  rulesFor: "judges nothing: it returns Rules, or throws if the template is not given",
  limits: "judges nothing: it says what fields may hold",
  schema: "judges nothing: it says what fields may hold",
  parameters: "judges nothing: it says what parameters may hold",
  fill: "judges nothing: it returns the template",
  expand: "judges nothing: it returns the VM",
  checkRequirements: "judges by no rules",
};

before(() => api.init());

test("every export is an edge, or there is a reason", () => {
  const named = Object.keys(edges).map((edge) => edge.split(" ")[1] ?? "");
  const known = new Set([...named, ...Object.keys(others)]);
  assert.deepEqual([...known].sort(), Object.keys(api).sort());
});

test("every edge says of every object what is expected", () => {
  const got: typeof expected = {};
  for (const [edge, call] of Object.entries(edges)) {
    const known: { [name: string]: Given } = {};
    got[edge] = {};
    for (const { name, object, of } of objects) {
      const items = of?.map((one: string) => known[one]);
      known[name] = of ? { apiVersion: "v1", kind: "List", items } : object;
      got[edge][name] = call(known[name]);
    }
  }
  const wanted = Object.entries(expected).filter(([edge]) => !edge.startsWith("playground"));
  assert.deepEqual(got, Object.fromEntries(wanted));
});
