// A page with react-jsonschema-form. It is bundled for Chromium: see rjsf.test.ts.

import Form from "@rjsf/core";
import type { RJSFSchema } from "@rjsf/utils";
import { customizeValidator } from "@rjsf/validator-ajv8";
import type * as Api from "@vmrules/vmrules";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

/** show renders a form that validates what is entered, and returns when it is there. */
export async function show(api: typeof Api, schema: Api.JSONSchema, data: object): Promise<void> {
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  const validator = customizeValidator({
    AjvClass: Ajv2020 as never,
    customFormats: api.formats(schema),
  });
  const form = createElement(Form, {
    schema: schema as RJSFSchema,
    formData: data,
    validator,
    liveValidate: true,
    showErrorList: false,
    onChange: ({ formData }: { formData?: unknown }) => {
      (globalThis as { entered?: unknown }).entered = formData;
    },
  } as never);
  createRoot(place).render(form);
  while (place.querySelector("form") === null) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
