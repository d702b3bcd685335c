import {
  fill,
  jsonText,
  lint,
  type ObjectInput,
  type Problem,
  parseRules,
  type Report,
  type Result,
  type Violation,
  VmrulesError,
  validate,
  validateOwn,
} from "@vmrules/vmrules";
import { type Annotation, annotationsIn, isPlain, place, rulesIn } from "./annotation.js";
import { choose, holdsVM, notVM } from "./choice.js";
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
import { signOf, textOf } from "./report.js";

/** analyse lints the rules, and judges the objects by them. */
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
  const objects = analyser.reports.map(([{ title, by, why, valid }, report]) => {
    const verdict = why ? { object: title, notJudged: why } : { object: title, by, valid };
    const about = JSON.stringify(verdict).slice(0, -1);
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
    return { marks: this.#marks, verdicts: this.#verdicts, problems: this.#problems };
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
      (f) => this.#input.ssp || !(f.id.startsWith("ssp-") && f.severity === "info"),
    );
    return place(annotation, shown).map(({ finding, from, to, fix }) => {
      const { severity, message, id, rule = "" } = finding;
      const said: Said = { from, to, severity, message, source: id, about: rule };
      const label = `Write ${JSON.stringify(finding.suggestion)}`;
      return fix ? { ...said, fix: { ...fix, label } } : said;
    });
  }

  #judgeAll(templates: Entity[], vms: Entity[]): void {
    const { texts, values } = this.#input;
    for (const vm of vms) {
      this.#judge("vm", vm, () => {
        const choice = choose(vm, texts.template, templates);
        if (choice.rules === undefined) {
          return choice;
        }
        const report =
          choice.from === vm
            ? this.#checked(vm, validateOwn(vm.json, this.#options()))
            : validate(choice.rules(), vm.json, this.#options());
        return { ...choice, report };
      });
    }
    if (vms.length > 0 || texts.vm.trim() !== "") {
      return;
    }
    const key = JSON.stringify([this.#options(), values]);
    const judgeOwn = (template: Entity) => validateOwn(filled(template, values), this.#options());
    for (const template of templates) {
      this.#judge("template", template, () =>
        holdsVM(template)
          ? {
              by: own,
              from: template,
              report: this.#checked(
                template,
                template.once("judge", key, () => judgeOwn(template)),
              ),
            }
          : { why: notVM },
      );
    }
  }

  /** checked returns a report about an object by its own rules, after it has said which VMs in it have none. */
  #checked(entity: Entity, report: Report): Report {
    for (const vm of withoutRules(entity, report)) {
      this.#problems.push(`${entity.title}: ${vm} has no rules.`);
    }
    return report;
  }

  #options() {
    return { partial: this.#input.partial, instancetypes: this.#cluster };
  }

  #judge(pane: Pane, entity: Entity, judge: () => Judged): void {
    try {
      this.#add(pane, entity, judge());
    } catch (error) {
      if (!(error instanceof VmrulesError)) {
        throw error;
      }
      this.#problems.push(...reasons(entity, error));
      const report = error.result as Report | undefined;
      this.#add(
        pane,
        entity,
        report ? { by: own, from: entity, report } : { why: "its rules cannot be used" },
      );
    }
  }

  #add(pane: Pane, entity: Entity, { by = "", why = "", from, report }: Judged): void {
    const rules = this.#rulesOf(from === entity ? pane : "template", from);
    const results = report?.results ?? [];
    const isJudged = results.some(({ outcome }) => !/Skipped|Ignored|Undecided/.test(outcome));
    const verdict = {
      title: entity.title,
      pane,
      by,
      why: why || (isJudged || report?.valid === false ? "" : noRule(results)),
      valid: report?.valid ?? false,
      entries: results.map((result) => this.#entry(pane, entity, result, rules)),
    };
    this.#verdicts.push(verdict);
    this.reports.push([verdict, report]);
    const left = report?.omitted ?? 0;
    if (left > 0) {
      this.#problems.push(
        `${entity.title}: the report leaves out ${left} results, because it is too long.`,
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
    const { field, detail } = violation;
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

/** Judged is the report about an object, and by whose rules it is; or why there is none. */
interface Judged {
  by?: string;
  why?: string;
  /** from is the object that has the rules; undefined if they are the whole text. */
  from?: Entity | undefined;
  report?: Report;
}

const own = "its own rules";

function noRule(results: Result[]): string {
  const isUndecided = results.some(({ outcome }) => outcome === "Undecided"); // of warnings
  const verb = isUndecided ? "can be judged" : "applies";
  return results.length === 0 ? "it has no rules" : `none of its rules ${verb}`;
}

/** withoutRules returns where a template or list has VMs that no rule is about, if it has others. */
function withoutRules({ object, json }: Entity, { results }: Report): string[] {
  if (results.length === 0 || !/^Template$|List$/.test(`${object.kind}`)) {
    return [];
  }
  const judged = new Set(results.map(({ target }) => target));
  const probe = parseRules(
    `[{"name": "probe", "rule": "string", "path": "jsonpath::.spec", "message": "probe"}]`,
  );
  const vms = validate(probe, json).results.map(({ target }) => target ?? "");
  return vms.filter((target) => !judged.has(target));
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
