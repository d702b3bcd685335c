import { Client } from "./client.js";
import { Editor } from "./editor.js";
import { byId } from "./elements.js";
import { examples } from "./examples.js";
import { Forms } from "./panels.js";
import { tokensOf } from "./pointer.js";
import type { Analysis, Change, Input, Mark, Pane, Spot, Texts, Values } from "./protocol.js";
import { findingsIn, findingsOf, reportOf, summaryOf } from "./report.js";
import { fromHash, LinkError, toHash } from "./share.js";
import { startTabs } from "./tabs.js";
import { startTheme } from "./theme.js";

/** delay is how long the page waits for another key before it judges, in milliseconds. */
const delay = 60;

const client = new Client();

const editors: { [pane in Pane]: Editor } = {
  template: new Editor({
    parent: byId("template"),
    label: "Template or annotation, in YAML or JSON",
    hint: "A template, or the rules alone: [ … ]",
    changed: changed,
    completer: (at) => client.ask("complete", { texts: texts(), at }),
  }),
  vm: new Editor({
    parent: byId("vm"),
    label: "VM, in YAML or JSON",
    hint: "A VM; else the template’s own is judged",
    changed: changed,
  }),
  cluster: new Editor({
    parent: byId("cluster"),
    label: "Instance types and preferences, in YAML or JSON",
    hint: "Instance types and preferences, with --- between them",
    changed: changed,
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

const forms = new Forms(client, input, async (name, changes) => {
  if (name === "form") {
    return editVM(changes);
  }
  values = { ...values };
  for (const { pointer, value } of changes) {
    values[tokensOf(pointer)[0] ?? ""] = (value ?? "") as Values[string];
  }
  changed();
});

/** editVM changes values in the text of the VM; again, if a person changed the text meanwhile. */
async function editVM(changes: Change[]): Promise<void> {
  for (;;) {
    const { text } = editors.vm;
    const edited = await client.ask("edit", { text, changes });
    if (editors.vm.text === text) {
      editors.vm.update(edited);
      return;
    }
  }
}

function load(given: Input): Promise<void> {
  for (const pane of panes) {
    editors[pane].text = given.texts[pane];
  }
  partial.checked = given.partial;
  ssp.checked = given.ssp;
  values = given.values;
  byId<HTMLDetailsElement>("cluster-part").open = given.texts.cluster !== "";
  return judge();
}

let timer: ReturnType<typeof setTimeout> | undefined;
let judging = false;
let again = false;

function changed(): void {
  clearTimeout(timer);
  timer = setTimeout(judge, delay);
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
  try {
    render(asked.texts, await client.ask("analyse", asked));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    render(asked.texts, { marks: [], verdicts: [], problems: [problem] });
  }
  void forms.refresh();
  judging = false;
  if (again) {
    again = false;
    void judge();
  }
}

let rendered = "";
let latest: Analysis = { marks: [], verdicts: [], problems: [] };

function render(asked: Texts, analysis: Analysis): void {
  for (const pane of panes) {
    const own = analysis.marks.filter((mark) => mark.pane === pane);
    editors[pane].mark(asked[pane], own);
  }
  document.body.dataset.judged = String(Number(document.body.dataset.judged ?? 0) + 1);
  latest = analysis;
  const summary = summaryOf(analysis);
  if (byId("summary").textContent !== summary) {
    byId("summary").textContent = summary;
  }
  byId("summary").className = verdictOf(analysis);
  const text = shownOf(analysis);
  if (text === rendered) {
    return; // what is shown asks `latest` for places
  }
  rendered = text;
  byId("report").replaceChildren(
    ...reportOf(analysis, ([verdict, entry, detail]) => {
      show(latest.verdicts[verdict]?.entries[entry]?.details[detail]?.spot);
    }),
  );
  byId("findings").replaceChildren(
    ...findingsOf(
      findingsIn(analysis),
      (at) => show(findingsIn(latest)[at]),
      (at) => mend(findingsIn(latest)[at]),
    ),
  );
}

/** shownOf returns all that is shown of an analysis, without the places, which change with every key. */
function shownOf(analysis: Analysis): string {
  const { verdicts, problems } = analysis;
  const titles = verdicts.length > 1 ? verdicts.map(({ title }) => title) : [];
  const entries = verdicts.map((verdict) => verdict.entries);
  return JSON.stringify([titles, entries, problems, findingsIn(analysis)], (key, value) =>
    key === "from" || key === "to" ? undefined : value,
  );
}

function verdictOf({ verdicts, problems }: Analysis): string {
  if (verdicts.length === 0) {
    return problems.length > 0 ? "bad" : "";
  }
  return verdicts.every(({ valid }) => valid) && problems.length === 0 ? "good" : "bad";
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

function notify(message: string, kind: "good" | "bad"): void {
  const notice = byId("notice");
  notice.hidden = false;
  notice.className = kind;
  notice.textContent = message;
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

/** open loads what the link holds; what the page begins with, if it holds nothing. */
async function open(): Promise<void> {
  const first = { texts: (examples[1] ?? empty).texts, partial: false, ssp: false, values: {} };
  try {
    await load((await fromHash(location.hash)) ?? first);
  } catch (error) {
    if (!(error instanceof LinkError)) {
      throw error;
    }
    notify(`${error.message} An example is shown instead.`, "bad");
    await load(first);
  }
}

const empty = { texts: { template: "", vm: "", cluster: "" } };

function startExamples(): void {
  const choice = byId<HTMLSelectElement>("example");
  choice.add(new Option("Choose…", ""));
  for (const [i, { title }] of examples.entries()) {
    choice.add(new Option(title, String(i)));
  }
  choice.addEventListener("change", () => {
    const example = examples[Number(choice.value)];
    if (choice.value !== "" && example) {
      void load({ texts: example.texts, partial: partial.checked, ssp: ssp.checked, values: {} });
    }
    choice.value = "";
  });
}

startTheme();
startExamples();
startTabs(["report", "form", "parameters"], (name) => void forms.open(name));
byId("share").addEventListener("click", () => void share());
partial.addEventListener("change", () => void judge());
ssp.addEventListener("change", () => void judge());
window.addEventListener("hashchange", () => void open());
await open();

// Only now, so that it does not slow down the first verdict.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  navigator.serviceWorker.register("offline.js").catch(() => undefined); // it works without, while there is a network
}
