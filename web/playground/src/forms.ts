import {
  type Constraints,
  hint,
  type Limit,
  limits,
  type Parameter,
  parameters,
  type Report,
  VmrulesError,
  violationsAt,
} from "@vmrules/vmrules";
import { declaredIn, filled } from "./analysis.js";
import { isPlain } from "./annotation.js";
import { isTemplate, judge } from "./choice.js";
import { type Entity, readEntities } from "./document.js";
import { tokensOf } from "./pointer.js";
import {
  type Field,
  type FormName,
  type FormState,
  type Input,
  type Texts,
  type Values,
  warning,
} from "./protocol.js";
import { sentence, signOfTargets, whyOf } from "./report.js";

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
function parameterised(texts: Texts): Entity[] {
  return besideIn(texts).filter((entity) => declaredIn(entity).size > 0);
}

/** besideIn returns the objects beside the VMs. */
function besideIn({ template }: Texts): Entity[] {
  return isPlain(template) ? [] : readEntities(template).entities;
}

function without(problem: string): Form {
  return { fields: [], summary: "", sign: "unjudged", problem };
}

function formOfVM({ texts, partial }: Input, vm: Entity | undefined): Form {
  if (vm === undefined) {
    return without("Write a VM: here is a form for the fields of it that the rules check.");
  }
  const cluster = readEntities(texts.cluster).entities.map((entity) => entity.json);
  const options = { partial, instancetypes: cluster };
  const templates = [...besideIn(texts), ...readEntities(texts.vm).entities].filter(isTemplate);
  const { report, rules } = judge(vm, texts.template, templates, options);
  const [target] = report.targets;
  if (target && report.targets.every(({ rules }) => rules === 0)) {
    return without(`There is no form for ${vm.title}: ${whyOf(target)}.`);
  }
  const all = limits(rules(), vm.json, options).filter((one) => !isOfOther(one, vm));
  const fields = fieldsOf(all, report);
  return fields.length > 0
    ? { fields, summary: "", sign: signOfTargets(report.targets) }
    : without(`The rules check no field of ${vm.title} that can be shown here.`);
}

/** members are those of which a disk has one. */
const members = ["disk", "cdrom", "lun"];

/** isOfOther reports whether a field is missing because its item has another of the members. */
function isOfOther({ pointer = "", fields }: Limit, { object }: Entity): boolean {
  const tokens = tokensOf(pointer);
  const at = tokens.findIndex((token) => members.includes(token));
  if (at === -1 || fields.length > 0) {
    return false;
  }
  const item = tokens.slice(0, at).reduce(memberOf, object);
  const has = members.filter((name) => memberOf(item, name) !== undefined);
  return has.length > 0 && !has.includes(tokens[at] ?? "");
}

function memberOf(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null && Object.hasOwn(of, name)
    ? of[name as keyof typeof of]
    : undefined;
}

/** fixed matches the paths that select one value: without wildcards, slices and filters. */
const fixed = /^([\w/-]|\\.|\.(?!\.)|\[\d+\])+$/;

/** fieldsOf returns the fields that have limits: those with values, and missing ones that can be named. */
function fieldsOf(all: Limit[], report: Report): Field[] {
  const fields = new Map<string, Field>();
  const isOne = all.every(({ target }) => target === all[0]?.target);
  const short = /^(.*\.)?spec\.(domain\.)?/;
  for (const { field, pointer = "", fields: present, must, should } of all) {
    const isMissing = present.length === 0 && fixed.test(field);
    const values = isMissing ? [{ field, pointer, value: null, origin: undefined }] : present;
    for (const { field, pointer, value, origin } of values) {
      if (value === undefined || (must?.rules ?? should?.rules) === undefined) {
        continue; // an object or array, or no rule in force
      }
      const found = fieldOf(origin === undefined ? value : null, must, should);
      const known = fields.get(pointer);
      fields.set(pointer, {
        ...(known && found.kind !== "choice" ? known : found),
        pointer,
        label: isOne ? field.replace(short, "") : field,
        standIn: origin === undefined ? "" : `${value} (${origin})`,
        required: found.required || known?.required === true,
        notes: [...(known?.notes ?? []), ...found.notes],
        mistakes: mistakesAt(report, pointer),
      });
    }
  }
  return [...fields.values()];
}

type Value = string | number | boolean | null;

/** fieldOf returns what limits say of a field, which has a value or none. */
function fieldOf(
  value: Value,
  must: Constraints = {},
  should: Constraints = {},
): Pick<Field, "kind" | "isText" | "value" | "must" | "required" | "notes"> {
  const { type = should.type ?? "scalar" } = must;
  const kind = kindOf({ ...must, type }, value);
  const isOpen = kind === "choice" || (kind === "text" && value !== null);
  return {
    kind,
    isText: typeof value === "string" || type === "string" || !isOpen,
    value,
    must,
    required: must.required ?? false,
    notes: [...notesOf(must, kind !== "choice"), ...notesOf(should)],
  };
}

/** kindOf returns the kind of input in which a value has its own type. Large bounds are those of sizes. */
function kindOf(must: Constraints, value: Value): Field["kind"] {
  const { type = "", values } = must;
  if (values !== undefined) {
    return "choice";
  }
  if (type !== "integer" && type !== "number") {
    return /quantity/i.test(type) ? "size" : "text";
  }
  const isSize = value === null ? /\d[KMGTPE]i\b/.test(hint(must)) : typeof value === "string";
  return isSize ? "size" : "number";
}

/** notesOf returns the messages of rules, with a hint at what they allow. */
function notesOf(of: Constraints = {}, hasHint = true): string[] {
  const messages = [...new Set(of.rules?.map(({ message }) => message))].join("; ");
  const says = hasHint ? hint(of) : "";
  return messages === "" ? [] : [says === "" ? messages : `${messages} (${says})`];
}

function mistakesAt(report: Report, pointer: string): string[] {
  const all = violationsAt(report, pointer).map(
    ({ message, detail, warned }) =>
      `${warned ? warning : ""}${message === "" ? detail : `${message} (${detail})`}`,
  );
  return [...new Set(all)];
}

function formOfParameters({ texts, values, partial }: Input, template: Entity | undefined): Form {
  if (template === undefined) {
    return without("The template declares no parameters: here is a form for them, if it does.");
  }
  const all = parameters(template.json);
  const json = filled(template, values);
  const { report, by } = judge({ json }, "", besideIn(texts).filter(isTemplate), { partial });
  const fields = all.map((one) => fieldOfParameter(one, values, report));
  const says = sentence({ ...report, by, entries: report.results });
  const summary = texts.vm.trim() === "" ? "" : `The template with these values: ${says}.`;
  return { fields, summary, sign: signOfTargets(report.targets) };
}

function fieldOfParameter(parameter: Parameter, values: Values, report: Report): Field {
  const { name, displayName, description, uses, must, should } = parameter;
  const isNumber = /^-?\d+(\.\d+)?$/.test(parameter.value ?? "");
  const own = isNumber ? Number(parameter.value) : (parameter.value ?? null);
  const found = fieldOf(own, must, should);
  const parts = uses.flatMap((use) => [...notesOf(use.must, false), ...notesOf(use.should, false)]);
  const value = values[name] ?? parameter.value ?? null;
  const required = parameter.required === true && !parameter.value && !parameter.generate;
  const mistakes = uses.flatMap(({ pointer }) => mistakesAt(report, pointer));
  if (required && (value === null || value === "")) {
    mistakes.push("a value is needed");
  }
  return {
    ...found,
    pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    label: displayName ?? name,
    isText: true,
    value,
    standIn: parameter.generate === undefined ? "" : "(generated)",
    required,
    notes: [...new Set([...(description ? [description] : []), ...found.notes, ...parts])],
    mistakes: [...new Set(mistakes)],
  };
}
