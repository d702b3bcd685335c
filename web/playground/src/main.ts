import { Client } from "./client.js";
import { Editor } from "./editor.js";
import { button, byId } from "./elements.js";
import { examples } from "./examples.js";
import { Forms } from "./panels.js";
import { tokensOf } from "./pointer.js";
import type {
  Analysis,
  Change,
  Input,
  Mark,
  Pane,
  ReportForm,
  Spot,
  Texts,
  Values,
} from "./protocol.js";
import { findingsIn, findingsOf, firstIn, reportOf, signOf, summaryOf } from "./report.js";
import { fromHash, LinkError, toHash } from "./share.js";
import { startTabs } from "./tabs.js";
import { keep, kept } from "./work.js";

/** delay is how long the page waits for another key before it validates, in milliseconds. */
const delay = 60;

const client = new Client();

const editors: { [pane in Pane]: Editor } = {
  template: new Editor({
    parent: byId("template"),
    label: "Template or annotation, in YAML or JSON",
    hint: "A template, or the rules alone: [ … ]",
    changed,
    format: () => void format("template"),
    completer: (at) => client.ask("complete", { texts: texts(), at }),
  }),
  vm: new Editor({
    parent: byId("vm"),
    label: "VM, in YAML or JSON",
    hint: "A VM; else the template’s own is validated",
    changed,
    format: () => void format("vm"),
  }),
  cluster: new Editor({
    parent: byId("cluster"),
    label: "Instance types and preferences, in YAML or JSON",
    hint: "Instance types and preferences, with --- between them",
    changed,
    format: () => void format("cluster"),
  }),
};

const panes = Object.keys(editors) as Pane[];
const partial = byId<HTMLInputElement>("partial");
const ssp = byId<HTMLInputElement>("ssp");

function texts(): Texts {
  return { template: editors.template.text, vm: editors.vm.text, cluster: editors.cluster.text };
}

/** values are those that a person gave to the parameters of the template. */
let values: Values = {};

function input(): Input {
  return { texts: texts(), partial: partial.checked, ssp: ssp.checked, values };
}

const forms = new Forms(client, input, async (name, changes, which) => {
  if (name === "form") {
    return editVM(changes, which);
  }
  values = { ...values };
  for (const { pointer, value } of changes) {
    values[tokensOf(pointer)[0] ?? ""] = (value ?? "") as Values[string];
  }
  changed();
});

/** editVM changes values in the text of the VM; again, if a person changed the text meanwhile. */
async function editVM(changes: Change[], which: number): Promise<void> {
  for (;;) {
    const { text } = editors.vm;
    const edited = await client.ask("edit", { text, changes, which });
    if (editors.vm.text === text) {
      editors.vm.update(edited);
      return;
    }
  }
}

/** format lays out what some editors hold, unless a person changes it meanwhile. */
async function format(...some: Pane[]): Promise<void> {
  for (const pane of some) {
    const { text } = editors[pane];
    try {
      const formatted = await client.ask("format", text);
      if (editors[pane].text === text) {
        editors[pane].update(formatted);
      }
    } catch (error) {
      notify(`This cannot be formatted: ${messageOf(error)}.`, "bad");
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function load(given: Input): Promise<void> {
  forms.hide();
  for (const pane of panes) {
    editors[pane].text = given.texts[pane];
  }
  partial.checked = given.partial;
  ssp.checked = given.ssp;
  values = given.values;
  work();
  byId<HTMLDetailsElement>("cluster-part").open = given.texts.cluster !== "";
  isNew = true;
  return judge();
}

let timer: ReturnType<typeof setTimeout> | undefined;
let judging = false;
let again = false;

let isUnsaved = false;

/** changed is called when a person has changed something. */
function changed(): void {
  isUnsaved = true;
  work();
  unlink();
  clearTimeout(timer);
  timer = setTimeout(() => {
    save();
    void judge();
  }, delay);
}

/** texted counts the changes of what is to be validated. */
let texted = 0;

/** work says that the page works, since what it says is about another text. */
function work(): void {
  texted++;
  if (document.body.dataset.judged) {
    const summary = byId("summary");
    summary.ariaBusy = "true";
    summary.className = "";
    summary.textContent = "Validating…";
  }
}

function save(): void {
  if (isUnsaved) {
    keep(input());
    isUnsaved = false;
  }
}

/** unlink removes a link from the address, when something else is shown. */
function unlink(): void {
  if (location.hash !== "") {
    history.replaceState(null, "", location.pathname + location.search);
  }
}

/** judge asks the worker about what the editors hold. There is one request at a time. */
async function judge(): Promise<void> {
  clearTimeout(timer);
  if (judging) {
    again = true;
    return;
  }
  judging = true;
  const asked = input();
  const at = texted;
  const analysis = await client.ask("analyse", asked).catch((error) => ({
    ...{ marks: [], verdicts: [], problems: [messageOf(error)], aside: "" },
  }));
  judging = false;
  if (at === texted) {
    render(asked.texts, analysis);
    void forms.refresh();
  }
  if (again) {
    again = false;
    void judge();
  }
}

/** isNew means that what is shown has just been loaded, and not yet validated. */
let isNew = true;
let rendered = "";
let latest: Analysis = { marks: [], verdicts: [], problems: [], aside: "" };

function render(asked: Texts, analysis: Analysis): void {
  for (const pane of panes) {
    const own = analysis.marks.filter((mark) => mark.pane === pane);
    editors[pane].mark(asked[pane], own);
  }
  document.body.dataset.judged = String(Number(document.body.dataset.judged ?? 0) + 1);
  latest = analysis;
  byId("summary").textContent = summaryOf(analysis);
  byId("summary").className = signOf(analysis);
  byId("summary").ariaBusy = "false";
  byId("aside").textContent = analysis.aside;
  byId("aside").hidden = analysis.aside === "";
  byId("filter").hidden = analysis.verdicts.length < 2;
  const text = shownOf(analysis);
  if (text !== rendered) {
    for (const pane of panes) {
      editors[pane].unpoint();
    }
  }
  if (isNew) {
    isNew = false;
    point(...firstIn(analysis));
  }
  if (text === rendered) {
    return; // what is shown asks `latest` for places
  }
  rendered = text;
  byId("report").replaceChildren(
    ...reportOf(analysis, ([verdict, entry, detail]) => {
      const { at, details = [] } = latest.verdicts[verdict]?.entries[entry] ?? {};
      const value = details[detail ?? 0]?.spot;
      point(...[at, value].filter((spot) => spot !== undefined));
      show(detail === undefined ? at : value);
    }),
  );
  filter();
  byId("findings").replaceChildren(
    ...findingsOf(
      analysis,
      lineOf,
      (at) => show(findingsIn(latest)[at]),
      (at) => mend(findingsIn(latest)[at]),
    ),
  );
}

/** filter hides the objects of the report whose titles do not have the text that is typed. */
function filter(): void {
  const wanted = byId("filter").hidden ? "" : byId<HTMLInputElement>("filter").value.toLowerCase();
  for (const object of byId("report").querySelectorAll<HTMLElement>("details, tbody")) {
    object.hidden = !object.firstChild?.textContent?.toLowerCase().includes(wanted);
  }
}

/** shownOf returns all that is shown of an analysis, without the places, which change with every key. */
function shownOf(analysis: Analysis): string {
  const { verdicts, problems } = analysis;
  const findings = findingsIn(analysis);
  const all = [verdicts, problems, findings, findings.map(lineOf)];
  return JSON.stringify(all, (key, value) => (key === "from" || key === "to" ? undefined : value));
}

function lineOf({ pane, from }: Mark): number {
  const { doc } = editors[pane].view.state;
  return doc.lineAt(Math.min(from, doc.length)).number;
}

/** point marks places, each in its editor, and brings them into sight. */
function point(...spots: Spot[]): void {
  for (const spot of spots) {
    editors[spot.pane].point(spot);
  }
}

function show(spot: Spot | undefined): void {
  if (spot?.pane === "cluster") {
    byId<HTMLDetailsElement>("cluster-part").open = true;
  }
  if (spot) {
    editors[spot.pane].show(spot);
  }
}

function mend(mark: Mark | undefined): void {
  if (mark?.fix) {
    editors[mark.pane].replace(mark.fix, mark.fix.insert);
    editors[mark.pane].view.focus();
  }
}

/** noticed is how long a notice stays, in milliseconds. One that needs an answer stays longer. */
const noticed = 10_000;

let leaving: ReturnType<typeof setTimeout> | undefined;

function notify(message: string, kind: "good" | "bad", ...answers: HTMLButtonElement[]): void {
  const notice = byId("notice");
  const leave = () => {
    notice.hidden = true;
  };
  notice.hidden = false;
  notice.className = kind;
  notice.replaceChildren(`${message} `, ...answers, button("", leave, "Close"));
  for (const answer of answers) {
    answer.addEventListener("click", leave);
  }
  clearTimeout(leaving);
  leaving = answers.length === 0 && kind === "good" ? setTimeout(leave, noticed) : undefined;
}

async function share(): Promise<void> {
  const hash = await toHash(input());
  history.replaceState(null, "", hash);
  try {
    await navigator.clipboard.writeText(location.href);
    notify("The link is copied. It holds all that you have written; no server gets it.", "good");
  } catch {
    notify(
      "The link is in the address bar: copy it from there. It holds all that you have written.",
      "good",
    );
  }
}

/** copy copies the report for somebody else, in the form that is chosen. */
async function copy(): Promise<void> {
  const as = byId<HTMLSelectElement>("as").value as ReportForm;
  try {
    await navigator.clipboard.writeText(await client.ask("report", { as, of: input() }));
    notify("The report is copied.", "good");
  } catch (error) {
    notify(`The report cannot be copied: ${messageOf(error)}.`, "bad");
  }
}

/** replace shows something else than what the link holds. */
function replace(given: Input): Promise<void> {
  unlink();
  return load(given);
}

/** isWork reports whether a person has written something: all but an example. */
function isWork({ texts, values }: Input): boolean {
  const same = (example: Texts) => panes.every((pane) => example[pane] === texts[pane]);
  return Object.keys(values).length > 0 || !examples.some((example) => same(example.texts));
}

/** begin shows what the link holds, else what was written last, else an example. */
async function begin(): Promise<void> {
  const work = kept();
  if (!(await open(work))) {
    await load(work ?? { ...nothing, texts: (examples[1] ?? nothing).texts });
  }
}

const nothing: Input = {
  texts: { template: "", vm: "", cluster: "" },
  partial: false,
  ssp: false,
  values: {},
};

/** open shows what the link holds, and returns whether it does. A bad link changes nothing. */
async function open(before: Input | undefined): Promise<boolean> {
  try {
    const given = await fromHash(location.hash);
    if (given === undefined) {
      return false;
    }
    await load(given);
    if (before && isWork(before) && JSON.stringify(before) !== JSON.stringify(given)) {
      const back = button("", () => void replace(before), "Back to what you had");
      notify("This is what the link holds.", "good", back);
    }
    return true;
  } catch (error) {
    if (!(error instanceof LinkError)) {
      throw error;
    }
    notify(`${error.message} Nothing is changed by it.`, "bad");
    return false;
  }
}

function startExamples(): void {
  const choice = byId<HTMLSelectElement>("example");
  choice.add(new Option("Choose…", ""));
  for (const [i, { title }] of examples.entries()) {
    choice.add(new Option(title, String(i)));
  }
  choice.addEventListener("change", () => {
    const example = examples[Number(choice.value)];
    choice.value = "";
    const question = "Replace what you have written by this example?";
    if (example && (!isWork(input()) || confirm(question))) {
      const options = { partial: partial.checked, ssp: ssp.checked };
      const given = { texts: example.texts, ...options, values: {} };
      keep(given);
      void replace(given);
    }
  });
}

startExamples();
startTabs(["report", "form", "parameters"], (name) => {
  byId("tools").hidden = name !== "report";
  void forms.open(name);
});
byId("format-template").addEventListener("click", () => void format("template"));
byId("format-vm").addEventListener("click", () => void format("vm", "cluster"));
byId("copy").addEventListener("click", () => void copy());
byId("share").addEventListener("click", () => void share());
partial.addEventListener("change", changed);
byId("filter").addEventListener("input", filter);
ssp.addEventListener("change", changed);
window.addEventListener("pagehide", save);
window.addEventListener("hashchange", () => void open(input()));
await begin();
