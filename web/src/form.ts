import { call } from "./engine.js";
import { type ParseOptions, parseOptions, type Rules } from "./rules.js";
import { checked, type ObjectInput, textOf, wellFormed } from "./text.js";
import type { InputSchema, Limit, Parameter } from "./types.js";
import { judge, type ValidateOptions } from "./validate.js";

/** limits returns what the rules ask of each field that they judge, for programs that render inputs. */
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
  const settings = checked(options, ...parseOptions);
  return call("parameters", settings, { template: textOf("template", template) });
}

/**
 * inputs returns the rules as a schema from which a form can be generated. A validator in strict
 * mode accepts it, if it knows its `formats`.
 */
export function inputs(
  rules: Rules,
  object: ObjectInput | null | undefined,
  options: ValidateOptions = {},
): InputSchema {
  return judge("inputs", rules, object, options);
}

/**
 * parameterInputs returns a schema from which a form for the parameters of a template can be
 * generated. If the template's rules cannot be read, it throws a VmrulesError whose result is the
 * schema without them.
 */
export function parameterInputs(template: ObjectInput, options: ParseOptions = {}): InputSchema {
  const settings = checked(options, ...parseOptions);
  return call("parameterInputs", settings, { template: textOf("template", template) });
}

/** ParameterValues are values for the parameters of a template, by their names. */
export type ParameterValues = { [name: string]: string | number | boolean };

/**
 * fill returns a template with its parameters filled in: with the values given, else with the
 * template's own, else with generated ones. validateOwn judges the result.
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

/**
 * formats returns the formats in a schema of `inputs` or `parameterInputs`, by name: for addFormat
 * of ajv, and for customFormats of react-jsonschema-form.
 */
export function formats(schema: JSONSchema): { [name: string]: (value: string) => boolean } {
  const names: string[] = call("formats", {}, { schema: textOf("schema", schema) });
  return Object.fromEntries(
    names.map((format) => [
      format,
      (value) => call("allows", { format }, { value: wellFormed("the value", value) }),
    ]),
  );
}
