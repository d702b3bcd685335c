// What the page says of every object of testdata/edges, and in which colour, where web.json expects it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { init } from "@vmrules/vmrules";
import { analyse, reportOf } from "../src/analysis.js";
import { formState } from "../src/forms.js";
import type { Input, Operation } from "../src/protocol.js";
import { signOf, summaryOf } from "../src/report.js";

await init();

const read = (name: string) =>
  JSON.parse(
    readFileSync(new URL(`../../../../testdata/edges/${name}.json`, import.meta.url), "utf8"),
  );
const { objects, templates } = read("objects");
const expected: { [edge: string]: { [object: string]: string } } = read("web");

const colours = { good: "green", bad: "red", doubtful: "yellow", unjudged: "grey", "": "none" };

function line(input: Input): string {
  const analysis = analyse(input);
  return `${colours[signOf(analysis)]}: ${summaryOf(analysis)}`;
}

const edges: { [edge: string]: (input: Input) => string } = {
  playground: line,
  "playground with partial": (input) => line({ ...input, partial: true }),
  "playground report": (input) => {
    const { valid, objects } = JSON.parse(reportOf("json", input));
    return `${valid}: ${objects.map((one: { valid: boolean }) => one.valid).join(", ")}`;
  },
  "playground form": (input) => {
    const { fields, sign, problem } = formState("form", input, 0);
    return problem ?? `${colours[sign]}: ${fields.map(({ label }) => label).join(", ")}`;
  },
};

/** operations say where each operation of the page's worker is tried; a new one does not compile. */
const operations: { [name in Operation]: string } = {
  ...{ analyse: "playground", report: "playground report", form: "playground form" },
  ...{ edit: "judges nothing", format: "judges nothing", complete: "judges nothing" },
};

test("every operation is an edge, or there is a reason", () => {
  for (const edge of Object.values(operations)) {
    assert.ok(edge in edges || edge === "judges nothing");
  }
});

test("every edge says of every object what is expected", () => {
  const got: typeof expected = {};
  for (const [edge, call] of Object.entries(edges)) {
    const known: { [name: string]: object | undefined } = {};
    got[edge] = {};
    for (const { name, object, of } of objects) {
      const items = of?.map((one: string) => known[one]);
      known[name] = of ? { apiVersion: "v1", kind: "List", items } : object;
      const vm = known[name] ? JSON.stringify(known[name]) : "";
      const template = vm && JSON.stringify({ kind: "List", items: templates });
      const texts = { template, vm, cluster: "" };
      got[edge][name] = call({ texts, partial: false, ssp: false, values: {} });
    }
  }
  const wanted = Object.entries(expected).filter(([edge]) => edge.startsWith("playground"));
  assert.deepEqual(got, Object.fromEntries(wanted));
});
