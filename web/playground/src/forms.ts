import {
  extraErrors,
  type InputSchema,
  inputs,
  parameterInputs,
  parameters,
  type Report,
  type Unexpressed,
  VmrulesError,
  validate,
  validateOwn,
  withHints,
} from "@vmrules/vmrules";
import { declaredIn, filled, reasons } from "./analysis.js";
import { isPlain } from "./annotation.js";
import { choose } from "./choice.js";
import { type Entity, readEntities } from "./document.js";
import type { FormName, FormState, Input, Texts, Values } from "./protocol.js";

/** Form is what a form shows of the object that it is for. */
type Form = Omit<FormState, "objects" | "which">;

/** formState returns what a form shows about one of the objects that the editors hold. */
export function formState(name: FormName, of: Input, wanted: number): FormState {
  const all = name === "form" ? readEntities(of.texts.vm).entities : parameterised(of.texts);
  const which = Math.min(wanted, Math.max(all.length - 1, 0));
  const form = name === "form" ? formOfVM : formOfParameters;
  const objects = all.map(({ title }) => title);
  try {
    return { ...form(of, all[which]), objects, which };
  } catch (error) {
    if (error instanceof VmrulesError) {
      return { ...without(error.problems[0]?.message ?? error.message), objects, which };
    }
    throw error;
  }
}

/** parameterised returns the templates that declare parameters. */
function parameterised({ template }: Texts): Entity[] {
  const templates = isPlain(template) ? [] : readEntities(template).entities;
  return templates.filter((entity) => declaredIn(entity).size > 0);
}

function without(problem: string): Form {
  return {
    schema: {},
    data: {},
    errors: {},
    summary: "",
    valid: false,
    unexpressed: [],
    problem,
  };
}

function formOfVM({ texts, partial }: Input, vm: Entity | undefined): Form {
  if (vm === undefined) {
    return without("Write a VM: here is a form for the fields of it that the rules judge.");
  }
  const templates = isPlain(texts.template) ? [] : readEntities(texts.template).entities;
  const choice = choose(vm, texts.template, templates);
  if (choice.rules === undefined) {
    return without(`There is no form for ${vm.title}: ${choice.why}.`);
  }
  const rules = choice.rules();
  const cluster = readEntities(texts.cluster).entities.map((entity) => entity.json);
  const options = { partial, instancetypes: cluster };
  const report = validate(rules, vm.json, options);
  return stateOf(inputs(rules, vm.json, options), vm.object, report, (pointer) => [pointer]);
}

function formOfParameters({ texts, values, partial }: Input, template: Entity | undefined): Form {
  if (template === undefined) {
    return without("The template declares no parameters: here is a form for them, if it does.");
  }
  const schema = parameterInputs(template.json);
  const report = judged(template, values, partial);
  const data: Record<string, unknown> = { ...defaultsOf(schema), ...values };
  const state = stateOf(schema, data, report, usesOf(template));
  for (const name of (schema.schema.required ?? []) as string[]) {
    if (!Object.hasOwn(data, name)) {
      state.errors[name] ??= { __errors: ["a value is needed"] };
    }
  }
  return { ...state, summary: texts.vm.trim() === "" ? "" : summaryOf(report) };
}

/** judged returns the report about a template that is filled in, as far as it can be made. */
function judged(template: Entity, values: Values, partial: boolean): Report {
  try {
    return validateOwn(filled(template, values), { partial });
  } catch (error) {
    if (error instanceof VmrulesError && error.result) {
      return error.result as Report;
    }
    throw new VmrulesError(
      error instanceof VmrulesError ? reasons(template, error).join(" ") : String(error),
    );
  }
}

/** summaryOf says what became of the template, while the page says what became of a VM. */
function summaryOf({ valid, results }: Report): string {
  if (valid) {
    return "The template with these values is valid.";
  }
  const wrong = results.filter(({ outcome }) => ["Violated", "Undecided"].includes(outcome));
  return `The template with these values is not valid: ${wrong.length} of ${results.length} rules.`;
}

function defaultsOf({ schema }: InputSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, { default?: unknown }>;
  const given = Object.entries(properties).filter(([, property]) => property.default !== undefined);
  return Object.fromEntries(given.map(([name, property]) => [name, property.default]));
}

/** usesOf returns a function that returns the inputs of the parameters that a field takes. */
function usesOf(template: Entity): (pointer: string) => string[] {
  const users = new Map<string, string[]>();
  for (const { name, uses } of parameters(template.json)) {
    for (const { pointer } of uses) {
      users.set(pointer, [...(users.get(pointer) ?? []), `/${name}`]);
    }
  }
  return (pointer) => users.get(pointer) ?? [];
}

function stateOf(
  { schema, unexpressed }: InputSchema,
  data: Record<string, unknown>,
  report: Report,
  inputsOf: (pointer: string) => string[],
): Form {
  const results = report.results.map(({ violations = [], ...result }) => ({
    ...result,
    violations: violations.flatMap((violation) =>
      inputsOf(violation.pointer ?? "").map((pointer) => ({ ...violation, pointer })),
    ),
  }));
  return {
    schema: withHints(schema),
    data,
    errors: extraErrors({ ...report, results }, { warnings: true }),
    summary: "",
    valid: report.valid,
    unexpressed: unexpressed.map(sentence),
  };
}

function sentence({ parameter, rule, argument, reason }: Unexpressed): string {
  const about = [parameter && `parameter ${parameter}`, rule && `rule ${rule}`, argument].filter(
    Boolean,
  );
  return about.length > 0 ? `${about.join(", ")}: ${reason}` : reason;
}
