import {
  type Limit,
  limits,
  type ObjectInput,
  parseRules,
  type Report,
  type Rules,
  rulesFor,
  type ValidateOptions,
  validate,
} from "@vmrules/vmrules";
import { plainOf } from "./plain.js";

/** RulesSource is where rules come from: an annotation, or a VM and its template, as for rulesFor. */
export type RulesSource =
  | { annotation: string; vm?: undefined; template?: undefined }
  | {
      annotation?: undefined;
      vm?: ObjectInput | null | undefined;
      template?: ObjectInput | null | undefined;
    };

/**
 * A Question asks what validate or limits say of a VM. It is plain data, so that a worker or a backend
 * can answer.
 */
export interface Question {
  operation: "validate" | "limits";
  rules: RulesSource;
  vm: ObjectInput;
  options: ValidateOptions;
}

/** Answers are what the operations return. */
export interface Answers {
  validate: Report;
  limits: Limit[];
}

/** Ask answers a question, at once or later. */
export type Ask = <Operation extends keyof Answers>(
  question: Question & { operation: Operation },
) => Answers[Operation] | Promise<Answers[Operation]>;

/** plainly returns a question as its JSON has it. It throws a VmrulesError if all of it cannot be that. */
export function plainly<Asked extends Question>({ rules, vm, options, ...asked }: Asked): Asked {
  const plain = {
    rules: plainOf("the rules", rules),
    vm: plainOf("the object", vm),
    options: plainOf("the options", options),
  };
  return { ...asked, ...plain } as Asked;
}

/** answer answers a question with the library, which is loaded. */
export function answer<Operation extends keyof Answers>(
  { operation, rules, vm, options }: Question & { operation: Operation },
  read: (from: RulesSource) => Rules = rulesOf,
): Answers[Operation] {
  const call = { validate, limits }[operation] as (...of: Parameters<typeof validate>) => unknown;
  return call(read(rules), vm, options) as Answers[Operation];
}

/** rulesOf reads rules. */
export function rulesOf({ annotation, vm, template }: RulesSource): Rules {
  return annotation === undefined ? rulesFor(vm, template) : parseRules(annotation);
}
