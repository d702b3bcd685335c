// What the page and its worker say to each other.

import type { Constraints, Outcome, Target } from "@vmrules/vmrules";
import type { Fix } from "./annotation.js";
import type { Place } from "./document.js";

/** Pane names an editor. */
export type Pane = "template" | "vm" | "cluster";

/** Texts are what the editors hold. */
export type Texts = { [pane in Pane]: string };

/** Values are those of a template's parameters, by their names. */
export type Values = { [parameter: string]: string | number | boolean };

/** Input is everything that can be shared. */
export interface Input {
  texts: Texts;
  partial: boolean;
  ssp: boolean;
  /** values are those that a person gave to the parameters of the template. */
  values: Values;
}

/** A Mark is a part of a text that something is said about. */
export interface Mark extends Place {
  pane: Pane;
  severity: "error" | "warning" | "note";
  /** isValue means that a rule says it about a value, and so the report does, too. */
  isValue?: boolean;
  message: string;
  /** about names the rule, and the object that has it if there are several. */
  about?: string;
  /** source is what says so: the ID of a check, or the name of a rule. */
  source: string;
  fix?: Fix & { label: string };
}

/** A Spot is a place that a click leads to. */
export interface Spot extends Place {
  pane: Pane;
}

/** A Detail is one wrong value. */
export interface Detail {
  field: string;
  /** detail says in words which value is wrong, and by which limit. */
  detail: string;
  spot?: Spot;
}

/** An Entry is what became of one rule. */
export interface Entry {
  outcome: Outcome;
  rule: string;
  message: string;
  note: string;
  details: Detail[];
  /** at is where the rule is written, if that is known. */
  at?: Spot;
}

/** A Sign is what becomes of an object, as a colour. What no rule was applied to is never good. */
export type Sign = "good" | "doubtful" | "bad" | "unjudged";

/** A Verdict is the report about one object. */
export interface Verdict {
  title: string;
  pane: Pane;
  /** by names the rules that it was validated by. */
  by: string;
  valid: boolean;
  /** targets are the VMs in it, and what became of each. */
  targets: Target[];
  entries: Entry[];
}

/** An Analysis is all that is known about what the editors hold. */
export interface Analysis {
  marks: Mark[];
  verdicts: Verdict[];
  /** problems say why there is no verdict, or not about everything. */
  problems: string[];
  /** aside is what the pane of the VM says of it; "" if nothing. */
  aside: string;
}

/** An Option is a completion. */
export interface Option {
  label: string;
  type: string;
  detail?: string;
  /** insert is written instead of the label. */
  insert?: string;
}

/** Completions are options for the text from a place to the cursor. */
export interface Completions {
  from: number;
  /** behind counts the characters behind the cursor that an option replaces, too. */
  behind?: number;
  options: Option[];
}

/** ReportForm is how a report is written for others. */
export type ReportForm = "text" | "json";

/** FormName names a form: for a VM, or for the parameters of a template. */
export type FormName = "form" | "parameters";

/** A Field is an input of a form, with what the rules ask of its value. */
export interface Field {
  pointer: string;
  label: string;
  kind: "number" | "size" | "text" | "choice";
  /** isText means that a number is written as text, too. */
  isText: boolean;
  /** value is the one that is written; null if none is. */
  value: string | number | boolean | null;
  /** standIn says what counts if none is written. */
  standIn: string;
  must: Constraints;
  required: boolean;
  notes: string[];
  /** mistakes are what the library says about the value. */
  mistakes: string[];
}

/** A FormState is all that a form shows. */
export interface FormState {
  fields: Field[];
  /** summary says what the library says about all of it, if the page does not say so. */
  summary: string;
  sign: Sign;
  /** problem says why there is no form; what is above is empty then. */
  problem?: string;
  /** objects are the titles of all that may have this form, and which is the index of the one that has it. */
  objects: string[];
  which: number;
}

/** warning begins the mistakes that are only warnings. */
export const warning = "Warning: ";

/** A Change gives a field another value, by its JSON Pointer. It is undefined if the field is emptied. */
export interface Change {
  pointer: string;
  value?: unknown;
}

export interface Requests {
  analyse: { input: Input; answer: Analysis };
  report: { input: { as: ReportForm; of: Input }; answer: string };
  form: { input: { name: FormName; of: Input; which: number }; answer: FormState };
  edit: { input: { text: string; changes: Change[]; which: number }; answer: string };
  format: { input: string; answer: string };
  complete: { input: { texts: Texts; at: number }; answer: Completions | null };
}

export type Operation = keyof Requests;
