import type { Finding, Version } from "@vmrules/vmrules";
import { isMap, isScalar, isSeq, type Scalar } from "yaml";
import {
  type AnyNode,
  type Entity,
  type Mistake,
  type Place,
  placeOf,
  readEntities,
  shifted,
} from "./document.js";
import { WrittenScalar } from "./scalar.js";

/** An Annotation is a text with rules, and where it is. */
export interface Annotation {
  text: string;
  version: Version;
  /** written is undefined if the annotation is the whole text. */
  written?: WrittenScalar;
}

const current = "vm.kubevirt.io/validations";
const old = "validations";

/** annotationKeys are the keys of annotations that hold rules. */
export const annotationKeys = [current, old];

/** isPlain reports whether a text is an annotation itself, and not an object that has one. */
export function isPlain(text: string): boolean {
  return text.trimStart().startsWith("[");
}

/**
 * annotationsIn returns the annotations with rules of an object and of all objects inside it, with
 * their places in the text of the document.
 */
export function annotationsIn(entity: Entity): { annotations: Annotation[]; mistakes: Mistake[] } {
  const annotations: Annotation[] = [];
  const mistakes: Mistake[] = [];
  const add = (node: AnyNode, version: Version, key: string) => {
    if (isScalar(node) && (node.type !== "PLAIN" || node.value !== "")) {
      annotations.push({ text: textOf(node), version, written: writtenOf(entity, node) });
    } else if (isMap(node) || isSeq(node)) {
      mistakes.push({ ...placeOf(node), message: notText(key) });
    }
  };
  if (/Template$/.test(String(entity.object.kind))) {
    add(annotationOf(entity.node, old), "detected", old);
  }
  visit(entity.node, (node) => {
    add(annotationOf(node, current), "201902-2", current);
  });
  return { annotations, mistakes };
}

function notText(key: string): string {
  return `the annotation ${key} must be a string that contains JSON: write | behind the key, and the JSON in the lines below it`;
}

function annotationOf(node: AnyNode, key: string): AnyNode {
  return isMap(node) ? node.getIn(["metadata", "annotations", key], true) : undefined;
}

/** visit calls a function with a node and all nodes inside it, but not with what aliases stand for. */
function visit(node: AnyNode, call: (node: AnyNode) => void): void {
  call(node);
  if (isMap(node)) {
    for (const pair of node.items) {
      visit(pair.value, call);
    }
  } else if (isSeq(node)) {
    for (const item of node.items) {
      visit(item, call);
    }
  }
}

function textOf(node: Scalar): string {
  return String(node.value ?? "");
}

function writtenOf(entity: Entity, node: Scalar): WrittenScalar {
  const { from, to } = placeOf(node);
  return new WrittenScalar(entity.text, { from, to }, textOf(node));
}

/** A Fix replaces a part of a text. */
export interface Fix extends Place {
  insert: string;
}

/** A Marked is a finding with its place, and what mends it, if that is known. */
export interface Marked extends Place {
  finding: Finding;
  fix?: Fix;
}

/** place returns where findings about an annotation are in the text around it, in one line each. */
export function place(annotation: Annotation, findings: Finding[]): Marked[] {
  const { text, written } = annotation;
  const starts = unitsOf(
    text,
    findings.map((finding) => finding.offset),
  );
  const ends = unitsOf(
    text,
    findings.map((finding) => finding.end),
  ).map((end, i) => Math.min(end, lineEnd(text, starts[i] as number)));
  const strings = findings.map((finding, i) =>
    finding.suggestion === undefined ? undefined : stringAround(text, starts[i] as number),
  );
  const offsets = [...starts, ...ends, ...strings.flatMap((s) => (s ? [s.from, s.to] : []))];
  const sorted = [...new Set(offsets)].sort((a, b) => a - b);
  const found = written?.places(sorted) ?? sorted;
  const places = new Map(sorted.map((offset, i) => [offset, found[i] as number]));
  const placeOf = (start: number, end: number): Place => {
    const from = places.get(start) as number;
    return { from, to: Math.max(from, places.get(end) as number) };
  };
  return findings.map((finding, i) => {
    const marked: Marked = { finding, ...placeOf(starts[i] as number, ends[i] as number) };
    const replaced = strings[i];
    if (replaced) {
      const insert = JSON.stringify(finding.suggestion);
      const at = placeOf(replaced.from, replaced.to);
      marked.fix = { ...at, insert: written?.written(insert) ?? insert };
    }
    return marked;
  });
}

/** rulesIn returns where the names of the rules in an annotation are, by these names. */
export function rulesIn({ text, written }: Annotation): Map<string, Place> {
  const found = [...text.matchAll(/"name"\s*:\s*("(?:[^"\\\n]|\\.)*")/g)];
  const bounds = found.flatMap(({ 0: all, 1: name = "", index }) => {
    const end = index + all.length;
    return [end - name.length, end];
  });
  const places = written?.places(bounds) ?? bounds;
  return new Map(
    found.map(({ 1: name = "" }, i) => {
      const [from = 0, to = from] = places.slice(2 * i, 2 * i + 2);
      return [nameOf(name), { from, to: Math.max(from, to) }];
    }),
  );
}

function nameOf(json: string): string {
  try {
    return JSON.parse(json);
  } catch {
    return json; // of a text that is not valid JSON, so that it has no rules
  }
}

/** unitsOf returns offsets in bytes of UTF-8 as offsets in UTF-16 code units. */
export function unitsOf(text: string, offsets: number[]): number[] {
  const order = offsets
    .map((_, i) => i)
    .sort((a, b) => (offsets[a] as number) - (offsets[b] as number));
  const units = new Array<number>(offsets.length);
  let bytes = 0;
  let at = 0;
  for (const i of order) {
    while (bytes < (offsets[i] as number) && at < text.length) {
      const character = text.codePointAt(at) as number;
      bytes += character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
      at += character < 0x10000 ? 1 : 2;
    }
    units[i] = at;
  }
  return units;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** stringAround returns the string of a JSON text in which an offset is; undefined if there is none. */
function stringAround(text: string, at: number): Place | undefined {
  for (const { 0: string, index: from } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs)) {
    const to = from + string.length;
    if (at < to) {
      return from <= at ? { from, to } : undefined;
    }
  }
  return undefined;
}

const nowhere: Place = { from: 0, to: 0 };

/**
 * annotationStart returns where the annotation begins that is written around a place of a text;
 * undefined if there is none, or if it is in quotes, so that its own quotes are escaped.
 */
export function annotationStart(text: string, at: number): number | undefined {
  if (isPlain(text)) {
    return 0;
  }
  for (const entity of readEntities(text).entities) {
    const { annotations } = entity.once("annotations", "", () => annotationsIn(entity));
    for (const { written } of annotations) {
      const { from, to } = shifted(written?.place ?? nowhere, entity.start);
      if (written?.quote === "" && from < at && at <= to) {
        return from;
      }
    }
  }
  return undefined;
}
