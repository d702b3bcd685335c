import { call, GoneError, starts, type Texts } from "./engine.js";
import { VmrulesError } from "./errors.js";
import { checked, jsonOf, type ObjectInput, textOf, wellFormed } from "./text.js";
import type { Root, Rule, Source, TemplateName, Version, Violation } from "./types.js";

/** ParseOptions change how an annotation is read. */
export interface ParseOptions {
  /** strict reports unknown keys, unknown kinds and rules without arguments as problems. */
  strict?: boolean;
  /** version is that of the annotation: "201902-2" if it is not given. */
  version?: Version;
  /** root is what the rules call $: "" for the spec.template of a VM, "object" for the whole object. */
  root?: Root;
}

/** parseOptions are the names of ParseOptions. */
export const parseOptions = ["strict", "version", "root"];

/** Read is the answer to a request for rules: their number, for other requests, and how many. */
interface Read {
  rules: number;
  length: number;
}

/**
 * Rules are the rules of an annotation, read and checked. They need not be released: the library
 * keeps those that were used last, and reads others again.
 */
export class Rules {
  readonly #read: () => Read;
  #known: Read;
  #start: number;

  private constructor(read: () => Read) {
    this.#read = read;
    this.#known = read();
    this.#start = starts();
  }

  /** @internal */
  static of(read: () => Read): Rules {
    return new Rules(read);
  }

  /** length is the number of rules. */
  get length(): number {
    return this.#known.length;
  }

  /** toJSON returns the rules as an annotation of version 201902-2 has them. */
  toJSON(): Rule[] {
    return this.use("rulesOf", {}, {});
  }

  /**
   * check judges a value, for instance what a user types, by the rule at an index. It returns what
   * is wrong with it, and an empty list if nothing is. A value of null or undefined is missing, and
   * counts as the default of its field, if that has one. It throws a VmrulesError if the rule needs
   * an object, because an argument is a path.
   */
  check(index: number, value: unknown): Violation[] {
    return this.use("check", { index }, { value: jsonOf("the value", value ?? null) });
  }

  /** @internal */
  use<Result>(operation: string, settings: object, texts: Texts): Result {
    if (this.#start === starts()) {
      try {
        return call(operation, { ...settings, rules: this.#known.rules }, texts);
      } catch (error) {
        if (!(error instanceof GoneError)) {
          throw error;
        }
      }
    }
    this.#known = this.#read();
    this.#start = starts();
    return call(operation, { ...settings, rules: this.#known.rules }, texts);
  }
}

/** rulesIn returns Rules if a value is any. */
export function rulesIn(value: unknown): Rules {
  if (value instanceof Rules) {
    return value;
  }
  throw new VmrulesError("the first argument must be Rules, which parseRules and rulesFor return");
}

/**
 * parseRules reads the text of a validations annotation. A blank text has no rules. It throws a
 * VmrulesError with all problems of all rules.
 */
export function parseRules(annotation: string, options: ParseOptions = {}): Rules {
  const settings = { ...checked(options, ...parseOptions) };
  const texts = { annotation: wellFormed("the annotation", annotation) };
  return Rules.of(() => call("parseRules", settings, texts));
}

/**
 * rulesFor returns the rules for a VM: its own or, if it has none, those of the template. Either
 * may be missing. It throws a VmrulesError with all problems, which say whose annotation is wrong.
 */
export function rulesFor(
  vm: ObjectInput | null | undefined,
  template?: ObjectInput | null,
  options: ParseOptions = {},
): Rules {
  const settings = { ...checked(options, ...parseOptions) };
  const texts = { vm: textOf("vm", vm), template: textOf("template", template) };
  return Rules.of(() => call("rulesFor", settings, texts));
}

/** templateOf returns which template a VM was made from; undefined if the VM does not say. */
export function templateOf(vm: ObjectInput): TemplateName | undefined {
  return call("templateOf", {}, { vm: textOf("vm", vm) });
}

/** sourceOf returns where the rules of a VM come from, as rulesFor finds them. */
export function sourceOf(vm: ObjectInput): Source {
  return call("sourceOf", {}, { vm: textOf("vm", vm) });
}
