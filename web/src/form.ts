import { call } from "./engine.js";
import { optionsOf } from "./options.js";
import { type ParseOptions, parseOptions, type Rules } from "./rules.js";
import { type ObjectInput, textOf } from "./text.js";
import type { Limit, Parameter } from "./types.js";
import { judge, type ValidateOptions } from "./validate.js";

/** limits returns what the rules ask of each field that they check, for programs that render inputs. */
export function limits(
  rules: Rules,
  object: ObjectInput | null | undefined,
  options: ValidateOptions = {},
): Limit[] {
  return judge("limits", rules, object, options);
}

/** JSONSchema is a JSON Schema of draft 2020-12. */
export type JSONSchema = { [keyword: string]: unknown };

/** schema returns the rules as a JSON Schema of the whole object. */
export function schema(
  rules: Rules,
  object: ObjectInput | null | undefined,
  options: ValidateOptions = {},
): JSONSchema {
  return judge("schema", rules, object, options);
}

/**
 * parameters returns the parameters of a template, with what the fields that take their values may
 * hold. If the template's rules cannot be read, it throws a VmrulesError whose result are the
 * parameters without that.
 */
export function parameters(template: ObjectInput, options: ParseOptions = {}): Parameter[] {
  const settings = optionsOf(options, parseOptions);
  return call("parameters", settings, { template: textOf("template", template) });
}

/** ParameterValues are values for the parameters of a template, by their names. */
export type ParameterValues = { [name: string]: string | number | boolean };

/**
 * fill returns a template with its parameters filled in: with the values given, else with the
 * template's own, else with generated ones. validateOwn validates the result.
 */
export function fill<Template extends Exclude<ObjectInput, string>>(
  template: Template | string,
  values: ParameterValues = {},
): Template {
  return call(
    "fill",
    {},
    {
      template: textOf("template", template),
      values: textOf("values", values),
    },
  );
}
