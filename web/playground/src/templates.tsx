// How a form shows objects, arrays and fields.

import type {
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  ObjectFieldTemplateProps,
  WidgetProps,
} from "@rjsf/utils";
import { createContext, type ReactNode, useContext } from "react";
import { warning } from "./protocol.js";

/** Prefix is the path of the objects around a field that are not shown as groups. */
const Prefix = createContext("");

interface GroupProps {
  title: string;
  children: ReactNode;
}

function Group({ title, children }: GroupProps) {
  return (
    <fieldset>
      {title === "" ? null : <legend>{title}</legend>}
      <Prefix.Provider value="">{children}</Prefix.Provider>
    </fieldset>
  );
}

/** ObjectTemplate shows an object as a group; one with a single field as this field alone. */
function ObjectTemplate({ properties, fieldPathId, formData }: ObjectFieldTemplateProps) {
  const prefix = useContext(Prefix);
  const fields = properties.filter(({ hidden }) => !hidden).map(({ content }) => content);
  const name = fieldPathId.path.at(-1) ?? "";
  if (typeof name === "number") {
    const given = (formData as { name?: unknown } | undefined)?.name;
    return <Group title={typeof given === "string" ? given : `${name + 1}`}>{fields}</Group>;
  }
  if (fields.length === 1) {
    const inside = name === "" ? prefix : `${prefix}${name}.`;
    return <Prefix.Provider value={inside}>{fields}</Prefix.Provider>;
  }
  return <Group title={prefix + name}>{fields}</Group>;
}

function ArrayTemplate({ items, fieldPathId }: ArrayFieldTemplateProps) {
  const title = `${useContext(Prefix)}${fieldPathId.path.at(-1) ?? ""}`;
  return items.length === 0 ? null : <Group title={title}>{items}</Group>;
}

function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, children, rawErrors = [], rawDescription, required, schema, hidden } = props;
  const prefix = useContext(Prefix);
  if (hidden) {
    return null;
  }
  if (schema.type === "object" || schema.type === "array") {
    return <>{children}</>;
  }
  const isWrong = rawErrors.some((error) => !error.startsWith(warning));
  return (
    <div className={isWrong ? "field wrong" : "field"}>
      <label htmlFor={id}>
        {prefix + label}
        {required ? " (required)" : ""}
      </label>
      {children}
      {rawDescription ? (
        <p className="note" id={`${id}__description`}>
          {rawDescription}
        </p>
      ) : null}
      {rawErrors.length > 0 ? (
        <ul id={`${id}__error`} className="mistakes">
          {[...new Set(rawErrors)].map((error) => (
            <li key={error} className={error.startsWith(warning) ? "warns" : ""}>
              {error}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** SelectWidget is a choice. It also shows a value that is not allowed, and says so. */
function SelectWidget({ id, value, options, onChange, required }: WidgetProps) {
  const all = options.enumOptions ?? [];
  const at = all.findIndex((option) => option.value === value);
  const isOther = at < 0 && value !== undefined && value !== null && value !== "";
  return (
    <select
      id={id}
      value={isOther ? "other" : at}
      required={required}
      aria-describedby={`${id}__error ${id}__description`}
      onChange={({ target }) => onChange(all[Number(target.value)]?.value)}
    >
      {at < 0 && !isOther ? <option value={-1} /> : null}
      {isOther ? <option value="other">{`${value} (not allowed)`}</option> : null}
      {all.map(({ label }, i) => (
        <option key={label} value={i}>
          {label}
        </option>
      ))}
    </select>
  );
}

export const widgets = { SelectWidget };

export const templates = {
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ({ children }: { children: ReactNode }) => <>{children}</>,
  FieldTemplate,
};
