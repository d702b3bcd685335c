// Copies of what callers pass: each member is read once, and whatever JSON has no text for is an error.

import { textOfError, VmrulesError } from "./errors.js";

/** maxText limits the bytes of a text. Reading one takes up to a hundred times as much memory. */
const maxText = 4 << 20;

/** maxCall limits the bytes of a call, of which each text has its own limit. */
export const maxCall = 16 << 20;

const maxDepth = 1000; // levels, as in Go

/** A Place is where a value is: a member of the value of another place, or an argument with a name. */
interface Place {
  key: string | number;
  above: Place | undefined;
  value?: unknown;
  depth: number;
}

/** A Size is how many bytes of text may still follow. */
type Size = { left: number };

/** plainOf returns a value as its JSON has it: with toJSON called, and without getters. */
export function plainOf(name: string, value: unknown, most = maxText): unknown {
  const size = { left: most };
  return copyOf(value, { key: name, above: undefined, depth: 0 }, size);
}

/** checkedAs returns a text if it is not too long, and all of it can be written in UTF-8. */
export function checkedAs(name: string, text: string): string {
  const place = { key: name, above: undefined, depth: 0 };
  spend({ left: maxText }, text.length, place);
  return checkedText(text, place);
}

/** pathOf returns a place as JavaScript writes it, such as "the object.spec.disks[0]". */
function pathOf({ key, above }: Place): string {
  if (above === undefined) {
    return String(key);
  }
  if (typeof key === "string" && /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) {
    return `${pathOf(above)}.${key}`;
  }
  return `${pathOf(above)}[${JSON.stringify(key)}]`;
}

function wrong(place: Place, what: string, details: { code?: "too-long"; cause?: unknown } = {}) {
  const path = pathOf(place);
  const shown = path.length <= 200 ? path : `${path.slice(0, 100)}...${path.slice(-90)}`;
  return new VmrulesError(`${shown} ${what}`, details);
}

/** reading calls what reads a value, which callers may have made so that it throws. */
function reading<T>(place: Place, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof VmrulesError
      ? cause
      : wrong(place, `cannot be read: ${textOfError(cause)}`, { cause });
  }
}

/** spend counts the bytes of a text, of which there are at least so many. */
function spend(size: Size, bytes: number, place: Place): void {
  size.left -= bytes;
  if (size.left < 0) {
    const top = topOf(place);
    throw wrong(top, `has more than ${maxText} bytes`, { code: "too-long" });
  }
}

function topOf(place: Place): Place {
  return place.above ? topOf(place.above) : place;
}

function copyOf(value: unknown, place: Place, size: Size): unknown {
  const given = reading(place, () => withToJSON(value, place.key));
  if (given === null && value !== null && tagOf(value) === "[object Date]") {
    throw wrong(place, "is an invalid Date");
  }
  spend(size, typeof given === "string" ? given.length + 2 : 1, place);
  switch (typeof given) {
    case "string":
      return checkedText(given, place);
    case "number":
      if (!Number.isFinite(given)) {
        throw wrong(place, `is ${given}, which JSON does not have`);
      }
      return given;
    case "bigint":
    case "function":
    case "symbol":
      throw wrong(place, `is a ${typeof given}, which has no JSON`);
    case "object":
      return given === null ? null : reading(place, () => copyOfObject(given, place, size));
  }
  return given;
}

/** withToJSON returns what JSON writes instead of a value. */
function withToJSON(value: unknown, key: string | number): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "bigint") {
    return value;
  }
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, String(key)) : value;
}

function checkedText(text: string, place: Place): string {
  if (!text.isWellFormed()) {
    throw wrong(place, "has half of a surrogate pair, which is not a character");
  }
  return text;
}

function copyOfObject(value: object, place: Place, size: Size): unknown {
  place.value = value;
  if (place.depth >= maxDepth) {
    throw tooDeep(place);
  }
  const depth = place.depth + 1;
  if (Array.isArray(value)) {
    spend(size, value.length, place);
    return Array.from({ length: value.length }, (_, i) => {
      const item = { key: i, above: place, depth };
      return copyOf(
        reading(item, () => value[i]),
        item,
        size,
      );
    });
  }
  const names = Object.keys(value);
  if (!isPlain(value)) {
    const boxed = boxedIn(value);
    if (boxed !== undefined) {
      return copyOf(boxed, place, size);
    }
    refuseHidden(value, names, place);
  }
  const copy: { [name: string]: unknown } = {};
  for (const name of names) {
    const member = { key: name, above: place, depth };
    spend(size, name.length + 3, place);
    checkedText(name, member);
    const read = reading(member, () => (value as typeof copy)[name]);
    if (name === "toJSON" && typeof read === "function") {
      continue; // it has been called
    }
    const written = copyOf(read, member, size);
    if (name === "__proto__") {
      Object.defineProperty(copy, name, { value: written, enumerable: true });
    } else {
      copy[name] = written;
    }
  }
  return copy;
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** boxedIn returns what a Number, String or Boolean holds, which JSON writes. */
function boxedIn(value: object): unknown {
  const isBoxed = ["Number", "String", "Boolean"].some((of) => tagOf(value) === `[object ${of}]`);
  const held = isBoxed ? value.valueOf() : undefined;
  return typeof held === "object" ? undefined : held;
}

/** refuseHidden refuses an object that keeps all or some of it where JSON does not look. */
function refuseHidden(value: object, names: string[], place: Place): void {
  const isCollection = ["[object Map]", "[object Set]"].includes(tagOf(value));
  if (names.length === 0 || isCollection || ArrayBuffer.isView(value)) {
    throw wrong(place, `is ${classOf(value)}, of which JSON has nothing: use a plain object`);
  }
}

/** classOf returns the name of an object's class, with an article. */
export function classOf(value: object): string {
  if (Array.isArray(value)) {
    return "an array";
  }
  const made = value.constructor;
  const name = (typeof made === "function" && made.name) || "value of another class";
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

/** tooDeep returns the error for a value that is too deep, which may be because it contains itself. */
function tooDeep(place: Place): VmrulesError {
  const places: Place[] = [];
  for (let one: Place | undefined = place; one; one = one.above) {
    places.unshift(one);
  }
  const seen = new Set<unknown>();
  for (const one of places) {
    if (seen.has(one.value)) {
      return wrong(one, "contains itself");
    }
    seen.add(one.value);
  }
  return wrong(place, `is nested deeper than ${maxDepth} levels`);
}

/** isPlain reports whether an object is not of a class, in whatever window it was made. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
