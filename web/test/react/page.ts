// A page with a form, for react.test.ts. Its address says who answers.

import {
  inputAt,
  type LoaderSettings,
  type RulesState,
  useRules,
  useValidation,
  VmrulesProvider,
  vmrulesResolver,
} from "@vmrules/vmrules/react";
import { Component, createElement as h, type ReactNode, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { useForm } from "react-hook-form";

const pointer = "/spec/template/spec/domain/cpu/cores";
const cores = { name: "cores", rule: "integer", path: "jsonpath::.spec.domain.cpu.cores" };
const memory = { name: "memory", rule: "integer", path: "jsonpath::.spec.domain.memory.guest" };
const annotation = JSON.stringify([
  { ...cores, message: "the licence covers 8 cores", min: 1, max: 8 },
  { ...cores, name: "even", rule: "enum", values: [2, 4, 8], justWarning: true, message: "even" },
  { ...memory, message: "memory is needed" },
]);

interface Values {
  cores: string;
}

/** shared counts what happens in the page. */
const shared = { renders: 0, submitted: 0, workers: 0 };
Object.assign(globalThis, { shared });

const vmOf = ({ cores }: Values) => ({
  kind: "VirtualMachine",
  spec: { template: { spec: { domain: { cpu: { cores: cores ? Number(cores) : undefined } } } } },
});

function Form(): ReactNode {
  shared.renders++;
  const rules = useRules({ annotation }); // a new object each time, on purpose
  const { register, handleSubmit, watch, formState } = useForm<Values>({
    mode: "onChange",
    defaultValues: { cores: "8" },
    resolver: vmrulesResolver((values, options) => rules.validate(vmOf(values), options), {
      fields: { [pointer]: "cores" },
      text: ({ message }) => message,
    }),
  });
  const validation = useValidation(rules, vmOf(watch()));
  const { max, helperText, warnings } = inputAt(validation, pointer);
  const { errors } = formState;
  return h(
    "form",
    { onSubmit: handleSubmit(() => void shared.submitted++) },
    h("input", { ...register("cores"), max }),
    h("button", { type: "submit" }, "Save"),
    h("output", { id: "status" }, rules.status, " ", validation.error?.message),
    h("output", { id: "help" }, helperText),
    h("output", { id: "warnings" }, warnings.length),
    h("output", { id: "error" }, errors.cores?.message),
    h("output", { id: "root" }, errors.root?.message),
  );
}

class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};
  static getDerivedStateFromError = (error: Error) => ({ error });
  override render = () =>
    this.state.error ? h("p", { id: "failed" }, this.state.error.message) : this.props.children;
}

/** Toggled can be taken away, and be there again. */
function Toggled({ children }: { children: ReactNode }): ReactNode {
  const [isThere, set] = useState(true);
  const toggle = h(
    "button",
    { type: "button", id: "toggle", onClick: () => set(!isThere) },
    "Toggle",
  );
  return h("div", null, toggle, isThere && children);
}

const query = new URL(location.href).searchParams;
const settings: LoaderSettings & { fallback?: ReactNode } = {
  source: query.get("source") ?? "/dist/vmrules.wasm",
};
if (query.has("fallback")) {
  settings.fallback = h("p", { id: "fallback" }, "Loading");
}
if (query.has("worker")) {
  settings.worker = () => {
    shared.workers++;
    return new Worker(query.get("worker") || "worker.js", { type: "module" });
  };
}
if (query.has("backend")) {
  settings.ask = async ({ operation, ...question }) => {
    const body = JSON.stringify(question);
    const response = await fetch(`/vmrules/${operation}`, { method: "POST", body });
    const answer = await response.json();
    if (!response.ok) {
      throw new Error(answer.message);
    }
    return answer;
  };
}
const root = document.body.appendChild(document.createElement("div"));
createRoot(root).render(
  h(StrictMode, null, h(Boundary, null, h(Toggled, null, h(VmrulesProvider, settings, h(Form))))),
);

/** typed is here for its types. */
export function typed(rules: RulesState): Error | undefined {
  return rules.status === "failed" ? rules.error : undefined;
}
