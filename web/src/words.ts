// What people read in a form.

import { VmrulesError } from "./errors.js";
import { plainObject } from "./options.js";
import { plainOf } from "./plain.js";
import type { Constraints } from "./types.js";

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** boundOf returns a bound as people write it, such as 512Mi for 536870912. Less than 1Mi may be a port. */
function boundOf(bound: number | string): string {
  const bytes = Number(bound);
  if (!Number.isInteger(bytes) || bytes < 2 ** 20 || bytes >= 2 ** 70) {
    return String(bound);
  }
  let [left, unit] = [bytes, 0]; // dividing by 1024 is exact
  while (left % 1024 === 0 && unit < units.length - 1) {
    left /= 1024;
    unit++;
  }
  return unit > 0 ? `${left}${units[unit]}` : String(bound);
}

type Shown = string | undefined;

/** between says what two bounds are together; "" if there are none. */
function between(least: Shown, most: Shown, noun = ""): string {
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
 * is wrong with it: `must` or `should` of a Limit or a Parameter. It is "" if there are no bounds
 * and no values. It leaves out regular expressions.
 */
export function hint(of: Constraints): string {
  const name = "the first argument";
  plainObject(name, of);
  const { values, ...bounds } = plainOf(name, { toJSON: () => finite(of) }) as Constraints;
  if ("must" in bounds || "should" in bounds) {
    throw new VmrulesError(`${name} is a Limit or a Parameter: pass its must or its should`);
  }
  if (values !== undefined && !Array.isArray(values)) {
    throw new VmrulesError(`${name}.values must be an array`);
  }
  const { min, max, minLength, maxLength } = bounds;
  const show = (value: unknown, write: (bound: number | string) => string) => {
    if (typeof value === "object") {
      throw new VmrulesError(`${name} has a bound that is no number, string or boolean`);
    }
    return value === undefined ? undefined : write(value as number);
  };
  const among = values?.length ? `one of ${values.join(", ")}` : "no value";
  return [
    values ? among : "",
    between(show(min, boundOf), show(max, boundOf)),
    between(show(minLength, String), show(maxLength, String), " characters"),
  ]
    .filter(Boolean)
    .join(", ");
}

/** finite returns constraints without the bounds beyond all numbers, which everything or nothing keeps. */
function finite(of: Constraints): object {
  const isKept = ([key, b]: [string, unknown]) =>
    !(key === "min" && b === -Infinity) && !(key === "max" && b === Infinity);
  const entries = Object.entries(of).filter(isKept);
  const isText = (b: unknown) => b === Infinity || b === -Infinity;
  return Object.fromEntries(entries.map(([key, b]) => [key, isText(b) ? String(b) : b]));
}
