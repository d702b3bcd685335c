import type { Constraints, Limit, Report, Violation } from "./types.js";
import { hint } from "./words.js";

/** Validation is what the rules ask of a VM, and what a report says of it, if there is one. */
export interface Validation {
  limits: Limit[];
  report?: Report;
}

/** Input is what an input for a field needs. Of bounds, values and required fields, only rules that can fail the VM count. */
export interface Input {
  isRequired: boolean;
  /** min and max are numbers; of memory they are bytes. */
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  /** options are the values that the field may have, if rules list them. */
  options?: string[];
  /** helperText says in words what the field may hold and what would be better; it may be "". */
  helperText: string;
  /** warnings say what only warns: they are not among the errors of a form. */
  warnings: string[];
}

/** textOf returns what people read of a violation. */
export function textOf({ message, text, detail }: Violation): string {
  return `${message} (${text ?? detail})`;
}

/** inputAt returns what an input needs for the field with a JSON Pointer. */
export function inputAt({ limits, report }: Validation, pointer: string): Input {
  const about = limits.filter((limit) => isAbout(limit, pointer));
  const must = together(about.flatMap((limit) => limit.must ?? []));
  const should = together(about.flatMap((limit) => limit.should ?? []));
  const { required, values, ...bounds } = must;
  const better = hint(should);
  const violations = report?.results.flatMap((result) => result.violations ?? []) ?? [];
  return {
    ...bounds,
    ...(values && { options: values }),
    isRequired: required === true,
    helperText: [hint(must), better && `better ${better}`].filter(Boolean).join("; "),
    warnings: violations.filter((v) => v.warned && v.pointer === pointer).map(textOf),
  };
}

/** isAbout reports whether a limit is about a field, which may be missing. */
function isAbout({ fields, pointer }: Limit, wanted: string): boolean {
  return fields.length === 0 ? pointer === wanted : fields.some((f) => f.pointer === wanted);
}

/** together returns what several constraints ask of the same field. */
function together(all: Constraints[]): Constraints {
  const both: Constraints = {};
  for (const { required, min, max, minLength, maxLength, values } of all) {
    both.required ||= required === true;
    tighten(both, "min", min, Math.max);
    tighten(both, "minLength", minLength, Math.max);
    tighten(both, "max", max, Math.min);
    tighten(both, "maxLength", maxLength, Math.min);
    if (values) {
      both.values = both.values?.filter((value) => values.includes(value)) ?? values;
    }
  }
  return both;
}

function tighten(
  all: Constraints,
  key: "min" | "max" | "minLength" | "maxLength",
  bound: number | undefined,
  tighter: (a: number, b: number) => number,
): void {
  if (bound !== undefined) {
    all[key] = tighter(all[key] ?? bound, bound);
  }
}
