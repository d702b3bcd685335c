export { init, jsonText, type WasmSource } from "./engine.js";
export { type ErrorCode, VmrulesError } from "./errors.js";
export {
  fill,
  type JSONSchema,
  limits,
  type ParameterValues,
  parameters,
  schema,
} from "./form.js";
export { checkRequirements, expand, type Named } from "./instancetype.js";
export { checks, knownFields, type LintOptions, lint } from "./lint.js";
export { type CheckOptions, type ParseOptions, parseRules, Rules, rulesFor } from "./rules.js";
export type { ObjectInput } from "./text.js";
export type * from "./types.js";
export {
  type OwnOptions,
  type ValidateOptions,
  validate,
  validateOwn,
  violationsAt,
} from "./validate.js";
export { hint } from "./words.js";
