import type { Outcome } from "@vmrules/vmrules";
import { button, make } from "./elements.js";
import type { Analysis, Detail, Entry, Mark, Verdict } from "./protocol.js";

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
  Undecided: "could not be judged",
  Warned: "violated, but only a warning",
  Ignored: "not understood, or nothing to enforce",
  Skipped: "do not apply",
};

/** At says which value of a report is meant: the indexes of its verdict, entry and detail. */
export type At = [verdict: number, entry: number, detail: number];

/** Show goes to the value in its editor. */
export type Show = (at: At) => void;

/** summaryOf says in a sentence what is in an analysis. */
export function summaryOf({ verdicts, problems }: Analysis): string {
  if (verdicts.length === 0) {
    return problems.length > 0 ? "Not judged." : "No VM to judge yet.";
  }
  return verdicts.map((verdict) => `${verdict.title}: ${sentence(verdict)}`).join(" ");
}

function sentence({ valid, entries }: Verdict): string {
  const counts = outcomes.map(([outcome, word]) => [countOf(entries, outcome), word] as const);
  const text = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `${valid ? "valid" : "not valid"}${text.length > 0 ? `, ${text.join(", ")}` : ", no rules"}.`;
}

function countOf(entries: Entry[], outcome: Outcome): number {
  return entries.filter((entry) => entry.outcome === outcome).length;
}

/** maxShown limits the rules of an outcome that the page shows. */
const maxShown = 200;

/** reportOf returns the report as elements. */
export function reportOf({ verdicts, problems }: Analysis, show: Show): Node[] {
  const shown: Node[] = problems.map((problem) => make("p", "problem", problem));
  for (const [i, verdict] of verdicts.entries()) {
    if (verdicts.length > 1) {
      shown.push(make("h3", "object", verdict.title));
    }
    const all = [...verdict.entries.entries()];
    for (const [outcome] of outcomes) {
      const entries = all.filter(([, entry]) => entry.outcome === outcome);
      if (entries.length > 0) {
        shown.push(group(outcome, entries, (at, detail) => show([i, at, detail])));
      }
    }
  }
  if (shown.length === 0) {
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

type ShowDetail = (entry: number, detail: number) => void;

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

function entryOf(entry: Entry, show: (detail: number) => void): HTMLElement {
  const heading = make(
    "p",
    "rule",
    make("strong", "", entry.message),
    make("code", "", entry.rule),
  );
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

/** findingsIn returns what is wrong with the text of the template. */
export function findingsIn({ marks }: Analysis): Mark[] {
  return marks.filter(({ pane, isValue }) => pane === "template" && !isValue);
}

/** findingsOf returns findings as a list, for use without a mouse. */
export function findingsOf(
  findings: Mark[],
  show: (at: number) => void,
  mend: (at: number) => void,
): Node[] {
  if (findings.length === 0) {
    return [make("li", "hint", "Nothing to complain about.")];
  }
  const items: Node[] = findings.slice(0, maxShown).map((mark, at) => {
    const item = make("li", mark.severity, make("span", "severity", mark.severity), " ");
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
