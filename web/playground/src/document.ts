import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { tokensOf } from "./pointer.js";

/** A Place is a part of a text, in UTF-16 code units. */
export interface Place {
  from: number;
  to: number;
}

/** A Mistake is something in a text that cannot be read. */
export interface Mistake extends Place {
  message: string;
}

/** AnyNode is a node of a YAML document; null where a value is not written. */
export type AnyNode = unknown;

/** maxText limits the length of a text: KubeVirt's objects may have about 1.5 MB. */
const maxText = 2_000_000;

/** maxDepth limits the objects and arrays inside each other. */
const maxDepth = 200;

/** maxCopies limits the values that aliases and merge keys stand for. */
const maxCopies = 100_000;

/** An Entity is one YAML document: an object of Kubernetes. */
export class Entity {
  readonly text: string;
  readonly document: Document;
  /** json is the JSON of the object, in which numbers have all their digits. */
  readonly json: string;
  /** object is the same for JavaScript, whose numbers may have fewer digits. */
  readonly object: Record<string, unknown>;

  constructor(text: string, document: Document) {
    this.text = text;
    this.document = document;
    this.json = new JSONWriter(document).write(document.contents, 0);
    this.object = JSON.parse(this.json);
  }

  /** title names the object. */
  get title(): string {
    const { kind, metadata } = this.object as { kind?: string; metadata?: Record<string, unknown> };
    const names = [metadata?.namespace, metadata?.name].filter((name) => typeof name === "string");
    return [typeof kind === "string" ? kind : "Object", names.join("/")].join(" ").trim();
  }

  /**
   * locate returns the place of the value that a JSON Pointer selects. If the text does not hold
   * the value, it returns that of the key of the innermost object around it.
   */
  locate(pointer: string): Place {
    let node: AnyNode = this.document.contents;
    let key: AnyNode = node;
    for (const token of tokensOf(pointer)) {
      const found = child(resolved(this.document, node), token, this.document);
      if (found === undefined) {
        return placeOf(key);
      }
      [key, node] = found;
    }
    return isScalar(node) ? placeOf(node) : placeOf(key);
  }

  /** scalarAt returns the scalar that a JSON Pointer selects, if the text holds it there. */
  scalarAt(pointer: string): Scalar | undefined {
    let node: AnyNode = this.document.contents;
    for (const token of tokensOf(pointer)) {
      node = child(node, token, this.document)?.[1];
    }
    return isScalar(node) ? node : undefined;
  }
}

/** placeOf returns the place of a node; of an object or array, that of its first line. */
export function placeOf(node: AnyNode): Place {
  const range = (node as { range?: [number, number, number] } | null)?.range;
  return range ? { from: range[0], to: range[1] } : { from: 0, to: 0 };
}

function resolved(document: Document, node: AnyNode): AnyNode {
  return isAlias(node) ? node.resolve(document) : node;
}

/** child returns the member or item of a node: the node to point at, and the value. */
function child(node: AnyNode, token: string, document: Document): [AnyNode, AnyNode] | undefined {
  if (isSeq(node)) {
    const item = /^\d+$/.test(token) ? node.items[Number(token)] : undefined;
    return item === undefined ? undefined : [item, item];
  }
  if (!isMap(node)) {
    return undefined;
  }
  const pair = pairsOf(node, document).get(token);
  return pair && [pair.key, pair.value];
}

/** pairsOf returns the members of an object, also those that a merge key adds. */
function pairsOf(
  map: YAMLMap,
  document: Document,
  budget = { left: maxCopies },
): Map<string, Pair> {
  const all = new Map<string, Pair>();
  for (const pair of map.items.filter(isMerge)) {
    const from = resolved(document, pair.value);
    const sources = isSeq(from) ? [...from.items].reverse() : [from];
    for (const source of sources) {
      spend(budget, pair.key);
      const one = resolved(document, source);
      if (!isMap(one)) {
        throw new Unreadable("<< takes an object, or an array of objects", pair.key);
      }
      for (const [key, value] of pairsOf(one, document, budget)) {
        spend(budget, pair.key);
        all.set(key, value);
      }
    }
  }
  for (const pair of map.items) {
    if (!isMerge(pair)) {
      all.set(keyOf(pair), pair);
    }
  }
  return all;
}

function spend(budget: { left: number }, node: AnyNode): void {
  if (--budget.left < 0) {
    throw new Unreadable(`aliases and merge keys stand for more than ${maxCopies} values`, node);
  }
}

function isMerge(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.value === "<<";
}

function keyOf(pair: Pair): string {
  if (!isScalar(pair.key)) {
    throw new Unreadable("a key must be a string, not an object, an array or an alias", pair.key);
  }
  return String(pair.key.value ?? "");
}

/** Unreadable says that a part of a document cannot be written as JSON. */
class Unreadable extends Error {
  readonly node: AnyNode;
  constructor(message: string, node: AnyNode) {
    super(message);
    this.node = node;
  }
}

/** A JSONWriter writes YAML as JSON, with the values that kubectl reads, and all digits of numbers. */
class JSONWriter {
  readonly #document: Document;
  readonly #budget = { left: maxCopies };
  #inAlias = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  write(node: AnyNode, depth: number): string {
    if (depth > maxDepth) {
      throw new Unreadable(nestedTooDeeply, node); // by aliases
    }
    if (this.#inAlias > 0) {
      spend(this.#budget, node);
    }
    if (isAlias(node)) {
      return this.#alias(node, depth);
    }
    if (isSeq(node)) {
      return `[${node.items.map((item) => this.write(item, depth + 1)).join()}]`;
    }
    if (isMap(node)) {
      return this.#map(node, depth);
    }
    return isScalar(node) ? scalarJSON(node) : "null";
  }

  #map(node: YAMLMap, depth: number): string {
    const merges = node.items.some(isMerge) ? 1 : 0;
    this.#inAlias += merges;
    const members = [...pairsOf(node, this.#document, this.#budget)].map(
      ([key, pair]) => `${JSON.stringify(key)}:${this.write(pair.value, depth + 1)}`,
    );
    this.#inAlias -= merges;
    return `{${members.join()}}`;
  }

  #alias(node: Alias, depth: number): string {
    const found = node.resolve(this.#document);
    if (found === undefined) {
      throw new Unreadable(`there is no anchor &${node.source} before this alias`, node);
    }
    this.#inAlias++;
    const text = this.write(found, depth + 1);
    this.#inAlias--;
    return text;
  }
}

const constants: { [text: string]: string } = { "": "null", "~": "null" };
for (const [json, words] of [
  ["null", ["null"]],
  ["true", ["true", "yes", "on"]],
  ["false", ["false", "no", "off"]],
] as const) {
  for (const word of words) {
    const capital = word[0]?.toUpperCase() + word.slice(1);
    for (const form of [word, capital, word.toUpperCase()]) {
      constants[form] = json;
    }
  }
}
Object.assign(constants, { y: "true", Y: "true", n: "false", N: "false" });

/** scalarJSON returns the JSON of a scalar. All but plain scalars are strings. */
function scalarJSON(node: Scalar): string {
  const text = String(node.value ?? "");
  if (node.type !== "PLAIN" || node.tag === "tag:yaml.org,2002:str") {
    return JSON.stringify(text);
  }
  return constants[text] ?? numberJSON(text) ?? JSON.stringify(text);
}

function numberJSON(text: string): string | undefined {
  if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) {
    return text;
  }
  const plain = text.replaceAll("_", "");
  const [, sign, based] = /^([-+]?)(0x[\da-f]+|0b[01]+|0o?[0-7]+)$/i.exec(plain) ?? [];
  if (based !== undefined) {
    const octal = /^0o?([0-7]+)$/i.exec(based);
    return (sign === "-" ? "-" : "") + BigInt(octal ? `0o${octal[1]}` : based);
  }
  const parts = /^([-+]?)(\d*)(?:\.(\d*))?([eE][-+]?\d+)?$/.exec(plain);
  if (!parts || !/^[-+]?\.?\d/.test(plain)) {
    return undefined;
  }
  const [, minus, whole, fraction, exponent] = parts;
  const digits = whole?.replace(/^0+/, "") || "0";
  return (minus === "-" ? "-" : "") + digits + (fraction ? `.${fraction}` : "") + (exponent ?? "");
}

/** readEntities reads the objects of a text in YAML or JSON. */
export function readEntities(text: string): { entities: Entity[]; mistakes: Mistake[] } {
  const entities: Entity[] = [];
  const mistakes: Mistake[] = [];
  if (text.length > maxText) {
    const message = `The text has ${text.length} characters: this page reads up to ${maxText}.`;
    return { entities, mistakes: [{ from: 0, to: 0, message }] };
  }
  for (const document of documentsOf(text, mistakes)) {
    if (
      (isScalar(document.contents) && document.contents.value === "") ||
      document.contents === null
    ) {
      continue; // such as an empty document behind ---
    }
    if (!isMap(document.contents)) {
      mistakes.push({
        ...placeOf(document.contents),
        message: "an object of Kubernetes is expected here",
      });
      continue;
    }
    const entity = entityOf(text, document, mistakes);
    if (entity) {
      entities.push(entity);
    }
  }
  return { entities, mistakes };
}

/** documentsOf returns the documents of a text that can be read. */
function documentsOf(text: string, mistakes: Mistake[]): Document[] {
  const tokens = [...new Parser().parse(text)];
  const deep = tooDeep(tokens);
  if (deep !== undefined) {
    mistakes.push({ from: deep, to: deep + 1, message: nestedTooDeeply });
    return [];
  }
  // All scalars are strings in this schema: scalarJSON reads them.
  const composer = new Composer({ schema: "failsafe", prettyErrors: false });
  const documents = [...composer.compose(tokens)];
  for (const { errors } of documents) {
    for (const error of errors.slice(0, 20)) {
      mistakes.push({ from: error.pos[0], to: error.pos[1], message: error.message });
    }
  }
  return documents.filter((document) => document.errors.length === 0);
}

const nestedTooDeeply = "the values are nested too deeply";

/**
 * tooDeep returns the offset of a value that is nested too deeply; undefined if there is none. The
 * composer, which calls itself for each level, would overflow the stack, and not always only that.
 */
function tooDeep(tokens: CST.Token[]): number | undefined {
  const open = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > maxDepth) {
      return token.offset;
    }
    const inside = "items" in token ? token.items.flatMap(({ key, value }) => [key, value]) : [];
    if (token.type === "document") {
      inside.push(token.value);
    }
    for (const one of inside) {
      if (one) {
        open.push({ token: one, depth: depth + 1 });
      }
    }
  }
  return undefined;
}

function entityOf(text: string, document: Document, mistakes: Mistake[]): Entity | undefined {
  try {
    return new Entity(text, document);
  } catch (error) {
    const place = placeOf(error instanceof Unreadable ? error.node : document.contents);
    mistakes.push({ ...place, message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}
