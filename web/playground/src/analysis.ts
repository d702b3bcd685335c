import {
  fill,
  lint,
  type ObjectInput,
  type Problem,
  parseRules,
  type Report,
  type Result,
  type Rules,
  rulesFor,
  templateOf,
  type Violation,
  VmrulesError,
  validate,
  validateOwn,
} from "@vmrules/vmrules";
import { type Annotation, annotationsIn, isPlain, place } from "./annotation.js";
import { type Entity, type Mistake, readEntities } from "./document.js";
import type { Analysis, Detail, Entry, Input, Mark, Pane, Values, Verdict } from "./protocol.js";

/** analyse lints the rules, and judges the objects by them. */
export function analyse(input: Input): Analysis {
  return new Analyser(input).run();
}

class Analyser {
  readonly #input: Input;
  readonly #marks: Mark[] = [];
  readonly #verdicts: Verdict[] = [];
  readonly #problems: string[] = [];
  #cluster: string[] = [];

  constructor(input: Input) {
    this.#input = input;
  }

  run(): Analysis {
    const { texts } = this.#input;
    const plain = isPlain(texts.template);
    const templates = plain ? [] : this.#read("template");
    const vms = this.#read("vm");
    this.#cluster = this.#read("cluster").map((entity) => entity.json);
    if (plain) {
      this.#lint("template", { text: texts.template, version: "201902-2" });
    }
    for (const [pane, entities] of [
      ["template", templates],
      ["vm", vms],
    ] as const) {
      for (const entity of entities) {
        this.#lintEntity(pane, entity);
      }
    }
    this.#judgeAll(plain, templates, vms);
    return { marks: this.#marks, verdicts: this.#verdicts, problems: this.#problems };
  }

  #read(pane: Pane): Entity[] {
    const { entities, mistakes } = readEntities(this.#input.texts[pane]);
    this.#markAll(pane, mistakes, "syntax");
    if (mistakes.length > 0) {
      this.#problems.push(`${names[pane]} cannot be read: see what is marked there.`);
    }
    return entities;
  }

  #markAll(pane: Pane, mistakes: Mistake[], source: string): void {
    for (const mistake of mistakes) {
      this.#marks.push({ pane, severity: "error", source, ...mistake });
    }
  }

  #lintEntity(pane: Pane, entity: Entity): void {
    const { annotations, mistakes } = annotationsIn(entity);
    this.#markAll(pane, mistakes, "wrong-type");
    for (const annotation of annotations) {
      this.#lint(pane, annotation);
    }
  }

  #lint(pane: Pane, annotation: Annotation): void {
    const profile = this.#input.ssp ? { profile: "ssp" as const } : {};
    const findings = lint(annotation.text, { version: annotation.version, ...profile });
    const shown = findings.filter(
      (f) => this.#input.ssp || !(f.id.startsWith("ssp-") && f.severity === "info"),
    );
    for (const { finding, from, to, fix } of place(annotation, shown)) {
      const { severity, message, id } = finding;
      const mark: Mark = { pane, from, to, severity, message, source: id };
      if (fix) {
        mark.fix = { ...fix, label: `Write ${JSON.stringify(finding.suggestion)}` };
      }
      this.#marks.push(mark);
    }
  }

  #judgeAll(plain: boolean, templates: Entity[], vms: Entity[]): void {
    for (const vm of vms) {
      this.#judge("vm", vm, () => {
        const rules = plain ? parseRules(this.#input.texts.template) : rulesOf(vm, templates);
        return validate(rules, vm.json, this.#options());
      });
    }
    if (vms.length > 0 || this.#input.texts.vm.trim() !== "") {
      return;
    }
    for (const template of templates) {
      this.#judge("template", template, () =>
        validateOwn(filled(template, this.#input.values), this.#options()),
      );
    }
  }

  #options() {
    return { partial: this.#input.partial, instancetypes: this.#cluster };
  }

  #judge(pane: Pane, entity: Entity, judge: () => Report): void {
    try {
      this.#add(pane, entity, judge());
    } catch (error) {
      if (!(error instanceof VmrulesError)) {
        throw error;
      }
      this.#problems.push(...reasons(entity, error));
      if (error.result) {
        this.#add(pane, entity, error.result as Report);
      }
    }
  }

  #add(pane: Pane, entity: Entity, report: Report): void {
    const entries = report.results.map((result) => this.#entry(pane, entity, result));
    const left = report.omitted ?? 0;
    if (left > 0) {
      this.#problems.push(
        `${entity.title}: the report leaves out ${left} results, because it is too long.`,
      );
    }
    this.#verdicts.push({ title: entity.title, valid: report.valid, entries });
  }

  #entry(pane: Pane, entity: Entity, result: Result): Entry {
    const { outcome, rule, message, violations = [] } = result;
    const details = violations.map((violation) => this.#detail(pane, entity, result, violation));
    const target = details.length > 0 ? "" : result.target; // the field of a detail begins with it
    const note = [target, result.note].filter(Boolean).join(": ");
    return { outcome, rule, message, note, details };
  }

  #detail(pane: Pane, entity: Entity, result: Result, violation: Violation): Detail {
    const detail: Detail = {
      field: violation.field ?? "",
      detail: violation.detail,
    };
    if (violation.field === undefined) {
      return detail;
    }
    const spot = { pane, ...entity.locate(violation.pointer ?? "") };
    this.#marks.push({
      ...spot,
      isValue: true,
      severity: result.outcome === "Warned" ? "warning" : "error",
      message: `${violation.message}: ${violation.detail}`,
      source: violation.rule,
    });
    return { ...detail, spot };
  }
}

/** rulesOf returns the rules for a VM: of several templates, from that which the VM names. */
export function rulesOf(vm: Entity, templates: Entity[]): Rules {
  const name = templateOf(vm.json)?.name;
  const named = templates.find(
    ({ object }) => (object.metadata as { name?: unknown } | undefined)?.name === name,
  );
  return rulesFor(vm.json, (named ?? templates[0])?.json);
}

/** filled returns a template in which its parameters have values; other objects as they are. */
export function filled(template: Entity, values: Values): ObjectInput {
  const declared = declaredIn(template);
  if (declared.size === 0) {
    return template.json;
  }
  const given = Object.entries(values).filter(([name]) => declared.has(name));
  return fill(template.json, Object.fromEntries(given));
}

/** declaredIn returns the names of the parameters of a template. */
export function declaredIn({ object }: Entity): Set<unknown> {
  const { kind, parameters, spec } = object as Partial<Record<string, unknown>>;
  const inside = kind === "Template" ? parameters : (spec as typeof object | undefined)?.parameters;
  const isTemplate = kind === "Template" || kind === "VirtualMachineTemplate";
  const declared = isTemplate && Array.isArray(inside) ? inside : [];
  return new Set(declared.map((one: { name?: unknown } | null) => one?.name));
}

const names: { [pane in Pane]: string } = {
  template: "The template",
  vm: "The VM",
  cluster: "The instance type or preference",
};

/** reasons say why there is no report about an object. */
export function reasons(entity: Entity, error: VmrulesError): string[] {
  if (error.problems.length === 0) {
    return [`${entity.title}: ${error.message}`];
  }
  return error.problems.map((problem) => `${whose(problem)}: ${problem.message}`);
}

function whose({ rule, source }: Problem): string {
  const of = source ? ` of the ${source}` : "";
  return rule ? `Rule ${rule}${of}` : `The rules${of}`;
}
