import { call, type Texts } from "./engine.js";
import { VmrulesError } from "./errors.js";
import { type ParseOptions, type Rules, rulesIn } from "./rules.js";
import { checked, type ObjectInput, objectOf, textOf, textsOf } from "./text.js";
import type { Report, Violation } from "./types.js";

/** ValidateOptions change how an object is judged. */
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

/**
 * validate judges an object by rules: a VM, a template or a list. The report has one result for
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

/**
 * validateOwn judges every VM inside an object by its own rules: those in its annotation, else those
 * of the template around it, else those of the template that it names. What became of each, also of
 * one whose rules cannot be read or found, is in the report's targets.
 */
export function validateOwn(
  object: ObjectInput | null | undefined,
  options: OwnOptions = {},
): Report {
  const { templates, ...rest } = objectOf("the options", options);
  const [settings, texts] = split(object, rest, "strict", "version");
  const all = { ...texts, templates: textsOf("templates", templates) };
  return call("validateOwn", { ...settings, lookUp: templates != null }, all);
}

/** violationsAt returns the violations and warnings of a field, by its JSON Pointer. */
export function violationsAt(report: Report, pointer: string): Violation[] {
  if (typeof pointer !== "string" || !/^(\/([^~]|~[01])*)?$/.test(pointer)) {
    throw new VmrulesError(
      `${JSON.stringify(pointer)} is not a JSON Pointer, such as "/spec/template"`,
    );
  }
  if (!Array.isArray(report?.results)) {
    throw new VmrulesError("the first argument must be a Report, which validate returns");
  }
  const all = report.results.flatMap((result) => result.violations ?? []);
  return all.filter((violation) => (violation.pointer ?? "") === pointer);
}

/** judge carries out an operation that takes rules, an object, and the options of validate. */
export function judge<Result>(
  operation: string,
  rules: Rules,
  object: ObjectInput | null | undefined,
  options: ValidateOptions,
): Result {
  const [settings, texts] = split(object, options);
  return rulesIn(rules).use(operation, settings, texts);
}

/** split separates the objects among the options from the settings. */
function split(
  object: ObjectInput | null | undefined,
  options: ValidateOptions,
  ...more: string[]
): [object, Texts] {
  const { oldObject, instancetype, preference, instancetypes, ...settings } = objectOf(
    "the options",
    options,
  );
  checked(settings, "partial", "ratcheting", "defaults", ...more);
  const texts = {
    object: textOf("the object", object),
    oldObject: textOf("oldObject", oldObject),
    instancetype: textOf("instancetype", instancetype),
    preference: textOf("preference", preference),
    instancetypes: textsOf("instancetypes", instancetypes),
  };
  return [settings, texts];
}
