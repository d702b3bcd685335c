// What people read in a form.

import { VmrulesError } from "./errors.js";
import { plainObject } from "./options.js";
import { plainOf } from "./plain.js";
import type { Constraints } from "./types.js";

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
 * is wrong with it: `must` or `should` of a Limit or a Parameter. It is "" if there are no bounds
 * and no values. It leaves out regular expressions.
 */
export function hint(of: Constraints): string {
  const name = "the first argument";
  const { values, ...bounds } = plainOf(name, plainObject(name, of)) as Constraints;
  if ("must" in bounds || "should" in bounds) {
    throw new VmrulesError(`${name} is a Limit or a Parameter: pass its must or its should`);
  }
  if (values !== undefined && !Array.isArray(values)) {
    throw new VmrulesError(`${name}.values must be an array`);
  }
  const { min, max, minLength, maxLength } = bounds;
  const text = (value: unknown) => {
    if (typeof value === "object") {
      throw new VmrulesError(`${name} has a bound that is no number, string or boolean`);
    }
    return value === undefined ? undefined : quantityOf(String(value));
  };
  return [
    values ? `one of ${values.join(", ")}` : "",
    between(text(min), text(max)),
    between(text(minLength), text(maxLength), " characters"),
  ]
    .filter(Boolean)
    .join(", ");
}
