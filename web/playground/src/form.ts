import { make } from "./elements.js";
import { type Change, type Field, type FormState, warning } from "./protocol.js";

interface Shown {
  state: FormState;
  change: (changes: Change[]) => void;
  choose: (which: number) => void;
}

/** showForm shows a form in an element. What is shown there already stays, with what a person types. */
export function showForm(element: HTMLElement, { state, change, choose }: Shown): void {
  const fields = new Map(state.fields.map((field) => [field.pointer, field]));
  adapt(element, make("div", "", ...contentOf(element.id, state)));
  element.oninput = ({ target }) => {
    const { name, value } = target as HTMLInputElement;
    const field = fields.get(name);
    if (field) {
      change([{ pointer: name, value: typed(field, value) }]);
    } else {
      choose(Number(value));
    }
  };
}

/** typed returns what a person has entered, as the field takes it; undefined if that is nothing. */
function typed({ kind, isText }: Field, text: string): unknown {
  if (text === "") {
    return undefined;
  }
  if (kind === "number") {
    return Number(text);
  }
  return !isText && /^(true|false|-?(0|[1-9]\d*)(\.\d+)?)$/.test(text) ? JSON.parse(text) : text;
}

function contentOf(id: string, state: FormState): (Node | false)[] {
  const { objects, which, problem, summary, sign, fields } = state;
  const titles = objects.map((title, i) => new Option(title, `${i}`));
  return [
    objects.length > 1 && make("label", "chooser", "Form for ", choice(`${which}`, ...titles)),
    problem !== undefined && make("p", "hint", problem),
    summary !== "" && make("p", `verdict ${sign}`, summary),
    ...fields.map((field, i) => fieldOf(`${id}-${i}`, field)),
  ];
}

const isWarning = (mistake: string) => mistake.startsWith(warning);

function fieldOf(id: string, field: Field): HTMLElement {
  const { pointer, label, required, notes, mistakes } = field;
  const input = inputOf(field);
  const isWrong = !mistakes.every(isWarning);
  input.id = id;
  input.name = pointer;
  input.ariaInvalid = `${isWrong}`;
  input.setAttribute("aria-describedby", `${id}-notes ${id}-mistakes`);
  const title = make("label", "", required ? `${label} (required)` : label);
  title.htmlFor = id;
  const about = make("p", "note", notes.join("\n"));
  about.id = `${id}-notes`;
  const items = mistakes.map((one) => make("li", isWarning(one) ? "warns" : "", one));
  const list = make("ul", "mistakes", ...items);
  list.id = `${id}-mistakes`;
  const all = make("div", isWrong ? "field wrong" : "field", title, input, about, list);
  all.dataset.key = pointer;
  return all;
}

function inputOf(field: Field): HTMLInputElement | HTMLSelectElement {
  const { kind, value, standIn, must } = field;
  const text = value === null ? "" : `${value}`;
  if (kind === "choice") {
    const allowed = must.values ?? [];
    const other =
      text === "" || allowed.includes(text) ? [] : [new Option(`${text} (not allowed)`, text)];
    const options = allowed.map((value) => new Option(value, value));
    return choice(text, new Option(standIn, ""), ...other, ...options);
  }
  const input = make("input", "");
  input.type = kind === "number" ? "number" : "text";
  input.min = kind === "number" ? `${must.min ?? ""}` : "";
  input.max = kind === "number" ? `${must.max ?? ""}` : "";
  input.step = must.type === "integer" ? "1" : "any";
  input.placeholder = standIn || (kind === "size" ? "such as 2Gi" : "");
  input.value = text;
  return input;
}

function choice(value: string, ...options: HTMLOptionElement[]): HTMLSelectElement {
  const select = make("select", "", ...options);
  select.value = value;
  return select;
}

/** keyOf is the same for nodes of which one can become the other. */
function keyOf(node: Node): string {
  return node instanceof HTMLElement ? `${node.tagName} ${node.dataset.key ?? ""}` : node.nodeName;
}

/** adapt makes the content of an element that of another, and keeps what is the same in both. */
function adapt(element: Element, wanted: Element): void {
  const nodes = [...wanted.childNodes];
  const keys = new Set(nodes.map(keyOf));
  for (const old of [...element.childNodes].filter((node) => !keys.has(keyOf(node)))) {
    old.remove();
  }
  nodes.forEach((node, i) => {
    const old = element.childNodes[i] ?? null;
    if (old && keyOf(old) === keyOf(node)) {
      become(old, node);
    } else {
      element.insertBefore(node, old);
    }
  });
  while (element.childNodes.length > nodes.length) {
    element.lastChild?.remove();
  }
}

function become(old: Node, wanted: Node): void {
  if (!(old instanceof Element && wanted instanceof Element)) {
    old.nodeValue = wanted.nodeValue;
    return;
  }
  for (const { name, value } of wanted.attributes) {
    old.setAttribute(name, value);
  }
  adapt(old, wanted);
  if ("value" in old && "value" in wanted && old.value !== wanted.value) {
    old.value = wanted.value;
  }
}
