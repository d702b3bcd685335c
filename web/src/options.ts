import { textOfError, VmrulesError } from "./errors.js";
import { classOf, isPlain } from "./plain.js";

/** Kinds are the options that a function takes, with the types of those that are not checked elsewhere. */
export type Kinds = { readonly [option: string]: "boolean" | "string" | "any" };

/** plainObject returns an argument that has to be a plain object. */
export function plainObject<T extends object>(name: string, value: T): T {
  if (typeof value !== "object" || value === null) {
    throw new VmrulesError(`${name} must be an object`);
  }
  try {
    if (Array.isArray(value) || !isPlain(value)) {
      throw new VmrulesError(`${name} must be a plain object, not ${classOf(value)}`);
    }
  } catch (cause) {
    throw cause instanceof VmrulesError ? cause : unreadable(name, cause);
  }
  return value;
}

function unreadable(name: string, cause: unknown): VmrulesError {
  return new VmrulesError(`${name} cannot be read: ${textOfError(cause)}`, { cause });
}

/** optionsOf returns the options of a call, each of which is read once. */
export function optionsOf<Options extends object>(
  options: Options,
  kinds: Kinds,
  what = "the options",
): Options {
  plainObject(what, options);
  try {
    for (const name of Object.keys(options)) {
      if (!Object.hasOwn(kinds, name)) {
        const all = Object.keys(kinds).join(", ");
        throw new VmrulesError(`there is no option "${name}" here: there are ${all}`);
      }
    }
    const entries = Object.entries(kinds).filter(([name]) => name in options);
    return Object.fromEntries(
      entries.map(([name, kind]) => [name, optionOf(options, name, kind)]),
    ) as Options;
  } catch (cause) {
    throw cause instanceof VmrulesError ? cause : unreadable(what, cause);
  }
}

function optionOf(options: object, name: string, kind: Kinds[string]): unknown {
  if (!Object.hasOwn(options, name)) {
    const cure = "it must be a member of the options themselves";
    throw new VmrulesError(`the option ${name} is inherited: ${cure}`);
  }
  let value: unknown;
  try {
    value = options[name as keyof typeof options];
  } catch (cause) {
    throw unreadable(`the option ${name}`, cause);
  }
  if (value !== undefined && kind !== "any" && typeof value !== kind) {
    throw new VmrulesError(`the option ${name} must be a ${kind}, not ${typeof value}`);
  }
  return value;
}
