import {
  fill,
  jsonText,
  lint,
  type Report,
  type Result,
  type Violation,
  VmrulesError,
} from "@vmrules/vmrules";
import { type Annotation, annotationsIn, isPlain, place, rulesIn } from "./annotation.js";
import { isTemplate, type Judged, judge, nameOf } from "./choice.js";
import { type Entity, readEntities, shifted } from "./document.js";
import { indented } from "./format.js";
import type {
  Analysis,
  Detail,
  Entry,
  Input,
  Mark,
  Pane,
  ReportForm,
  Spot,
  Values,
  Verdict,
} from "./protocol.js";
import { sentence, signOf, textOf } from "./report.js";

/** analyse lints the rules, and validates the objects by them. */
export function analyse(input: Input): Analysis {
  return new Analyser(input).run();
}

/** reportOf returns the reports about the objects; in JSON, as the library writes them. */
export function reportOf(as: ReportForm, input: Input): string {
  const analyser = new Analyser(input);
  const analysis = analyser.run();
  if (as === "text") {
    return textOf(analysis);
  }
  const objects = analyser.reports.map(([verdict, report]) => {
    const { title: object, by, valid } = verdict;
    const about = JSON.stringify({ object, by, valid, says: sentence(verdict) }).slice(0, -1);
    return report ? `${about},"report":${jsonText(report)}}` : `${about}}`;
  });
  const valid = signOf(analysis) === "good";
  const problems = JSON.stringify(analysis.problems);
  return `${indented(`{"valid":${valid},"objects":[${objects}],"problems":${problems}}`)}\n`;
}

/** Said is a mark in a document, wherever that is. */
type Said = Omit<Mark, "pane">;

function wrong(source: string): Pick<Mark, "severity" | "source"> {
  return { severity: "error", source };
}

class Analyser {
  readonly #input: Input;
  readonly #marks: Mark[] = [];
  readonly #verdicts: Verdict[] = [];
  readonly #problems: string[] = [];
  #aside = "";
  #cluster: string[] = [];
  /** reports are those about the objects, each with its verdict. */
  readonly reports: [Verdict, Report | undefined][] = [];

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
      const annotation: Annotation = { text: texts.template, version: "201902-2" };
      this.#marks.push(
        ...this.#lint(annotation).map((mark) => ({ pane: "template", ...mark }) as const),
      );
    }
    for (const [pane, entities] of [
      ["template", templates],
      ["vm", vms],
    ] as const) {
      for (const entity of entities) {
        this.#lintEntity(pane, entity, entities.length === 1);
      }
    }
    this.#judgeAll(templates, vms);
    return {
      marks: this.#marks,
      verdicts: this.#verdicts,
      problems: this.#problems,
      aside: this.#aside,
    };
  }

  #read(pane: Pane): Entity[] {
    const { entities, mistakes } = readEntities(this.#input.texts[pane]);
    this.#marks.push(...mistakes.map((mistake) => ({ pane, ...wrong("syntax"), ...mistake })));
    if (mistakes.length > 0) {
      this.#problems.push(`${names[pane]} cannot be read: see what is marked there.`);
    }
    return entities;
  }

  #lintEntity(pane: Pane, entity: Entity, isOne: boolean): void {
    const found = entity.once("lint", `${this.#input.ssp}`, (): Said[] => {
      const { annotations, mistakes } = annotationsIn(entity);
      return [
        ...mistakes.map((mistake) => ({ ...wrong("wrong-type"), ...mistake })),
        ...annotations.flatMap((annotation) => this.#lint(annotation)),
      ];
    });
    for (const { fix, ...mark } of found) {
      const about = [mark.about, isOne ? "" : entity.title].filter(Boolean).join(" of ");
      const moved = { pane, ...shifted(mark, entity.start), about };
      this.#marks.push(fix ? { ...moved, fix: shifted(fix, entity.start) } : moved);
    }
  }

  #lint(annotation: Annotation): Said[] {
    const profile = this.#input.ssp ? { profile: "ssp" as const } : {};
    const findings = lint(annotation.text, { version: annotation.version, ...profile });
    const shown = findings.filter(
      (f) => this.#input.ssp || !(f.id.startsWith("ssp-") && f.severity === "note"),
    );
    return place(annotation, shown).map(({ finding, from, to, fix }) => {
      const { severity, message, id, rule = "" } = finding;
      const said: Said = { from, to, severity, message, source: id, about: rule };
      const label = `Write ${JSON.stringify(finding.suggestion)}`;
      return fix ? { ...said, fix: { ...fix, label } } : said;
    });
  }

  /**
   * #judgeAll validates the VMs, wherever they are. The objects beside them are validated if there is no VM, or if they are
   * a bundle of templates of which the VMs name none.
   */
  #judgeAll(beside: Entity[], vms: Entity[]): void {
    const { texts, values } = this.#input;
    const options = { partial: this.#input.partial, instancetypes: this.#cluster };
    const templates = [...beside, ...vms].filter(isTemplate);
    for (const vm of vms) {
      this.#judge("vm", vm, () => judge(vm, texts.template, templates, options));
    }
    const isBundle = beside.length > 1 && beside.every(isTemplate);
    const isStray =
      isBundle && vms.length > 0 && this.#verdicts.every((one) => namesNone(one, beside));
    if (isStray) {
      this.#aside = `${vms.length > 1 ? "The VMs here name" : "The VM here names"} none of the templates.`;
    }
    const isMain = isStray || (vms.length === 0 && texts.vm.trim() === "");
    const key = JSON.stringify([options, values, templates.length]);
    for (const one of beside.filter((one) => isMain || isVM(one))) {
      this.#judge("template", one, () => {
        const filledIn = { json: filled(one, values) };
        const judgeIt = () => {
          const judged = judge(filledIn, "", templates, options);
          return judged.from === filledIn ? { ...judged, from: one } : judged;
        };
        return isTemplate(one) ? one.once("judge", key, judgeIt) : judgeIt();
      });
    }
  }

  #judge(pane: Pane, entity: Entity, judge: () => Omit<Judged, "rules">): void {
    try {
      const { report, by, from } = judge();
      const rules = this.#rulesOf(from === entity ? pane : "template", from);
      const entries = report.results.map((result) => this.#entry(pane, entity, result, rules));
      this.#add({ ...report, title: entity.title, pane, by, entries }, report);
    } catch (error) {
      if (!(error instanceof VmrulesError)) {
        throw error;
      }
      const target = { name: "", rules: 0, valid: false, coverage: "Undecided" } as const;
      const targets = [{ ...target, note: error.message }];
      this.#add({ title: entity.title, pane, by: "", valid: false, targets, entries: [] });
    }
  }

  #add({ title, pane, by, valid, targets, entries }: Verdict, report?: Report): void {
    const verdict = { title, pane, by, valid, targets, entries };
    this.#verdicts.push(verdict);
    this.reports.push([verdict, report]);
    const left = report?.omitted ?? 0;
    if (left > 0) {
      this.#problems.push(
        `${title}: the report leaves out ${left} results, because it is too long.`,
      );
    }
  }

  /** rulesOf returns a function that says where a rule of an object is; of the whole text, without one. */
  #rulesOf(pane: Pane, from: Entity | undefined): (name: string) => Spot | undefined {
    const whole: Annotation = { text: this.#input.texts.template, version: "201902-2" };
    const places = from
      ? from.once("rules", "", () => annotationsIn(from).annotations.map(rulesIn))
      : [rulesIn(whole)];
    return (name) => {
      const place = places.find((all) => all.has(name))?.get(name);
      return place && { pane, ...shifted(place, from?.start ?? 0) };
    };
  }

  #entry(
    pane: Pane,
    entity: Entity,
    result: Result,
    rules: (name: string) => Spot | undefined,
  ): Entry {
    const { outcome, rule, message, violations = [] } = result;
    const details = violations.map((violation) => this.#detail(pane, entity, result, violation));
    const target = details.length > 0 ? "" : result.target; // the field of a detail begins with it
    const note = [target, result.note].filter(Boolean).join(": ");
    const at = rules(rule);
    return { outcome, rule, message, note, details, ...(at && { at }) };
  }

  #detail(pane: Pane, entity: Entity, result: Result, violation: Violation): Detail {
    const { field } = violation;
    const detail = violation.text ?? violation.detail;
    if (field === undefined) {
      return { field: "", detail };
    }
    const spot = { pane, ...entity.locate(violation.pointer ?? "") };
    this.#marks.push({
      ...spot,
      isValue: true,
      severity: result.outcome === "Warned" ? "warning" : "error",
      message: `${violation.message}: ${detail}`,
      source: violation.rule,
    });
    return { field, detail, spot };
  }
}

/** namesNone reports whether the VMs of a verdict name templates, and none of these. */
function namesNone({ targets }: Verdict, templates: Entity[]): boolean {
  const names = templates.map((one) => nameOf(one).name);
  return targets.every(({ template }) => template && !names.includes(template.replace(/.*\//, "")));
}

const isVM = ({ object: { kind } }: Entity) => /^VirtualMachine(?!Template)/.test(`${kind}`);

/** filled returns a template in which its parameters have values; other objects as they are. */
export function filled(template: Entity, values: Values): string {
  const declared = declaredIn(template);
  if (declared.size === 0) {
    return template.json;
  }
  const given = Object.entries(values).filter(([name]) => declared.has(name));
  return jsonText(fill<object>(template.json, Object.fromEntries(given)));
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
