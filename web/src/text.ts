import { VmrulesError } from "./errors.js";
import { checkedAs, plainOf } from "./plain.js";

/**
 * ObjectInput is a VM, a template or another object of Kubernetes: an object, which counts as
 * JSON.stringify writes it, or the text of its JSON. In a text, numbers keep all digits, and a key
 * that appears twice is an error. What JSON cannot write is refused: NaN, functions, Maps, promises.
 * Nor is an array such an object.
 */
export type ObjectInput =
  | string
  | { readonly [member: string]: unknown }
  | (object & {
      readonly [Symbol.iterator]?: never;
      readonly apply?: never;
      readonly then?: never;
    });

/** textOf returns the JSON of an object; undefined if there is none. */
export function textOf(name: string, object: ObjectInput | null | undefined): string | undefined {
  if (object === undefined || object === null) {
    return undefined;
  }
  return typeof object === "string" ? wellFormed(name, object) : textOfObject(name, object);
}

/** textsOf returns the JSON of several objects; undefined if they are not given. */
export function textsOf(
  name: string,
  objects: readonly ObjectInput[] | null | undefined,
): string[] | undefined {
  if (objects === undefined || objects === null) {
    return undefined;
  }
  if (!Array.isArray(objects)) {
    throw new VmrulesError(`the option ${name} must be an array of objects`);
  }
  const read = (one: ObjectInput | null | undefined, i: number) => {
    const item = `${name}[${i}]`;
    return textOf(item, one) ?? textOfObject(item, null);
  };
  return Array.from(objects, read);
}

/** textOfObject returns the JSON of a value that has to be an object in it. */
export function textOfObject(name: string, value: unknown): string {
  const plain = plainOf(name, value);
  if (
    plain !== undefined &&
    (typeof plain !== "object" || plain === null || Array.isArray(plain))
  ) {
    const kind = plain === null ? "null" : Array.isArray(plain) ? "an array" : `a ${typeof plain}`;
    throw new VmrulesError(`${name}: ${kind} is not an object`);
  }
  return written(name, plain);
}

/** jsonOf returns the JSON of a value, of as many bytes as one text may have, or of at most so many. */
export function jsonOf(name: string, value: unknown, most?: number): string {
  return written(name, plainOf(name, value, most));
}

function written(name: string, plain: unknown): string {
  if (plain === undefined) {
    throw new VmrulesError(`${name} is undefined, which has no JSON`);
  }
  return JSON.stringify(plain);
}

/** wellFormed returns a text if all of it can be written in UTF-8. */
export function wellFormed(name: string, text: unknown): string {
  if (typeof text !== "string") {
    throw new VmrulesError(
      `${name} is ${text === null ? "null" : `of type ${typeof text}`}: it must be a string`,
    );
  }
  return checkedAs(name, text);
}
