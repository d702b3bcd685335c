import { isScalar, parseAllDocuments, visit } from "yaml";
import { annotationKeys, isPlain } from "./annotation.js";
import { readEntities } from "./document.js";

/**
 * format lays out a text anew: JSON, or YAML with its comments, and the JSON of annotations in it.
 * It changes no value, and throws an error where it cannot promise that.
 */
export function format(text: string): string {
  if (isPlain(text) || isJSON(text)) {
    return `${indented(text)}\n`;
  }
  const values = valuesOf(text);
  if (values.length === 0) {
    return text;
  }
  const annotations = new Map<string, string>();
  const documents = parseAllDocuments(text, { schema: "failsafe" });
  for (const document of documents) {
    visit(document, {
      Pair(_, { key, value }) {
        const isAnnotation = isScalar(key) && annotationKeys.includes(String(key.value));
        if (isAnnotation && isScalar(value) && value.type === "BLOCK_LITERAL") {
          const old = String(value.value);
          if (isPlain(old) && isJSON(old)) {
            value.value = indented(old) + (old.endsWith("\n") ? "\n" : "");
            annotations.set(JSON.stringify(old), JSON.stringify(value.value));
          }
        }
      },
    });
  }
  const formatted = documents.map((document) => document.toString({ lineWidth: 0 })).join("");
  const wanted = values.map((json) =>
    [...annotations].reduce((all, [old, now]) => all.replaceAll(old, () => now), json),
  );
  if (JSON.stringify(valuesOf(formatted)) !== JSON.stringify(wanted)) {
    throw new Error("its values would change");
  }
  return formatted;
}

/** valuesOf returns the objects of a text as JSON. */
function valuesOf(text: string): string[] {
  const { entities, mistakes } = readEntities(text);
  if (mistakes[0]) {
    throw new Error(mistakes[0].message);
  }
  return entities.map(({ json }) => json);
}

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** width is how long an array of scalars may be in one line. */
const width = 80;

const scalar = String.raw`"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+`;
const list = String.raw`\[\s*(?:(?:${scalar})\s*,\s*)*(?:${scalar})\s*\]`;
const scalars = new RegExp(scalar, "g");
const tokens = new RegExp(`${list}|${scalar}|[{}[\\],:]`, "g");

/** indented returns a JSON text with a member in each line. Numbers keep their digits. */
export function indented(json: string): string {
  JSON.parse(json); // for its error
  let written = "";
  let depth = 0;
  let last = "";
  for (const token of (json.match(tokens) ?? []).flatMap(inLine)) {
    const isEnd = token === "}" || token === "]";
    const isFirst = last === "{" || last === "[";
    depth -= isEnd ? 1 : 0;
    if (last === "," || isFirst !== isEnd) {
      written += `\n${"  ".repeat(depth)}`;
    }
    written += token === ":" ? ": " : token;
    depth += token === "{" || token === "[" ? 1 : 0;
    last = token;
  }
  return written;
}

/** inLine returns an array of scalars as one token if it is short. */
function inLine(token: string): string[] {
  if (token === "[" || !token.startsWith("[")) {
    return [token];
  }
  const items = token.match(scalars) ?? [];
  const line = `[${items.join(", ")}]`;
  if (line.length <= width) {
    return [line];
  }
  return ["[", ...items.flatMap((item) => [",", item]).slice(1), "]"];
}
