// The forms. This file is loaded when one of them is opened, because React is large.

import { Validator } from "@cfworker/json-schema";
import Form from "@rjsf/core/lib/components/Form.js";
import type { ErrorSchema, RJSFSchema, ValidatorType } from "@rjsf/utils";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";
import { tokensOf } from "./pointer.js";
import type { Change, FormState } from "./protocol.js";
import { templates, widgets } from "./templates.js";

/**
 * validator decides which parts of the schema apply to the values. What is wrong with them is what
 * the library says, so it finds nothing itself. It compiles no code, as the policy of the page asks.
 */
const validator: ValidatorType = {
  isValid: (schema, data) => new Validator(schema as object, "2020-12").validate(data ?? {}).valid,
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
};

const uiSchema = {
  "ui:submitButtonOptions": { norender: true },
  "ui:globalOptions": { addable: false, removable: false, orderable: false, copyable: false },
};

interface Shown {
  state: FormState;
  change: (changes: Change[]) => void;
  choose: (which: number) => void;
}

function Content(shown: Shown) {
  const { objects, which } = shown.state;
  return (
    <>
      {objects.length > 1 ? (
        <label className="chooser">
          {"Form for "}
          <select value={which} onChange={({ target }) => shown.choose(Number(target.value))}>
            {[...objects.entries()].map(([i, title]) => (
              <option key={i} value={i}>
                {title}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <Inputs key={which} {...shown} />
    </>
  );
}

function Inputs({ state, change }: Shown) {
  if (state.problem !== undefined) {
    return <p className="hint">{state.problem}</p>;
  }
  return (
    <>
      {state.summary === "" ? null : (
        <p className={state.valid ? "verdict good" : "verdict bad"}>{state.summary}</p>
      )}
      <Form
        schema={state.schema as RJSFSchema}
        formData={state.data}
        uiSchema={uiSchema}
        validator={validator}
        templates={templates}
        widgets={widgets}
        extraErrors={state.errors as ErrorSchema}
        showErrorList={false}
        experimental_defaultFormStateBehavior={{ emptyObjectFields: "skipDefaults" }}
        noHtml5Validate
        tagName="div"
        onChange={({ formData }, id) => {
          const changes = changesOf(state.data, formData, "").filter((one) => isAt(id, one));
          if (changes.length > 0) {
            change(changes);
          }
        }}
      />
      {state.unexpressed.length > 0 ? (
        <details>
          <summary>What the form does not know</summary>
          <ul>
            {state.unexpressed.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}

/** changesOf returns in which values an object differs from another. */
function changesOf(old: unknown, now: unknown, pointer: string): Change[] {
  if (old === now) {
    return [];
  }
  if (typeof old !== "object" || typeof now !== "object" || old === null || now === null) {
    return isEmpty(old) && isEmpty(now) ? [] : [{ pointer, value: now }];
  }
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...keys].flatMap((key) => {
    const token = key.replaceAll("~", "~0").replaceAll("/", "~1");
    return changesOf(member(old, key), member(now, key), `${pointer}/${token}`);
  });
}

function member(of: object, key: string): unknown {
  return Object.hasOwn(of, key) ? (of as Record<string, unknown>)[key] : undefined;
}

/**
 * isAt reports whether a change is at the input with an id. The form makes others by itself: it
 * chooses the only value that an input allows.
 */
function isAt(id: string | undefined, { pointer }: Change): boolean {
  return `${id}_`.startsWith(`${["root", ...tokensOf(pointer)].join("_")}_`);
}

/** isEmpty reports whether a value is what a form makes of nothing. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    (typeof value === "object" && value !== null && Object.values(value).every(isEmpty))
  );
}

const roots = new WeakMap<Element, Root>();

/** showForm shows a form in an element, at once. */
export function showForm(element: Element, shown: Shown): void {
  const root = roots.get(element) ?? createRoot(element);
  roots.set(element, root);
  flushSync(() => root.render(<Content {...shown} />));
}
