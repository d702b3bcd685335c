import { knownFields, VmrulesError } from "@vmrules/vmrules";
import { annotationStart } from "./annotation.js";
import { readEntities } from "./document.js";
import type { Completions, Option, Texts } from "./protocol.js";

/** complete returns what may be written at a place of the template. */
export function complete(texts: Texts, at: number): Completions | null {
  const start = annotationStart(texts.template, at);
  if (start === undefined) {
    return null;
  }
  const cursor = read(texts.template.slice(start, at));
  if (!cursor?.inside) {
    return null;
  }
  const from = at - cursor.typed.length;
  if (cursor.expectsKey) {
    const taken = keysAround(texts.template, start + cursor.ruleStart, at);
    const [, quote = "", colon = ""] = /^("?)\s*(:?)/.exec(texts.template.slice(at)) ?? [];
    const behind = colon === "" ? quote.length : 0;
    return { from, behind, options: keys(taken, colon !== "") };
  }
  return values(cursor, from, texts);
}

/** A Cursor is where a text of JSON ends. */
interface Cursor {
  inside: boolean; // of a rule
  ruleStart: number;
  expectsKey: boolean;
  key: string;
  inString: boolean;
  typed: string;
  path: string; // of the rule, if it is written before the cursor
}

/** read reads the beginning of an annotation, which ends in the middle of something. */
function read(text: string): Cursor | undefined {
  const cursor: Cursor = {
    inside: false,
    ruleStart: 0,
    expectsKey: false,
    key: "",
    inString: false,
    typed: "",
    path: "",
  };
  for (const found of text.matchAll(/"((?:[^"\\\n]|\\.)*)("?)|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const [token, string, close] = found;
    cursor.inString = false;
    cursor.typed = "";
    if (string !== undefined) {
      if (close === "") {
        cursor.inString = found.index + token.length === text.length;
        cursor.typed = string;
      } else if (cursor.expectsKey) {
        cursor.key = string;
      } else if (cursor.key === "path") {
        cursor.path = string;
      }
      continue;
    }
    switch (token) {
      case "{":
        Object.assign(cursor, { inside: true, ruleStart: found.index, expectsKey: true, path: "" });
        break;
      case "}":
        cursor.inside = false;
        break;
      case ":":
        cursor.expectsKey = false;
        break;
      case ",":
        cursor.expectsKey = !inList(text, cursor.ruleStart, found.index);
        break;
      case "[":
      case "]":
        break;
      default:
        cursor.typed = found.index + token.length === text.length ? token : "";
    }
  }
  return cursor;
}

/** inList reports whether a comma is inside the array of a rule's `values`. */
function inList(text: string, ruleStart: number, at: number): boolean {
  const before = text.slice(ruleStart, at).replace(/"(?:[^"\\\n]|\\.)*"/g, "");
  return before.lastIndexOf("[") > before.lastIndexOf("]");
}

const keyDetails: { [key: string]: [detail: string, value: string] } = {
  name: ["the name of the rule", '"'],
  rule: ["integer, string, enum or regex", '"'],
  path: ["what is validated", '"jsonpath::.'],
  message: ["what the user reads", '"'],
  valid: ["skips the rule where this selects nothing", '"jsonpath::.'],
  justWarning: ["a violation only warns", "true"],
  min: ["the least value", ""],
  max: ["the greatest value", ""],
  minLength: ["the least length in characters", ""],
  maxLength: ["the greatest length in characters", ""],
  values: ["the values that are allowed", "["],
  regex: ["the pattern that the value matches", '"'],
};

const closing: { [open: string]: string } = { '"': '"', "[": "]" };

function keys(taken: Set<string>, hasValue: boolean): Option[] {
  return Object.entries(keyDetails)
    .filter(([key]) => !taken.has(key))
    .map(([key, [detail, value]]) => {
      const insert = hasValue ? key : wholeMember(key, value);
      return { label: key, type: "property", detail, insert };
    });
}

function wholeMember(key: string, value: string): string {
  return `${key}": ${value}${closing[value[0] ?? ""] ?? ""}`;
}

/** keysAround returns the keys of the rule in which something is written. */
function keysAround(text: string, start: number, at: number): Set<string> {
  const end = text.indexOf("}", at);
  const rule = text.slice(start, end < 0 ? text.length : end);
  return new Set([...rule.matchAll(/"(\w+)"\s*:/g)].map((found) => found[1] as string));
}

const kinds: { [kind: string]: string } = {
  integer: "a whole number, or a quantity such as 2Gi",
  string: "a string",
  enum: "one of some values",
  regex: "what matches a pattern",
};

function values(cursor: Cursor, from: number, texts: Texts): Completions | null {
  if (cursor.key === "justWarning") {
    return { from, options: [{ label: "true", type: "keyword" }] };
  }
  if (!cursor.inString) {
    return null;
  }
  if (cursor.key === "rule") {
    const options = Object.entries(kinds).map(([label, detail]) => ({
      label,
      type: "enum",
      detail,
    }));
    return { from, options };
  }
  if (cursor.typed.startsWith(prefix) || cursor.key === "path" || cursor.key === "valid") {
    return paths(cursor.typed, from, texts);
  }
  if (cursor.key === "values") {
    const listed = valuesOf(cursor.path);
    return { from, options: listed.map((label) => ({ label, type: "constant" })) };
  }
  return null;
}

const prefix = "jsonpath::";

function paths(typed: string, from: number, texts: Texts): Completions | null {
  if (!typed.startsWith(prefix)) {
    return { from, options: [{ label: prefix, type: "keyword", insert: `${prefix}.` }] };
  }
  const dot = typed.lastIndexOf(".");
  if (dot < prefix.length) {
    return null;
  }
  const parent = typed.slice(0, dot);
  const here = new Set(namesIn(texts, parent.slice(prefix.length)));
  const options = known(parent).map(({ name, shape }): Option => {
    const insert = shape === "array" ? `${name}[*]` : name;
    const detail = here.delete(name) ? `${shape}, in this VM` : shape;
    return { label: insert, type: shape === "scalar" ? "variable" : "namespace", detail };
  });
  for (const name of here) {
    options.push({ label: name, type: "variable", detail: "in this VM" });
  }
  return { from: from + dot + 1, options };
}

function known(parent: string) {
  try {
    return knownFields(parent === prefix ? "" : parent);
  } catch (error) {
    if (error instanceof VmrulesError) {
      return []; // the path is not complete
    }
    throw error;
  }
}

function valuesOf(path: string): string[] {
  const dot = path.lastIndexOf(".");
  const parent = known(path.slice(0, dot));
  return parent.find(({ name }) => name === path.slice(dot + 1))?.values ?? [];
}

/** namesIn returns the names below a plain path in the VM that is being edited. */
function namesIn(texts: Texts, path: string): string[] {
  const vm = readEntities(texts.vm).entities[0]?.object;
  let at: unknown[] = [(vm?.spec as { template?: unknown } | undefined)?.template];
  for (const step of path.matchAll(/\.([\w-]+)(\[[^\]]*\])?/g)) {
    at = at.map((value) => memberOf(value, step[1] as string));
    at = step[2] ? at.flat() : at;
  }
  const objects = at.filter((value) => typeof value === "object" && value !== null);
  const names = objects.flatMap((value) =>
    Array.isArray(value) ? [] : Object.keys(value as object),
  );
  return [...new Set(names)].filter((name) => /^[\w-]+$/.test(name));
}

function memberOf(value: unknown, name: string): unknown {
  const is = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return is ? (value as Record<string, unknown>)[name] : undefined;
}
