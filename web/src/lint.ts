import { call } from "./engine.js";
import { optionsOf } from "./options.js";
import { type ParseOptions, parseOptions } from "./rules.js";
import { wellFormed } from "./text.js";
import type { Check, Finding, KnownField, Profile } from "./types.js";

/** LintOptions change how an annotation is read, and for whom. */
export interface LintOptions extends ParseOptions {
  /** profile is another program that must understand the rules, such as "ssp". */
  profile?: Profile;
}

/** lint finds mistakes in the text of an annotation, and what is probably a mistake. */
export function lint(annotation: string, options: LintOptions = {}): Finding[] {
  const settings = optionsOf(options, { ...parseOptions, profile: "string" });
  return call("lint", settings, { annotation: wellFormed("the annotation", annotation) });
}

/** checks returns all that lint looks for. */
export function checks(): Check[] {
  return call("checks", {}, {});
}

/**
 * knownFields returns the fields that a VM may have in the objects that a path selects, for an
 * editor that completes paths. Without a path, it returns those of the VM's spec.template.
 */
export function knownFields(path = ""): KnownField[] {
  return call("knownFields", {}, { path: wellFormed("the path", path) });
}
