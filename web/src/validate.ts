import { call, type Texts } from "./engine.js";
import { VmrulesError } from "./errors.js";
import { optionsOf } from "./options.js";
import { defaultsOf, type ParseOptions, type Rules, rulesIn } from "./rules.js";
import { type ObjectInput, textOf, textsOf } from "./text.js";
import type { Report, Violation } from "./types.js";

/** ValidateOptions change how an object is validated. */
export interface ValidateOptions {
  /** partial is for a form that is not complete: what is not filled in yet is Skipped. */
  partial?: boolean;
  /** ratcheting makes an update fail only by what it changes. It needs oldObject. */
  ratcheting?: boolean;
  /** oldObject is the object before an update. */
  oldObject?: ObjectInput | null;
  /** instancetype is what the VMs name as their instance type. */
  instancetype?: ObjectInput | null;
  /** preference is what the VMs name as their preference. */
  preference?: ObjectInput | null;
  /** instancetypes are instance types and preferences, of which each VM gets those that it names. */
  instancetypes?: readonly ObjectInput[];
  /** defaults are the values of fields that are missing, by their paths, such as "jsonpath::.spec.domain.cpu.cores". */
  defaults?: { [path: string]: unknown };
}

const validateOptions = {
  partial: "boolean",
  ratcheting: "boolean",
  oldObject: "any",
  instancetype: "any",
  preference: "any",
  instancetypes: "any",
  defaults: "any",
} as const;

/**
 * validate validates an object by rules: a VM, a template or a list. The report has one result for
 * each VM in it and each rule.
 */
export function validate(
  rules: Rules,
  object: ObjectInput | null | undefined,
  options: ValidateOptions = {},
): Report {
  return judge("validate", rules, object, options);
}

/** OwnOptions also say how the rules of VMs are found and read. */
export interface OwnOptions extends ValidateOptions, Omit<ParseOptions, "root"> {
  /**
   * templates are those that can be found. A VM that names one, and has no rules of its own, has the
   * rules of the template with this name: in the namespace that the VM says, if it and the template do.
   */
  templates?: readonly ObjectInput[] | null;
}

const ownOptions = {
  ...validateOptions,
  templates: "any",
  strict: "boolean",
  version: "string",
} as const;

/**
 * validateOwn validates every VM inside an object by its own rules: those in its annotation, else those
 * of the template around it, else those of the template that it names. What became of each, also of
 * one whose rules cannot be read or found, is in the report's targets.
 */
export function validateOwn(
  object: ObjectInput | null | undefined,
  options: OwnOptions = {},
): Report {
  const all: OwnOptions = optionsOf(options, ownOptions);
  const [settings, texts] = split(object, all);
  const found = { ...texts, templates: textsOf("templates", all.templates) };
  const { strict, version, templates } = all;
  return call("validateOwn", { ...settings, strict, version, lookUp: templates != null }, found);
}

/** violationsAt returns the violations and warnings of a field, by its JSON Pointer. */
export function violationsAt(report: Report, pointer: string): Violation[] {
  if (typeof pointer !== "string" || !/^(\/([^~]|~[01])*)?$/.test(pointer)) {
    const what = typeof pointer === "string" ? JSON.stringify(pointer) : `a ${typeof pointer}`;
    throw new VmrulesError(`${what} is not a JSON Pointer, such as "/spec/template"`);
  }
  try {
    const all = report.results.flatMap((result) => result.violations ?? []);
    return all.filter((violation) => (violation.pointer ?? "") === pointer);
  } catch (cause) {
    const message = "the first argument must be a Report, which validate returns";
    throw new VmrulesError(message, { cause });
  }
}

/** judge carries out an operation that takes rules, an object, and the options of validate. */
export function judge<Result>(
  operation: string,
  rules: Rules,
  object: ObjectInput | null | undefined,
  options: ValidateOptions,
): Result {
  const [settings, texts] = split(object, optionsOf(options, validateOptions));
  return rulesIn(rules).use(operation, settings, texts);
}

/** split separates the objects among the options from the settings. */
function split(
  object: ObjectInput | null | undefined,
  { partial, ratcheting, defaults, ...objects }: ValidateOptions,
): [object, Texts] {
  const texts = {
    object: textOf("the object", object),
    oldObject: textOf("oldObject", objects.oldObject),
    instancetype: textOf("instancetype", objects.instancetype),
    preference: textOf("preference", objects.preference),
    instancetypes: textsOf("instancetypes", objects.instancetypes),
    defaults: defaultsOf(defaults),
  };
  return [{ partial, ratcheting }, texts];
}
