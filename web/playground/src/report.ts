import type { Outcome, Target } from "@vmrules/vmrules";
import { button, make } from "./elements.js";
import type { Analysis, Detail, Entry, Mark, Sign, Spot, Verdict } from "./protocol.js";
import { type Row, tableOf } from "./table.js";

/** outcomes are all outcomes, in the order in which they are shown, with the words of the summary. */
const outcomes: [Outcome, string][] = [
  ["Violated", "violated"],
  ["Undecided", "undecided"],
  ["Warned", "warned"],
  ["Ignored", "ignored"],
  ["Skipped", "skipped"],
  ["Satisfied", "satisfied"],
];

/** meanings say what an outcome is, where its name may not. */
const meanings: { [outcome in Outcome]?: string } = {
  Undecided: "could not be decided",
  Warned: "violated, but only a warning",
  Ignored: "not understood, or nothing to enforce",
  Skipped: "do not apply",
};

/** At says which rule of a report is meant, or which value: the indexes of its verdict, entry and detail. */
export type At = [verdict: number, entry: number, detail?: number | undefined];

/** Show goes to the value in its editor. */
export type Show = (at: At) => void;

/** signs are all signs, in the order in which objects are shown, with the words of the summary. */
const signs: [Sign, string][] = [
  ["bad", "not valid"],
  ["doubtful", "in doubt"],
  ["unjudged", "not validated"],
  ["good", "valid"],
];

function signOfTarget({ valid, coverage }: Target): Sign {
  if (valid && coverage !== "Judged") {
    return coverage === "Ignored" || coverage === "Undecided" ? "doubtful" : "unjudged";
  }
  return valid ? "good" : "bad";
}

function worst(found: Sign[]): Sign | undefined {
  return signs.find(([sign]) => found.includes(sign))?.[0];
}

/** signOfTargets returns the sign of all VMs of an object together. */
export function signOfTargets(targets: Target[]): Sign {
  return worst(targets.map(signOfTarget)) ?? "unjudged";
}

/** signOf returns the sign of all objects together; "" if there is nothing to validate. */
export function signOf({ verdicts, problems }: Analysis): Sign | "" {
  const found = verdicts.map(({ targets }) => signOfTargets(targets));
  return worst(problems.length > 0 ? [...found, "unjudged"] : found) ?? "";
}

/** summaryOf says in a line what is in an analysis. */
export function summaryOf(analysis: Analysis): string {
  const { verdicts, problems } = analysis;
  const [first, ...rest] = verdicts;
  if (
    problems.length > 0 &&
    verdicts.every(({ targets }) => signOfTargets(targets) === "unjudged")
  ) {
    return `Not validated: ${problems[0]}`;
  }
  if (first === undefined) {
    return "No VM to validate yet.";
  }
  const but = problems.length > 0 ? ` But: ${problems[0]}` : "";
  return (rest.length === 0 ? `${first.title}: ${sentence(first)}.` : countsOf(verdicts)) + but;
}

/** countsOf says how many objects are valid, such as "90 templates: 88 valid, 2 not." */
function countsOf(verdicts: Verdict[]): string {
  const counts = [...signs].reverse().map(([sign, word]) => {
    const count = verdicts.filter(({ targets }) => signOfTargets(targets) === sign).length;
    return count > 0 ? `${count} ${word}` : "";
  });
  const isTemplate = ({ title }: Verdict) => /^\w*Template\b/.test(title);
  const noun = verdicts.every(isTemplate)
    ? "templates"
    : verdicts.some(isTemplate)
      ? "objects"
      : "VMs";
  const text = counts.filter(Boolean).join(", ");
  return `${verdicts.length} ${noun}: ${text.replace(/( valid, .*not) valid$/, "$1")}.`; // said once
}

/** Became is what a sentence is about. */
interface Became extends Pick<Verdict, "by" | "valid" | "targets"> {
  entries: Pick<Entry, "outcome">[];
}

/** sentence says what became of an object: the results of its rules, and what none validated. */
export function sentence({ by, valid, targets, entries }: Became): string {
  const left = targets.filter(({ coverage }) => coverage !== "Judged");
  if (left.length === targets.length && countOf(entries, "Violated") === 0) {
    return `not validated: ${[...new Set(left.map(whyOf))].join("; ")}`;
  }
  const counts = outcomes.map(([outcome, word]) => [countOf(entries, outcome), word] as const);
  const text = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const but = left.map((target) => `. But ${target.name || "the VM"}: ${whyOf(target)}`);
  return `${[valid ? "valid" : "not valid", ...text].join(", ")}, by ${by}${but.join("")}`;
}

/** whyOf says why no rule was applied to a VM. */
export function whyOf({ coverage, template, note = "" }: Target): string {
  switch (coverage) {
    case "NoRules":
      return template ? `it has no rules, as the template ${template}` : "it has no rules";
    case "Exempt":
      return "it is exempt";
    case "NotVM":
      return "it is no VM";
    case "Incomplete":
      return "not filled in yet";
    default:
      return note.replace("the validation rules cannot be used", "its rules cannot be read");
  }
}

function countOf(entries: Pick<Entry, "outcome">[], outcome: Outcome): number {
  return entries.filter((entry) => entry.outcome === outcome).length;
}

/** textOf returns a report as plain text, as one sends it to somebody. */
export function textOf(analysis: Analysis): string {
  const { verdicts, problems } = analysis;
  const lines = [summaryOf(analysis), ...problems];
  for (const verdict of verdicts) {
    if (verdicts.length > 1) {
      lines.push("", `${verdict.title}: ${sentence(verdict)}`);
    }
    for (const [outcome] of outcomes) {
      for (const entry of verdict.entries.filter((one) => one.outcome === outcome)) {
        lines.push(`${outcome} ${entry.rule}: ${entry.message}`);
        const said = entry.details.map(({ field, detail }) =>
          field ? `${field}: ${detail}` : detail,
        );
        lines.push(...[...said, entry.note].filter(Boolean).map((line) => `  ${line}`));
      }
    }
  }
  return `${lines.join("\n")}\n`;
}

/** maxShown limits the rules of an outcome that the page shows. */
const maxShown = 200;

/** maxListed is how many objects are a list; more are a table. */
const maxListed = 20;

/** reportOf returns the report as elements: the objects that are not valid first. */
export function reportOf({ verdicts, problems }: Analysis, show: Show): Node[] {
  const shown: Node[] = problems.map((problem) => make("p", "problem", problem));
  const all = [...verdicts.entries()];
  if (all.length === 1) {
    shown.push(...all.flatMap(([i, verdict]) => groupsOf(verdict, i, show)));
  } else if (all.length > maxListed) {
    shown.push(tableOfMany(all, show));
  } else if (all.length > 1) {
    const open = all.find(([, { targets }]) => signOfTargets(targets) === "bad")?.[0];
    for (const [sign] of signs) {
      const some = all.filter(([, { targets }]) => signOfTargets(targets) === sign);
      shown.push(...some.map(([i, verdict]) => objectOf(verdict, sign, i, i === open, show)));
    }
  }
  if (verdicts.length === 0 && problems.length === 0) {
    shown.push(
      make(
        "p",
        "hint",
        "Write a VM, or a template with one, and what its rules say about it is shown here.",
      ),
    );
  }
  return shown;
}

/** tableOfMany returns a table of objects, with a column for each outcome that counts and occurs. */
function tableOfMany(all: [number, Verdict][], show: Show): Node {
  const columns = outcomes.filter(
    ([outcome]) =>
      ["Violated", "Undecided", "Warned"].includes(outcome) &&
      all.some(([, { entries }]) => countOf(entries, outcome) > 0),
  );
  const rows = all.map(([i, verdict]): Row => {
    const { title, targets, entries } = verdict;
    const at = signs.findIndex(([sign]) => sign === signOfTargets(targets));
    const [sign, word] = signs[at] ?? ["", ""];
    const counts = columns.map(([outcome]) => countOf(entries, outcome));
    const cells = [title, word, ...counts.map((count) => (count > 0 ? `${count}` : ""))];
    return { sign, cells, keys: [title, at, ...counts], details: () => groupsOf(verdict, i, show) };
  });
  return tableOf(["Object", "Result", ...columns.map(([outcome]) => outcome)], rows);
}

/** objectOf returns an object of several, whose report is made when it is opened. */
function objectOf(verdict: Verdict, sign: Sign, i: number, isOpen: boolean, show: Show): Node {
  const says = make("span", `says ${sign}`, sentence(verdict));
  const object = make("details", "object", make("summary", "", make("b", "", verdict.title), says));
  const fill = () => object.append(...groupsOf(verdict, i, show));
  object.addEventListener("toggle", fill, { once: true });
  object.open = isOpen;
  return object;
}

function groupsOf(verdict: Verdict, i: number, show: Show): Node[] {
  const all = [...verdict.entries.entries()];
  if (all.length === 0) {
    return [make("p", "hint", `${verdict.title}: ${sentence(verdict)}.`)];
  }
  return outcomes.flatMap(([outcome]) => {
    const entries = all.filter(([, entry]) => entry.outcome === outcome);
    return entries.length > 0
      ? [group(outcome, entries, (at, detail) => show([i, at, detail]))]
      : [];
  });
}

type ShowDetail = (entry: number, detail?: number) => void;

function group(outcome: Outcome, entries: [number, Entry][], show: ShowDetail): HTMLElement {
  const meaning = meanings[outcome];
  const title = make("h3", "", `${outcome} `, make("span", "count", String(entries.length)));
  const section = make("section", `outcome ${outcome}`, title);
  if (meaning) {
    title.append(make("span", "meaning", meaning));
  }
  const items = entries
    .slice(0, maxShown)
    .map(([at, entry]) => entryOf(entry, (detail) => show(at, detail)));
  section.append(make("ul", "", ...items));
  if (entries.length > maxShown) {
    section.append(make("p", "hint", `and ${entries.length - maxShown} more`));
  }
  return section;
}

function entryOf(entry: Entry, show: (detail?: number) => void): HTMLElement {
  const name = make("code", "", entry.rule);
  const go = button("link", () => show(), name);
  go.title = "Go to this rule";
  const heading = make("p", "rule", make("strong", "", entry.message), entry.at ? go : name);
  const item = make("li", "", heading);
  for (const [i, detail] of entry.details.slice(0, maxShown).entries()) {
    item.append(detailOf(detail, () => show(i)));
  }
  if (entry.note !== "") {
    item.append(make("p", "note", entry.note));
  }
  return item;
}

function detailOf(detail: Detail, show: () => void): HTMLElement {
  const text = make("p", "detail");
  if (detail.spot) {
    const go = button("link", show, make("code", "", detail.field));
    go.title = "Go to this value";
    text.append(go);
  }
  text.append(detail.detail);
  return text;
}

/** firstIn returns where the first rule that is not satisfied is, and its value. */
export function firstIn({ verdicts }: Analysis): Spot[] {
  const entries = verdicts.flatMap((verdict) => verdict.entries);
  const first = entries.find(({ outcome }) => outcome === "Violated" || outcome === "Undecided");
  return [first?.at, first?.details[0]?.spot].filter((spot) => spot !== undefined);
}

/** findingsIn returns what is wrong with the text of the template. */
export function findingsIn({ marks }: Analysis): Mark[] {
  return marks.filter(({ pane, isValue }) => pane === "template" && !isValue);
}

/** findingsOf returns findings as a list, for use without a mouse. */
export function findingsOf(
  analysis: Analysis,
  lineOf: (mark: Mark) => number,
  show: (at: number) => void,
  mend: (at: number) => void,
): Node[] {
  const findings = findingsIn(analysis);
  if (findings.length === 0 && analysis.problems.length === 0) {
    return [make("li", "hint", "Nothing to complain about.")];
  }
  const items: Node[] = findings.slice(0, maxShown).map((mark, at) => {
    const severity = make("span", "severity", mark.severity);
    const about = [`line ${lineOf(mark)}`, mark.about].filter(Boolean).join(", ");
    const item = make(
      "li",
      mark.severity === "note" ? "hint" : mark.severity,
      severity,
      " ",
      make("span", "note", about),
      " ",
    );
    item.append(
      button("link", () => show(at), mark.message),
      " ",
      make("code", "", mark.source),
    );
    if (mark.fix) {
      item.append(
        " ",
        button("fix", () => mend(at), mark.fix.label),
      );
    }
    return item;
  });
  if (findings.length > maxShown) {
    items.push(make("li", "hint", `and ${findings.length - maxShown} more`));
  }
  return items;
}
