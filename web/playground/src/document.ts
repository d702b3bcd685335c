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

/** An Entity is one object of Kubernetes: a YAML document, or an item of a list in one. */
export class Entity {
  /** text is that of the document, and start is where it begins in the whole text. */
  readonly text: string;
  readonly start: number;
  readonly document: Document;
  /** base leads to an item of a list. */
  readonly base: string[];
  readonly node: AnyNode;
  /** json is the JSON of the object, in which numbers have all their digits. */
  readonly json: string;
  /** object is the same for JavaScript, whose numbers may have fewer digits. */
  readonly object: Record<string, unknown>;
  private readonly made = new Map<string, { key: string; value: unknown }>();

  constructor(text: string, document: Document, base: string[] = []) {
    this.text = text;
    this.start = 0;
    this.document = document;
    this.base = base;
    this.node = base.reduce(
      (node: AnyNode, token) => resolved(document, child(node, token, document)?.[1]),
      document.contents,
    );
    this.json = new JSONWriter(document).write(this.node, 0);
    this.object = JSON.parse(this.json);
  }

  /** at returns the same object where its document begins somewhere else. */
  at(start: number): Entity {
    return start === 0 ? this : Object.assign(Object.create(Entity.prototype), this, { start });
  }

  /** once returns what is made of the object itself, and makes it anew if the key is another. */
  once<Made>(kind: string, key: string, make: () => Made): Made {
    let made = this.made.get(kind);
    if (made?.key !== key) {
      made = { key, value: make() };
      this.made.set(kind, made);
    }
    return made.value as Made;
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
    let node = this.node;
    let key = node;
    for (const token of tokensOf(pointer)) {
      const found = child(resolved(this.document, node), token, this.document);
      if (found === undefined) {
        return shifted(placeOf(key), this.start);
      }
      [key, node] = found;
    }
    return shifted(placeOf(isScalar(node) ? node : key), this.start);
  }

  /** scalarAt returns the scalar that a JSON Pointer selects, if the text holds it there. */
  scalarAt(pointer: string): Scalar | undefined {
    let node = this.node;
    for (const token of tokensOf(pointer)) {
      node = child(node, token, this.document)?.[1];
    }
    return isScalar(node) ? node : undefined;
  }
}

/** shifted returns a place, and all else about it, in a text that begins before. */
export function shifted<Of extends Place>(place: Of, start: number): Of {
  return start === 0 ? place : { ...place, from: place.from + start, to: place.to + start };
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

interface Read {
  entities: Entity[];
  mistakes: Mistake[];
}

/** readEntities reads the objects of a text in YAML or JSON. The items of a list are objects. */
export function readEntities(text: string): Read {
  const all: Read = { entities: [], mistakes: [] };
  if (text.length > maxText) {
    const message = `The text has ${text.length} characters: this page reads up to ${maxText}.`;
    return { ...all, mistakes: [{ from: 0, to: 0, message }] };
  }
  let start = 0;
  for (const part of partsOf(text)) {
    const { entities, mistakes } = readLately(part);
    all.entities.push(...entities.map((entity) => entity.at(start)));
    all.mistakes.push(...mistakes.map((mistake) => shifted(mistake, start)));
    start += part.length;
  }
  return all;
}

/** partsOf splits a text before each ---, which no value can contain; but not behind directives. */
function partsOf(text: string): string[] {
  return /^%/m.test(text) ? [text] : text.split(/^(?=---(?:\s|$))/m);
}

/** lately has the parts that were read last. While one types, all but one are the same again. */
const lately = new Map<string, Read>();
const maxLately = 1_500_000; // characters
let lengthLately = 0;

function readLately(text: string): Read {
  const known = lately.get(text);
  const read = known ?? readPart(text);
  lately.delete(text);
  lately.set(text, read);
  lengthLately += known ? 0 : text.length;
  for (const oldest of lately.keys()) {
    if (lengthLately <= maxLately || oldest === text) {
      break;
    }
    lately.delete(oldest);
    lengthLately -= oldest.length;
  }
  return read;
}

function readPart(text: string): Read {
  const read: Read = { entities: [], mistakes: [] };
  for (const document of documentsOf(text, read.mistakes)) {
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === "")) {
      continue; // such as an empty document behind ---
    }
    if (!isMap(contents)) {
      const message = "an object of Kubernetes is expected here";
      read.mistakes.push({ ...placeOf(contents), message });
      continue;
    }
    try {
      read.entities.push(...entitiesOf(text, document));
    } catch (error) {
      const place = placeOf(error instanceof Unreadable ? error.node : contents);
      const message = error instanceof Error ? error.message : String(error);
      read.mistakes.push({ ...place, message });
    }
  }
  return read;
}

/** entitiesOf returns the object of a document, or those in it if it is a list of any. */
function entitiesOf(text: string, document: Document): Entity[] {
  const whole = new Entity(text, document);
  const { kind, items } = whole.object;
  if (!/List$/.test(String(kind)) || !Array.isArray(items)) {
    return [whole];
  }
  const objects = [...items.keys()].filter(
    (i) => items[i] !== null && typeof items[i] === "object",
  );
  return objects.length === 0
    ? [whole]
    : objects.map((i) => new Entity(text, document, ["items", `${i}`]));
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
