import { parseRules, type Rules, rulesFor, type Source, sourceOf } from "@vmrules/vmrules";
import { isPlain } from "./annotation.js";
import type { Entity } from "./document.js";

/**
 * A Choice is the rules for an object, whose they are, and the object that has them, if it is one;
 * or why the object is not judged. An object that has its own may hold several VMs, each with others:
 * then there are no rules for all of them, and the function throws.
 */
export type Choice =
  | { rules: () => Rules; by: string; from: Entity | undefined }
  | { rules?: undefined; why: string };

/** choose returns the rules for an object, among those that a text of templates or rules holds. */
export function choose(vm: Entity, text: string, templates: Entity[]): Choice {
  if (!holdsVM(vm)) {
    return { why: notVM };
  }
  if (isPlain(text)) {
    return chosen(parseRules(text), "the annotation", undefined);
  }
  const source = sourceOf(vm.json);
  switch (source.from) {
    case "exempt":
      return { why: `${source.field} exempts it from all rules` };
    case "own":
    case "unknown": // of which rulesFor says why
      return { rules: () => rulesFor(vm.json), by: "its own annotation", from: vm };
    case "template":
      return ofNamed(source, templates);
    default:
      return ofOnly(templates);
  }
}

export const notVM = "it is not a VM, and has none inside";

const kinds = /^(VirtualMachine(Instance(ReplicaSet)?|Pool|Template)?|Template|\w*List|)$/;
const groups = /^((\w+\.)?kubevirt\.io\/\w+|template\.openshift\.io\/\w+|v1|)$/;

/** holdsVM reports whether an object is, or may have inside, what rules are for. */
export function holdsVM({ object: { kind = "", apiVersion = "" } }: Entity): boolean {
  return kinds.test(String(kind)) && groups.test(String(apiVersion));
}

function chosen(rules: Rules, by: string, from: Entity | undefined): Choice {
  return rules.length > 0
    ? { rules: () => rules, by, from }
    : { why: `there are no rules in ${by}` };
}

/** ofNamed returns the rules of the template that a VM names, and never those of another. */
function ofNamed({ name = "", namespace = "" }: Source, templates: Entity[]): Choice {
  const named = templates.filter((template) => {
    const metadata = (template.object.metadata ?? {}) as { name?: unknown; namespace?: unknown };
    const isElsewhere = namespace && metadata.namespace && metadata.namespace !== namespace;
    return metadata.name === name && !isElsewhere;
  });
  const full = [namespace, name].filter(Boolean).join("/");
  const [template] = named;
  if (template === undefined) {
    return { why: `it names the template ${full}, which is not here` };
  }
  if (named.length > 1) {
    return { why: `it names the template ${full}, and ${named.length} here have that name` };
  }
  return chosen(rulesFor(null, template.json), `the template ${name}`, template);
}

/** ofOnly returns the rules of the template beside a VM that names none. */
function ofOnly(templates: Entity[]): Choice {
  const [template] = templates;
  if (template === undefined) {
    return { why: "there are no rules for it" };
  }
  if (templates.length > 1) {
    return { why: `it names none of the ${templates.length} templates` };
  }
  const { name } = (template.object.metadata ?? {}) as { name?: unknown };
  return chosen(rulesFor(null, template.json), `the template ${name ?? "beside it"}`, template);
}
