import { VmrulesError } from "./errors.js";

/**
 * ObjectInput is a VM, a template or another object of Kubernetes: an object, which counts as
 * JSON.stringify writes it, or the text of its JSON. In a text, numbers keep all digits, and a
 * key that appears twice is an error.
 */
export type ObjectInput = object | string;

/** textOf returns the JSON of an object; undefined if there is none. */
export function textOf(name: string, object: ObjectInput | null | undefined): string | undefined {
  if (object === undefined || object === null) {
    return undefined;
  }
  return typeof object === "string" ? wellFormed(name, object) : jsonOf(name, object);
}

/** jsonOf returns the JSON of a value. */
export function jsonOf(name: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new VmrulesError(`${name} cannot be written as JSON: ${error}`);
  }
  if (text === undefined) {
    throw new VmrulesError(`${name} is a ${typeof value}, which has no JSON`);
  }
  return text;
}

/** wellFormed returns a text if all of it can be written in UTF-8. */
export function wellFormed(name: string, text: unknown): string {
  if (typeof text !== "string") {
    throw new VmrulesError(
      `${name} is ${text === null ? "null" : `of type ${typeof text}`}: it must be a string`,
    );
  }
  if (!text.isWellFormed()) {
    throw new VmrulesError(`${name} has half of a surrogate pair, which is not a character`);
  }
  return text;
}
