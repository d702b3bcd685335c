// What must compile, and what must not: this file is not run.

import { type ObjectInput, Rules, type Violation } from "@vmrules/vmrules";

interface Named {
  kind: string;
  metadata: { name: string };
}

declare const typed: Named;
declare const violation: Violation;

export const objects: ObjectInput[] = ["{}", {}, { kind: "VirtualMachine" }, typed];

export const value: string | number | boolean | undefined = violation.value;
export const limit: string | number | boolean | string[] | undefined = violation.limit;

// @ts-expect-error: only parseRules and rulesFor make rules
new Rules();

export const others: ObjectInput[] = [
  // @ts-expect-error: an array
  [],
  // @ts-expect-error: a function
  () => ({}),
  // @ts-expect-error: a Map
  new Map(),
  // @ts-expect-error: a typed array
  new Uint8Array(),
  // @ts-expect-error: a promise
  Promise.resolve({}),
  // @ts-expect-error: a number
  1,
];
