import type { Finding, Version } from "@vmrules/vmrules";
import { isMap, isScalar, isSeq, type Scalar } from "yaml";
import {
  type AnyNode,
  type Entity,
  type Mistake,
  type Place,
  placeOf,
  readEntities,
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

/** isPlain reports whether a text is an annotation itself, and not an object that has one. */
export function isPlain(text: string): boolean {
  return text.trimStart().startsWith("[");
}

/** annotationsIn returns the annotations with rules of an object and of all objects inside it. */
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
    add(annotationOf(entity.document.contents, old), "detected", old);
  }
  visit(entity.document.contents, (node) => {
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

/**
 * annotationStart returns where the annotation begins that is written around a place of a text;
 * undefined if there is none, or if it is in quotes, so that its own quotes are escaped.
 */
export function annotationStart(text: string, at: number): number | undefined {
  if (isPlain(text)) {
    return 0;
  }
  for (const entity of readEntities(text).entities) {
    for (const { written } of annotationsIn(entity).annotations) {
      if (written?.quote === "" && written.place.from < at && at <= written.place.to) {
        return written.place.from;
      }
    }
  }
  return undefined;
}
