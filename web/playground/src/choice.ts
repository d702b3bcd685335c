import {
  parseRules,
  type Report,
  type Rules,
  rulesFor,
  type ValidateOptions,
  validate,
  validateOwn,
} from "@vmrules/vmrules";
import { isPlain } from "./annotation.js";
import type { Entity } from "./document.js";

/** A Judged is the report about an object, and whose rules it is by. */
export interface Judged {
  report: Report;
  by: string;
  /** from is the object that has the rules; undefined if they are the whole text. */
  from: Entity | undefined;
  /** rules returns the rules: if the object holds several VMs, those of the first. */
  rules: () => Rules;
}

/**
 * judge validates an object by its own rules, which may be those of a template that it names; or if a
 * person tries the rules of an annotation, or of the only template, by these.
 */
export function judge(
  of: Pick<Entity, "json">,
  text: string,
  templates: Entity[],
  options: ValidateOptions = {},
): Judged {
  const named = templates.filter((one) => of.json.includes(JSON.stringify(nameOf(one).name)));
  const report = validateOwn(of.json, { ...options, templates: named.map(({ json }) => json) });
  const { coverage, from, template = "" } = report.targets[0] ?? {};
  const whose = report.targets
    .filter((one) => one.from)
    .map((one) => (one.from === "template" ? `the template ${one.template}` : "its own rules"));
  const all = { report, by: [...new Set(whose)].join(" and ") };
  const isFree = report.targets.every((one) => one.coverage === "NoRules" && !one.from);
  const [only, ...more] = templates;
  if (isPlain(text) && coverage !== "NotVM") {
    return by(parseRules(text), "the annotation", undefined);
  }
  if (isFree && only && more.length === 0) {
    return by(rulesFor(null, only.json), `the template ${nameOf(only).full || "beside it"}`, only);
  }
  if (from === "template") {
    const fits = (one: Entity) => `/${template}`.endsWith(`/${nameOf(one).full}`);
    const found = named.find((one) => nameOf(one).full === template) ?? named.find(fits);
    const rules = () => rulesFor(null, found?.json);
    return { ...all, from: found, rules };
  }
  return { ...all, from: of as Entity, rules: () => rulesFor(of.json) };

  function by(rules: Rules, name: string, from: Entity | undefined): Judged {
    return { report: validate(rules, of.json, options), by: name, from, rules: () => rules };
  }
}

/** nameOf returns the name of an object, alone and with its namespace. */
export function nameOf({ object }: Entity): { name: string; full: string } {
  const { namespace, name } = (object.metadata ?? {}) as { namespace?: unknown; name?: unknown };
  return { name: String(name), full: [namespace, name].filter(Boolean).join("/") };
}

/** isTemplate reports whether an object is a template, of either kind. */
export function isTemplate({ object: { kind } }: Entity): boolean {
  return kind === "Template" || kind === "VirtualMachineTemplate";
}
