// What react-hook-form calls to validate a form. It needs neither React nor the library's WebAssembly.

import type {
  FieldErrors,
  FieldPath,
  FieldValues,
  Resolver,
  ResolverOptions,
} from "react-hook-form";
import { textOf } from "./input.js";
import type { Coverage, Doubt, Report, Result, Target, Violation } from "./types.js";

export { type Input, inputAt, type Validation } from "./input.js";

/**
 * Validator returns the report of the VM that a form describes, or a promise of it. While somebody
 * types, `partial` is set, as in ValidateOptions: what is not filled in yet is not wrong.
 */
export type Validator<Values> = (
  values: Values,
  options: { partial: boolean },
) => Report | Promise<Report>;

/** ResolverSettings say how a report becomes the errors of a form. */
export interface ResolverSettings<Values extends FieldValues> {
  /**
   * fields are the names of fields by the JSON Pointers of what they hold, or a function that finds
   * them. If it is not given, "/spec/template/spec/hostname" is "spec.template.spec.hostname".
   */
  fields?:
    | { readonly [pointer: string]: FieldPath<Values> }
    | ((pointer: string) => FieldPath<Values> | undefined);
  /**
   * allow lists why a rule, or a VM, may be left open when the form is submitted, such as "NoRules". By
   * default, nothing may.
   */
  allow?: readonly (Coverage | Doubt)[];
  /** text returns what people read of a violation. By default, that is its message, and its text or its detail. */
  text?: (violation: Violation) => string;
}

/**
 * vmrulesResolver returns a resolver for react-hook-form. A form is valid if the report has passed. An
 * error is at the field that it is about; root has one line for each that has no field in the form,
 * or a hidden one, and says why the VM could not be validated. Warnings are no errors.
 */
export function vmrulesResolver<Values extends FieldValues>(
  validate: Validator<Values>,
  settings: ResolverSettings<Values> = {},
): Resolver<Values> {
  return async (values, _context, options) => {
    const errors = await errorsOf(validate, values, settings, options);
    return Object.keys(errors).length === 0
      ? { values, errors: {} }
      : { values: {}, errors: errors as FieldErrors<Values> };
  };
}

/**
 * errorsOf validates the values of a form. While somebody types in a field, react-hook-form names that
 * alone, shows no other error than its, and learns from the rest whether the form is valid. When
 * the form is submitted, it names all fields.
 */
async function errorsOf<Values extends FieldValues>(
  validate: Validator<Values>,
  values: Values,
  settings: ResolverSettings<Values>,
  options: ResolverOptions<Values>,
): Promise<Tree> {
  const isTyping = options.names?.length === 1;
  try {
    const report = checked(await validate(values, { partial: isTyping }));
    const findings = findingsIn(report, settings, isTyping);
    if (!isTyping || report.passed || findings.length > 0) {
      return errorsFrom(findings, settings, options);
    }
    // Nothing is wrong yet. Whether the form is valid is a question about what is missing, too. So
    // is what is submitted where the form has one field.
    const all = findingsIn(checked(await validate(values, { partial: false })), settings, false);
    return all.length === 0 ? {} : rootOf("incomplete", all);
  } catch (error) {
    const { code = "failed", message = String(error) } = error as {
      code?: string;
      message?: string;
    };
    return rootOf(code, [{ type: code, text: message }]);
  }
}

/** checked returns a report if it is one: what validates may be a server that is not there. */
function checked(report: Report): Report {
  const { valid, passed, results, targets } = report ?? {};
  const hasVerdict = typeof valid === "boolean" && typeof passed === "boolean";
  if (!hasVerdict || !Array.isArray(results) || !Array.isArray(targets)) {
    throw new Error("what validates the form returned no report");
  }
  return report;
}

/** A Finding is one thing that a form must not be submitted with. */
interface Finding {
  type: string;
  text: string;
  rule?: string;
  field?: string | undefined;
  pointer?: string | undefined;
}

/**
 * findingsIn returns what is wrong according to a report, and what it could not validate and is not
 * allowed. There is none only if the report passes, or does so with what is allowed; under `partial`,
 * also if something is missing.
 */
function findingsIn<Values extends FieldValues>(
  report: Report,
  { allow = [], text = textOf }: ResolverSettings<Values>,
  partial: boolean,
): Finding[] {
  if (report.passed) {
    return [];
  }
  const isAllowed = (why: Coverage | Doubt | undefined) => why !== undefined && allow.includes(why);
  const results = report.results.filter(
    (one) => one.outcome !== "Undecided" || !isAllowed(one.doubt),
  );
  const findings = results.flatMap((result) => findingsOf(result, text));
  const targets = report.targets.filter(
    ({ coverage, doubt }) => !isAllowed(coverage) && !isAllowed(doubt),
  );
  if (findings.length === 0) {
    findings.push(...targets.flatMap((target) => unjudged(target, partial)));
  }
  const isLeftOut = (report.omitted ?? 0) + (report.omittedTargets ?? 0) > 0;
  const isExplained =
    results.length + targets.length < report.results.length + report.targets.length ||
    (partial && report.valid);
  if (findings.length === 0 && (isLeftOut || !isExplained)) {
    findings.push({ type: "unjudged", text: "the report says that it is not complete" });
  }
  return findings;
}

/** findingsOf returns what fails the VM by one rule. */
function findingsOf(result: Result, text: (violation: Violation) => string): Finding[] {
  const { outcome, rule, message, violations = [] } = result;
  if (violations.length === 0 && (outcome === "Violated" || outcome === "Undecided")) {
    return [{ type: outcome, text: message, rule }];
  }
  return violations
    .filter(({ warned }) => !warned)
    .map((violation) => ({
      type: typeOf(violation),
      text: text(violation),
      ...{ rule, field: violation.field, pointer: violation.pointer },
    }));
}

function typeOf({ argument, reason }: Violation): string {
  return argument || (reason === "FieldValueRequired" ? "required" : reason);
}

const judged: readonly Coverage[] = ["Judged", "Exempt", "NotApplicable"];

/** unjudged says why no rule was applied to a VM. */
function unjudged({ coverage, name, note }: Target, partial: boolean): Finding[] {
  if (judged.includes(coverage) || (partial && coverage === "Incomplete")) {
    return [];
  }
  return [
    { type: coverage, field: name, text: note ?? `no rule was applied to this (${coverage})` },
  ];
}

/** errorsFrom puts each finding to its field in the form, or into root. */
function errorsFrom<Values extends FieldValues>(
  findings: Finding[],
  { fields = dotted }: ResolverSettings<Values>,
  options: ResolverOptions<Values>,
): Tree {
  const nameOf = typeof fields === "function" ? fields : (pointer: string) => fields[pointer];
  const byName = new Map<string, Finding[]>();
  const others: Finding[] = [];
  for (const finding of findings) {
    const name = finding.pointer && nameOf(finding.pointer);
    if (!name || !isInForm(name, options)) {
      others.push(finding);
      continue;
    }
    byName.set(name, [...(byName.get(name) ?? []), finding]);
  }
  const errors = others.length === 0 ? {} : rootOf("rules", others);
  for (const [name, [first, ...more]] of byName) {
    if (first) {
      const types = options.criteriaMode === "all" && { types: byRule([first, ...more]) };
      put(errors, pathOf(name), { type: first.type, message: first.text, ...types });
    }
  }
  return errors;
}

function dotted<Name extends string>(pointer: string): Name {
  const steps = pointer.slice(1).split("/");
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~")).join(".") as Name;
}

/** isInForm reports whether people see the errors of a field. */
function isInForm<Values extends FieldValues>(
  name: string,
  { names, fields }: ResolverOptions<Values>,
): boolean {
  const field = pathOf(name).reduce<unknown>((at, key) => (at as Tree | undefined)?.[key], fields);
  return (
    names?.some((one) => one === name) === true && (field as Tree | undefined)?.mount !== false
  );
}

/** rootOf returns errors that are about no field, a line for each. */
function rootOf(type: string, findings: Finding[]): Tree {
  const lines = findings.map(({ field, text }) => (field ? `${field}: ${text}` : text));
  return { root: { type, message: [...new Set(lines)].join("\n") } };
}

function byRule(findings: Finding[]): { [rule: string]: string[] } {
  const types = new Map<string, string[]>();
  for (const { rule = "", text } of findings) {
    types.set(rule, [...(types.get(rule) ?? []), text]);
  }
  return Object.fromEntries(types);
}

interface Tree {
  [key: string]: unknown;
}

/** pathOf returns the keys of a name, as react-hook-form reads it. */
function pathOf(name: string): string[] {
  return name
    .replace(/["'\]]/g, "")
    .split(/[.[]/)
    .filter(Boolean);
}

/** put puts an error where react-hook-form looks for it, which has lists for indices. */
function put(tree: Tree, [key = "", ...rest]: string[], error: object): void {
  if (rest.length === 0) {
    tree[key] = error;
    return;
  }
  tree[key] ??= /^\d+$/.test(rest[0] ?? "") ? [] : {};
  put(tree[key] as Tree, rest, error);
}
