import { type Document, Scalar, stringify } from "yaml";
import { Entity, placeOf, readEntities } from "./document.js";
import { tokensOf } from "./pointer.js";
import type { Change } from "./protocol.js";

/**
 * edit returns a text with other values in one of its objects. A value that is written in the text
 * is replaced there; for others, the object is written anew. A value that goes becomes null, which
 * means the same, so that all else stays as it is written.
 */
export function edit(text: string, changes: Change[], which = 0): string {
  let edited = text;
  for (const change of changes) {
    const entity = readEntities(edited).entities[which];
    if (entity) {
      const { text, start } = entity;
      const changed = replaced(entity, change) ?? rewritten(entity, change);
      edited = edited.slice(0, start) + changed + edited.slice(start + text.length);
    }
  }
  return edited;
}

/** replaced returns the text with another scalar in the place of one; undefined if there is none. */
function replaced(entity: Entity, { pointer, value }: Change): string | undefined {
  const scalar = entity.scalarAt(pointer);
  if (scalar === undefined || (scalar.type ?? "").startsWith("BLOCK")) {
    return undefined;
  }
  const { from, to } = placeOf(scalar);
  if (from === to) {
    return undefined; // such as a key without a value
  }
  const isQuoted = entity.text[from] === '"';
  return entity.text.slice(0, from) + written(value, isQuoted) + entity.text.slice(to);
}

/** plain matches strings that are the same without quotes for all versions of YAML. */
const plain = /^[A-Za-z][\w./-]{3,}$/;
const words = /^(true|false|null|none)$/i;

function written(value: unknown, isQuoted: boolean): string {
  if (typeof value === "string" && !isQuoted && plain.test(value) && !words.test(value)) {
    return value;
  }
  return JSON.stringify(value ?? null);
}

function rewritten({ text, document: read, base }: Entity, change: Change): string {
  const { pointer, value = null } = change;
  const tokens = [...base, ...tokensOf(pointer)];
  if (text.trimStart().startsWith("{")) {
    const { object } = new Entity(text, read);
    setIn(object, tokens, value);
    return `${JSON.stringify(object, null, 2)}\n`;
  }
  const document = read.clone() as Document;
  const path = tokens.map((token) => (/^\d+$/.test(token) ? Number(token) : token));
  document.setIn(path, scalarOf(value));
  return stringify(document, { lineWidth: 0 });
}

/** scalarOf returns a scalar for a document in which all scalars are strings. */
function scalarOf(value: unknown): Scalar {
  const text = written(value, false);
  const isQuoted = text.startsWith('"');
  const scalar = new Scalar(isQuoted ? value : text);
  scalar.type = isQuoted ? "QUOTE_DOUBLE" : "PLAIN";
  return scalar;
}

function setIn(object: Record<string, unknown>, path: string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined || first === "__proto__") {
    return;
  }
  if (rest.length > 0) {
    object[first] ??= /^\d+$/.test(rest[0] as string) ? [] : {};
    setIn(object[first] as Record<string, unknown>, rest, value);
  } else {
    object[first] = value;
  }
}
