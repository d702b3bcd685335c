// What people read in a form.

import { VmrulesError } from "./errors.js";
import type { JSONSchema } from "./form.js";
import { objectOf } from "./text.js";
import type { Constraints, Report, Violation } from "./types.js";

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** quantityOf returns a number of bytes as people write it, such as 512Mi for 536870912. */
function quantityOf(written: string): string {
  let unit = 0;
  let left = /^\d{4,30}$/.test(written) ? BigInt(written) : 0n;
  while (left > 0n && left % 1024n === 0n && unit < units.length - 1) {
    left /= 1024n;
    unit++;
  }
  return unit > 0 ? `${left}${units[unit]}` : written;
}

/** between says what two bounds are together; "" if there are none. */
function between(least: string | undefined, most: string | undefined, noun = ""): string {
  if (least !== undefined && most !== undefined) {
    return least === most ? `exactly ${least}${noun}` : `${least} to ${most}${noun}`;
  }
  if (least !== undefined) {
    return `at least ${least}${noun}`;
  }
  return most === undefined ? "" : `at most ${most}${noun}`;
}

/**
 * hint says in words what a field may hold, such as "at least 512Mi" or "1 to 8", before anything
 * is wrong with it: a field of a schema of `inputs` or `parameterInputs`, or `must` or `should` of
 * a Limit. It is "" if there are no bounds and no values. It leaves out regular expressions.
 */
export function hint(of: JSONSchema | Constraints): string {
  const { format, minimum, maximum, ...rest } = objectOf("the first argument", of) as JSONSchema;
  const { min = minimum, max = maximum, minLength, maxLength, values = rest.enum } = rest;
  const text = (value: unknown) => (value === undefined ? undefined : quantityOf(String(value)));
  const [, from, to] = quantity.exec(String(format)) ?? [];
  return [
    Array.isArray(values) ? `one of ${values.join(", ")}` : "",
    between(text(from ?? min), text(to ?? max)),
    between(text(minLength), text(maxLength), " characters"),
  ]
    .filter(Boolean)
    .join(", ");
}

const quantity = /^(?:integral-)?quantity(?:-from-(.+?))?(?:-to-(.+))?$/;

/**
 * withHints returns a schema of `inputs` or `parameterInputs` whose descriptions end with hints. A
 * generator of forms shows descriptions beside its inputs.
 */
export function withHints(schema: JSONSchema): JSONSchema {
  const says = objectOf("the schema", schema).enum === undefined ? hint(schema) : ""; // a choice is shown itself
  const copy = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, inside(keyword, value)]),
  );
  const { description } = schema;
  return says === ""
    ? copy
    : { ...copy, description: description ? `${description} (${says})` : says };
}

const ofSchemas = /^(items|prefixItems|allOf|anyOf|oneOf|if|then|else)$/;

function inside(keyword: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (keyword === "properties") {
    const all = Object.entries(value).map(([name, one]) => [name, withHints(one)]);
    return Object.fromEntries(all);
  }
  if (!ofSchemas.test(keyword)) {
    return value;
  }
  return Array.isArray(value) ? value.map((one) => withHints(one)) : withHints(value as JSONSchema);
}

/** ExtraErrors are errors by the names of fields, as react-jsonschema-form takes them. */
export interface ExtraErrors {
  __errors?: string[];
  [field: string]: ExtraErrors | string[] | undefined;
}

/**
 * extraErrors returns the violations of a report for `extraErrors` of react-jsonschema-form. With
 * `warnings`, it also returns the warnings, each of which begins with "Warning: ".
 */
export function extraErrors(report: Report, options: { warnings?: boolean } = {}): ExtraErrors {
  const { warnings } = objectOf("the options", options);
  const all: ExtraErrors = {};
  for (const violation of violationsOf(report)) {
    if (violation.warning && !warnings) {
      continue;
    }
    let at = all;
    for (const token of tokensOf(violation.pointer ?? "")) {
      if (!Object.hasOwn(at, token)) {
        Object.defineProperty(at, token, { value: {}, enumerable: true });
      }
      at = at[token] as ExtraErrors;
    }
    at.__errors = [...(at.__errors ?? []), sentenceOf(violation)];
  }
  return all;
}

/** sentenceOf says in a line what is wrong: "1 to 8 GiB of memory (9Gi is more than max 8Gi)". */
function sentenceOf({ message, detail, limit, warning }: Violation): string {
  const shown = typeof limit === "number" ? detail.replace(String(limit), quantityOf) : detail;
  return `${warning ? "Warning: " : ""}${message === "" ? shown : `${message} (${shown})`}`;
}

/** violationsOf returns the violations and warnings of a report. */
export function violationsOf(report: Report): Violation[] {
  if (!Array.isArray(report?.results)) {
    throw new VmrulesError("the first argument must be a Report, which validate returns");
  }
  return report.results.flatMap((result) => result.violations ?? []);
}

function tokensOf(pointer: string): string[] {
  const tokens = pointer.split("/").slice(1);
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
