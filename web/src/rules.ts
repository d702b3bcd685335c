import { call, type Texts } from "./engine.js";
import { VmrulesError } from "./errors.js";
import { optionsOf } from "./options.js";
import { jsonOf, type ObjectInput, textOf, textOfObject, wellFormed } from "./text.js";
import type { Root, Rule, Version, Violation } from "./types.js";

/** ParseOptions change how an annotation is read. */
export interface ParseOptions {
  /** strict reports unknown keys, unknown kinds and rules without arguments as problems. */
  strict?: boolean;
  /** version is that of the annotation: "201902-2" if it is not given. */
  version?: Version;
  /** root is what the rules call $: "" for the spec.template of a VM, "object" for the whole object. */
  root?: Root;
}

/** parseOptions are the ParseOptions. */
export const parseOptions = { strict: "boolean", version: "string", root: "string" } as const;

/** CheckOptions are those of ValidateOptions that count for a single value. */
export interface CheckOptions {
  /** partial is for a form that is not complete: what is not filled in yet is not wrong. */
  partial?: boolean;
  /** defaults are the values of fields that are missing, by their paths. */
  defaults?: { [path: string]: unknown };
}

const checkOptions = { partial: "boolean", defaults: "any" } as const;

/** defaultsOf returns the JSON of the option defaults. */
export function defaultsOf(defaults: CheckOptions["defaults"]): string | undefined {
  return defaults === undefined ? undefined : textOfObject("the option defaults", defaults);
}

/**
 * Rules are the rules of an annotation, read and checked. They need not be released: the library
 * keeps those that were used lately, and reads others again.
 */
export class Rules {
  readonly #options: object;
  readonly #texts: Texts;
  /** length is the number of rules. */
  readonly length: number;

  private constructor(options: object, texts: Texts) {
    this.#options = options;
    this.#texts = texts;
    this.length = this.use("countRules", {}, {});
  }

  /** @internal */
  static of(options: ParseOptions, texts: Texts): Rules {
    return new Rules(optionsOf(options, parseOptions), texts);
  }

  /** toJSON returns the rules as an annotation of version 201902-2 has them. */
  toJSON(): Rule[] {
    return this.use("rulesOf", {}, {});
  }

  /**
   * check checks a value, for instance what a user types, by the rule with an index or a name. It
   * returns what validate would find wrong with it, and an empty list if nothing is. A value of null
   * or undefined is missing, and counts as the default of its field, if that has one. It throws a
   * VmrulesError if the rule decides nothing about a value alone: an argument is a path, the kind is unknown,
   * or an enum or regex has no argument.
   */
  check(rule: number | string, value: unknown, options: CheckOptions = {}): Violation[] {
    if (typeof rule !== "string" && !Number.isInteger(rule)) {
      throw new VmrulesError("the first argument must be the index of a rule, or its name");
    }
    const which = typeof rule === "string" ? { name: rule } : { index: rule };
    const { partial, defaults } = optionsOf(options, checkOptions);
    const texts = { value: jsonOf("the value", value ?? null), defaults: defaultsOf(defaults) };
    return this.use("check", { partial, ...which }, texts);
  }

  /** @internal */
  static are(value: unknown): value is Rules {
    return typeof value === "object" && value !== null && #texts in value;
  }

  /** @internal */
  use<Result>(operation: string, settings: object, texts: Texts): Result {
    if (!Rules.are(this)) {
      throw new VmrulesError("these are not Rules but something around them, such as a proxy");
    }
    return call(operation, { ...this.#options, ...settings }, { ...this.#texts, ...texts });
  }
}

/** rulesIn returns Rules if a value is any. */
export function rulesIn(value: unknown): Rules {
  if (Rules.are(value)) {
    return value;
  }
  throw new VmrulesError("the first argument must be Rules, which parseRules and rulesFor return");
}

/**
 * parseRules reads the text of a validations annotation. A blank text has no rules. It throws a
 * VmrulesError with all problems of all rules.
 */
export function parseRules(annotation: string, options: ParseOptions = {}): Rules {
  return Rules.of(options, { annotation: wellFormed("the annotation", annotation) });
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
  return Rules.of(options, { vm: textOf("vm", vm), template: textOf("template", template) });
}
