// A program that answers the questions of ../../conformance with the package, a line for a line.
import { createInterface } from "node:readline";
import type * as Api from "@vmrules/vmrules";

const api: typeof Api = await import(new URL("../../dist/index.js", import.meta.url).href);
await api.init();

/** onPurpose has the vectors that the package answers otherwise than the Go library. */
const onPurpose: { [id: string]: string } = {
  "targets/no rules over a null object: no results":
    "JavaScript has null where a program forgot the object: that is never valid",
  "coverage/a list in which a template is missing":
    "a template that is named without its namespace is found in any",
};

/** A question's objects stay texts, because JSON.parse would change numbers. */
type Question = Map<string, string>;

for await (const line of createInterface({ input: process.stdin })) {
  const question = membersOf(line);
  const id: string = parsed(question, "id");
  const skipped = onPurpose[id];
  console.log(JSON.stringify({ id, ...(skipped ? { skipped } : answerTo(question)) }));
}

function answerTo(question: Question): object {
  const options = membersOf(question.get("options") ?? "{}");
  const missing = ["withoutInstancetypes", "warnIfUndecided", "lookup"].find((o) => options.has(o));
  if (missing !== undefined) {
    return { skipped: `there is no ${missing}` };
  }
  try {
    const report = reportOn(question, options);
    const violations = report.results.flatMap((result) => result.violations ?? []);
    return {
      refused: false,
      valid: report.valid,
      outcomes: report.results.map((result) => result.outcome),
      violations: violations.map(({ rule, field = "", reason }) => ({ rule, field, reason })),
    };
  } catch (error) {
    if (error instanceof api.VmrulesError && error.problems !== undefined) {
      return { refused: true };
    }
    throw error;
  }
}

function reportOn(question: Question, settings: Question): Api.Report {
  const parse = given<Api.ParseOptions>({
    strict: parsed(settings, "strict"),
    root: parsed(settings, "root"),
    version: parsed(question, "version"),
  });
  const options = given<Api.ValidateOptions>({
    partial: parsed(settings, "partial"),
    ratcheting: parsed(settings, "ratcheting"),
    defaults: parsed(settings, "defaults"),
    oldObject: textIn(question, "old"),
    instancetype: textIn(question, "instancetype"),
    preference: textIn(question, "preference"),
    instancetypes: partsOf(question.get("cluster") ?? "[]"),
  });
  const object = textIn(question, "object");
  switch (parsed(question, "call")) {
    case "validateOwn": {
      const templates = question.has("templates") ? partsOf(question.get("templates") ?? "") : null;
      return api.validateOwn(object, { ...options, ...parse, templates });
    }
    case "rulesFor": {
      const rules = api.rulesFor(object, textIn(question, "template"), parse);
      return api.validate(rules, object, options);
    }
    default:
      return api.validate(api.parseRules(parsed(question, "annotation"), parse), object, options);
  }
}

/** given returns the options that a question has. */
function given<Options>(options: { [Name in keyof Options]?: unknown }): Options {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Options;
}

/** textIn returns the text of an object; undefined if there is none. */
function textIn(question: Question, name: string): string | undefined {
  const text = question.get(name);
  return text === "null" ? undefined : text;
}

// biome-ignore lint/suspicious/noExplicitAny: the runner writes what it says
function parsed(question: Question, name: string): any {
  const text = question.get(name);
  return text === undefined ? undefined : JSON.parse(text);
}

/** membersOf returns the texts of the members of a JSON object. */
function membersOf(object: string): Question {
  const members = partsOf(object).map((part): [string, string] => {
    const [key = ""] = /^\s*"[^"\\]*(?:\\.[^"\\]*)*"\s*/.exec(part) ?? [];
    return [JSON.parse(key), part.slice(key.length + 1)];
  });
  return new Map(members);
}

/** partsOf returns what the commas of a JSON object or array separate. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 1;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g)) {
    if ("[{".includes(token)) {
      depth++;
    } else if ("]}".includes(token)) {
      depth--;
    }
    const isEnd = depth === 0 || (depth === 1 && token === ",");
    if (isEnd && text.slice(start, index).trim() !== "") {
      parts.push(text.slice(start, index));
    }
    start = isEnd ? index + 1 : start;
  }
  return parts;
}
