import { VmrulesError } from "./errors.js";

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
  return typeof object === "string" ? wellFormed(name, object) : jsonOf(name, object);
}

/** textsOf returns the JSON of several objects; undefined if they are not given. */
export function textsOf(
  name: string,
  objects: readonly ObjectInput[] | null | undefined,
): string[] | undefined {
  if (objects && !Array.isArray(objects)) {
    throw new VmrulesError(`the option ${name} must be an array of objects`);
  }
  return objects?.map((one, i) => textOf(`${name}[${i}]`, one) ?? "null");
}

/** jsonOf returns the JSON of a value. */
export function jsonOf(name: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new VmrulesError(`${name} cannot be written as JSON: ${cause}`, { cause });
  }
  if (text === undefined) {
    throw new VmrulesError(`${name} is a ${typeof value}, which has no JSON`);
  }
  const [path, what] = unwritten(value) ?? [];
  if (what) {
    throw new VmrulesError(`${name}${path} is ${what}`);
  }
  return text;
}

/**
 * unwritten returns where there is a value that JSON writes as nothing, or as null, and what it is:
 * NaN, a function, a Map, a typed array, or an object that keeps everything in private members.
 */
function unwritten(value: unknown): [path: string, what: string] | undefined {
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : ["", `${value}, which JSON does not have`];
  }
  if (typeof value === "function" || typeof value === "symbol") {
    return ["", `a ${typeof value}, which has no JSON`];
  }
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    const written: unknown = value.toJSON("");
    return written === value ? undefined : unwritten(written);
  }
  const names = Object.keys(value);
  const isEmpty = names.length === 0 && !Array.isArray(value) && !isPlain(value);
  if (ArrayBuffer.isView(value) || (isEmpty && typeof value.valueOf() === "object")) {
    const kind = value.constructor?.name || "value of another class";
    return ["", `a ${kind}, of which JSON has nothing: use a plain object`];
  }
  for (const name of names) {
    const found = unwritten((value as { [name: string]: unknown })[name]);
    if (found) {
      return [`.${name}${found[0]}`, found[1]];
    }
  }
  return undefined;
}

/** isPlain reports whether an object is not of a class, in whatever window it was made. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
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

/** types are those of all options. */
const types: { [option: string]: string } = {
  strict: "boolean",
  version: "string",
  root: "string",
  profile: "string",
  partial: "boolean",
  ratcheting: "boolean",
  defaults: "object",
};

/** objectOf returns an argument that has to be an object. */
export function objectOf<T extends object>(name: string, value: T): T {
  if (typeof value !== "object" || value === null) {
    throw new VmrulesError(`${name} must be an object`);
  }
  return value;
}

/** checked returns the options of a call, of which some may be given. */
export function checked<Options extends object>(options: Options, ...names: string[]): Options {
  objectOf("the options", options);
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) {
      throw new VmrulesError(`there is no option "${name}" here: there are ${names.join(", ")}`);
    }
    if (value !== undefined && typeof value !== types[name]) {
      throw new VmrulesError(`the option ${name} must be a ${types[name]}, not ${typeof value}`);
    }
  }
  return options;
}
