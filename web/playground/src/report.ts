import type { Outcome } from "@vmrules/vmrules";
import { button, make } from "./elements.js";
import type { Analysis, Detail, Entry, Mark, Spot, Verdict } from "./protocol.js";

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

/** Show goes to a place in an editor. */
export type Show = (spot: Spot) => void;

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
  for (const verdict of verdicts) {
    if (verdicts.length > 1) {
      shown.push(make("h3", "object", verdict.title));
    }
    for (const [outcome] of outcomes) {
      const entries = verdict.entries.filter((entry) => entry.outcome === outcome);
      if (entries.length > 0) {
        shown.push(group(outcome, entries, show));
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

function group(outcome: Outcome, entries: Entry[], show: Show): HTMLElement {
  const meaning = meanings[outcome];
  const title = make("h3", "", `${outcome} `, make("span", "count", String(entries.length)));
  const section = make("section", `outcome ${outcome}`, title);
  if (meaning) {
    title.append(make("span", "meaning", meaning));
  }
  const items = entries.slice(0, maxShown).map((entry) => entryOf(entry, show));
  section.append(make("ul", "", ...items));
  if (entries.length > maxShown) {
    section.append(make("p", "hint", `and ${entries.length - maxShown} more`));
  }
  return section;
}

function entryOf(entry: Entry, show: Show): HTMLElement {
  const heading = make(
    "p",
    "rule",
    make("strong", "", entry.message),
    make("code", "", entry.rule),
  );
  const item = make("li", "", heading);
  for (const detail of entry.details.slice(0, maxShown)) {
    item.append(detailOf(detail, show));
  }
  if (entry.note !== "") {
    item.append(make("p", "note", entry.note));
  }
  return item;
}

function detailOf(detail: Detail, show: Show): HTMLElement {
  const { spot } = detail;
  const text = make("p", "detail");
  if (spot) {
    const go = button("link", () => show(spot), make("code", "", detail.field));
    go.title = "Go to this value";
    text.append(go, " ");
  }
  text.append(detail.detail);
  return text;
}

/** findingsOf returns what is marked in the template as a list, for use without a mouse. */
export function findingsOf(marks: Mark[], show: Show, mend: (mark: Mark) => void): Node[] {
  const own = marks.filter(({ pane }) => pane === "template");
  if (own.length === 0) {
    return [make("li", "hint", "Nothing to complain about.")];
  }
  const items: Node[] = own.slice(0, maxShown).map((mark) => {
    const item = make("li", mark.severity, make("span", "severity", mark.severity), " ");
    item.append(
      button("link", () => show(mark), mark.message),
      " ",
      make("code", "", mark.source),
    );
    if (mark.fix) {
      item.append(
        " ",
        button("fix", () => mend(mark), mark.fix.label),
      );
    }
    return item;
  });
  if (own.length > maxShown) {
    items.push(make("li", "hint", `and ${own.length - maxShown} more`));
  }
  return items;
}
