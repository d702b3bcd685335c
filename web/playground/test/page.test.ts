import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Report } from "@vmrules/vmrules";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { toHash } from "../src/share.js";
import {
  agree,
  choose,
  judged,
  launch,
  problems,
  requests,
  type Site,
  says,
  serve,
  text,
  typeBehind,
  watch,
} from "./page.js";

let site: Site;
let browser: Browser;
let context: BrowserContext;
let page: Page;

before(async () => {
  site = await serve();
  browser = await launch();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  watch(page);
  agree(page);
  await page.goto(site.url);
  await judged(page);
});

after(async () => {
  await browser?.close();
  await site?.close();
});

test("a mistake has a squiggle, and its fix mends it", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await typeBehind(page, "template", "cpu.cores", "s");
  const finding = page.locator("#findings li", { hasText: 'unknown field "coress"' });
  await finding.waitFor();
  const squiggle = page.locator("#template .cm-lintRange-error");
  assert.equal(await squiggle.first().innerText(), ".coress");
  const fix = finding.getByRole("button", { name: /^Write/ });
  await fix.focus();
  await page.keyboard.press("Enter");
  await page.locator("#findings", { hasText: "Nothing to complain about." }).waitFor();
  assert.match(await text(page, "template"), /"jsonpath::.spec.domain.cpu.cores"/);
  assert.equal(await squiggle.count(), 0);
});

test("the squiggle itself has the fix, for the mouse and the keyboard", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await typeBehind(page, "template", '"rule": "integer', "s");
  await page.locator("#template .cm-lintRange-error").first().hover();
  await page.locator(".cm-tooltip-lint", { hasText: 'unknown kind "integers"' }).waitFor();
  await page.keyboard.press("Control+Shift+M"); // the list of the editor itself
  await page.locator(".cm-panel-lint li", { hasText: "integers" }).waitFor();
  await page.keyboard.press("w"); // the underlined letter of its fix
  await page.locator("#findings", { hasText: "Nothing to complain about." }).waitFor();
  assert.match(await text(page, "template"), /"rule": "integer"/);
  await page.keyboard.press("Escape");
  await page.locator(".cm-panel-lint").waitFor({ state: "detached" });
});

test("keys, kinds and paths are completed", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await typeBehind(page, "template", '"max": 8', ', "jus');
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "justWarning" }).waitFor();
  await page.waitForTimeout(100); // the editor takes no key for a list that has only just appeared
  await page.keyboard.press("Enter");
  await says(page, /valid, 1 warned/);
  assert.match(await text(page, "template"), /"max": 8, "justWarning": true/);
  await typeBehind(page, "template", "spec.domain.cpu", ".th");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: /^threads/ }).waitFor();
  await page.keyboard.press("Escape");
});

test("a click leads from the report to the value", async () => {
  await choose(page, "A Windows desktop", /2 violated, 1 warned, 1 skipped, 3 satisfied/);
  await page
    .getByRole("button", { name: "spec.template.spec.domain.devices.disks[1].cdrom.bus" })
    .click();
  assert.equal(await page.evaluate(() => getSelection()?.toString()), '"scsi"');
  await page.waitForFunction(() => document.activeElement?.closest("#vm") !== null);
  await page.keyboard.type('"sata"');
  await says(page, /1 violated/);
});

test("a rule and its value are marked at once, and a rule's name leads to the rule", async () => {
  await choose(page, "A Windows desktop", /2 violated.*by the template .*windows-desktop/);
  const pointed = (pane: string, text: string) =>
    page.locator(`#${pane} .cm-pointed`, { hasText: text }).waitFor();
  await pointed("template", '"name": "licensed-cores"'); // the first that is wrong
  await pointed("vm", '"cores": 12');
  await page.getByRole("button", { name: "cdrom-bus" }).click();
  assert.equal(await page.evaluate(() => getSelection()?.toString()), '"cdrom-bus"');
  await pointed("template", '"name": "cdrom-bus"');
  await pointed("vm", '"bus": "scsi"');
});

test("several objects are a list, which can be filtered", async () => {
  await page.locator("#vm .cm-content").focus();
  await page.keyboard.press("Control+A");
  const vm = (name: string, template: string, cores: number) =>
    `kind: VirtualMachine\nmetadata: {name: ${name}, labels: {vm.kubevirt.io/template: ${template}}}\nspec: {template: {spec: {domain: {cpu: {cores: ${cores}}, memory: {guest: 8Gi}}}}}\n`;
  const vms = [vm("one", "other", 1), vm("two", "windows-desktop", 99)];
  await page.keyboard.insertText(vms.join("---\n"));
  await says(page, /2 VMs: 1 not validated, 1 not valid\./);
  const titles = () => page.locator("#report summary:visible b").allInnerTexts();
  assert.deepEqual(await titles(), ["VirtualMachine two", "VirtualMachine one"]);
  await page.locator("#report", { hasText: "99 is more than max 8" }).waitFor();
  await page.getByLabel("Filter objects").fill("not validated: the template other");
  assert.deepEqual(await titles(), ["VirtualMachine one"]);
  await page.getByLabel("Filter objects").fill("");
});

test("each of several objects has its form", async () => {
  await page.getByRole("tab", { name: "Form" }).click();
  const form = page.locator("#form");
  await form.locator(".hint", { hasText: "the template other" }).waitFor();
  await form.getByLabel("Form for").selectOption("VirtualMachine two");
  await form.locator(".mistakes li", { hasText: "99 is more than max 8" }).waitFor();
  await form.getByLabel("cpu.cores").fill("8");
  await says(page, /2 VMs: 1 valid, 1 not validated\./);
  assert.match(await text(page, "vm"), /cores: 1}.*cores: 8}/s);
  await page.getByRole("tab", { name: "Report" }).click();
});

test("the report can be copied, as text and as JSON", async () => {
  await choose(page, "A Windows desktop", /2 violated/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = async () => {
    await page.getByRole("button", { name: "Copy the report" }).click();
    await page.locator("#notice", { hasText: "The report is copied." }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "Close", exact: true }).click();
    return text;
  };
  const [summary, ...lines] = (await copied()).split("\n");
  assert.match(summary ?? "", /^VirtualMachine office\/reception: not valid, 2 violated/);
  assert.deepEqual(lines.slice(0, 2), [
    "Violated licensed-cores: the licence covers 8 cores",
    "  spec.template.spec.domain.cpu.cores: 12 is more than max 8",
  ]);
  await page.getByLabel("Form of the report").selectOption("JSON");
  const { objects, problems: none } = JSON.parse(await copied());
  assert.deepEqual(none, []);
  assert.deepEqual(
    objects.map((one: { object: string; valid: boolean; report: Report }) => [
      ...[one.object, one.valid, one.report.valid, one.report.results.length],
    ]),
    [["VirtualMachine office/reception", false, false, 7]],
  );
  await page.getByLabel("Form of the report").selectOption("Text");
});

test("Format lays out a text, which can be undone, and says why it cannot", async () => {
  await page.locator("#template .cm-content").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("[ ]");
  await page.getByRole("button", { name: "Format the template" }).click();
  await page.locator("#template .cm-line", { hasText: /^\[\]$/ }).waitFor();
  await page.locator("#template .cm-content").focus();
  await page.keyboard.press("Control+Z");
  await page.locator("#template .cm-line", { hasText: /^\[ \]$/ }).waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("[1");
  await page.keyboard.press("Shift+Alt+f");
  await page.locator("#notice", { hasText: "This cannot be formatted: " }).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
});

test("what a switch means can be read by keyboard", async () => {
  await page.getByRole("button", { name: "What is: Partial" }).press("Enter");
  await page.locator("#partial-what", { hasText: "still being filled in" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("#partial-what").waitFor({ state: "hidden" });
});

test("Partial skips what is missing", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await page.locator("#vm .cm-content").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("kind: VirtualMachine\nspec:\n  template:\n    spec: {}\n");
  await says(page, /not valid/);
  await page.getByRole("checkbox", { name: "Partial" }).check();
  await says(page, /not validated: not filled in yet/);
  await page.getByRole("checkbox", { name: "Partial" }).uncheck();
});

test("an instance type counts for the VM that names it", async () => {
  await choose(page, "An instance type", /1 violated, 1 satisfied/);
  await typeBehind(page, "cluster", "guest: 2", "0");
  await says(page, /: valid, 2 satisfied/);
});

test("a link holds everything that is written", async () => {
  await choose(page, "Each kind of rule", /4 violated/);
  await typeBehind(page, "vm", "name: each-kind", "-é😀");
  await says(page, /each-kind-é😀/);
  await page.getByRole("button", { name: "Share" }).click();
  await page.locator("#notice", { hasText: "link" }).waitFor();
  const link = page.url();
  assert.match(link, /#1\.[\w-]+$/);
  const other = await (await browser.newContext()).newPage();
  watch(other);
  await other.goto(link);
  await says(other, /each-kind-é😀: not valid, 4 violated/);
  assert.equal(await text(other, "vm"), await text(page, "vm"));
  await other.context().close();
});

const nothing = { partial: false, ssp: false, values: {} };

test("what is typed survives a reload, and a link that is damaged", async () => {
  const own = await (await browser.newContext()).newPage();
  watch(own);
  await own.goto(site.url);
  await judged(own);
  await own.locator("#vm .cm-content").focus();
  await own.keyboard.press("Control+Z"); // of which there is nothing yet
  await says(own, /office\/reception/);
  await typeBehind(own, "vm", '"name": "reception', "-é😀");
  await says(own, /reception-é😀/);
  await own.goto("about:blank");
  await own.goto(`${site.url}#1.AAAA`);
  await says(own, /reception-é😀/);
  for (const hash of ["#1.AAAA", "#7.x", "#1.", "#<script>", "#1.eF4"]) {
    await own.evaluate((hash) => {
      location.hash = hash;
    }, hash);
    await own.locator("#notice", { hasText: "Nothing is changed by it." }).waitFor();
    await own.getByRole("button", { name: "Close", exact: true }).click();
    await says(own, /reception-é😀/);
  }
  const vm = "kind: VirtualMachine";
  const link = await toHash({ ...nothing, texts: { template: "[]", vm, cluster: "" } });
  await own.evaluate((hash) => {
    location.hash = hash;
  }, link);
  await says(own, /it has no rules/);
  await own.getByRole("button", { name: "Back to what you had" }).click();
  await says(own, /reception-é😀/);
  assert.equal(await own.locator("#notice").isHidden(), true);
  assert.equal(new URL(own.url()).hash, "");
  const answers: Promise<void>[] = [];
  for (const [answer, summary] of [
    ["dismiss", /reception-é😀/],
    ["accept", /each-kind/],
  ] as const) {
    own.once("dialog", (dialog) => answers.push(dialog[answer]()));
    await choose(own, "Each kind of rule", summary);
  }
  await Promise.all(answers);
  assert.equal(answers.length, 2);
  await own.getByLabel("Partial", { exact: true }).check();
  await says(own, /each-kind/);
  await own.reload();
  await says(own, /each-kind/);
  assert.equal(await own.getByLabel("Partial", { exact: true }).isChecked(), true);
  await own.context().close();
});

test("a form has the inputs that one expects, and changes the VM", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await page.getByRole("tab", { name: "Form" }).click();
  await page.getByLabel("cpu.cores").waitFor();
  await page.getByRole("tab", { name: "Report" }).click();
  await choose(page, "A Windows desktop", /2 violated/);
  const shown = await page.evaluate(() => {
    document.getElementById("form-tab")?.click();
    const input = document.querySelector("#form input"); // of the object before
    return input?.checkVisibility({ visibilityProperty: true });
  });
  assert.equal(shown, false);
  const cores = page.getByLabel("cpu.cores");
  await cores.waitFor();
  assert.deepEqual(
    await cores.evaluate((input: HTMLInputElement) => [
      input.type,
      input.min,
      input.max,
      input.value,
    ]),
    ["number", "1", "8", "12"],
  );
  assert.equal(
    await page.locator("#form .mistakes li", { hasText: "12 is more than max 8" }).count(),
    1,
  );
  await page.locator("#form .note", { hasText: "the licence covers 8 cores (1 to 8)" }).waitFor();
  await cores.fill("1");
  await says(page, /1 violated/);
  await page.keyboard.type("6"); // in the input that one is in
  await page.locator("#form .mistakes li", { hasText: "16 is more than max 8" }).waitFor();
  await says(page, /2 violated/); // nothing else has changed
  const memory = page.getByLabel("memory.guest (required)");
  assert.equal(await memory.inputValue(), "8Gi");
  await memory.fill("2");
  await page.locator("#form .mistakes li", { hasText: '"2" is less than min' }).waitFor();
  await page.keyboard.type("0Gi");
  await says(page, /2 violated/);
  assert.match(await text(page, "vm"), /"cores": 16,.*"guest": "20Gi"/s);
  await cores.fill("6");
  await says(page, /1 violated/);
  const bus = page.getByLabel("devices.disks[1].cdrom.bus");
  assert.equal(await bus.locator("option:checked").innerText(), "scsi (not allowed)");
  await bus.selectOption("sata");
  await says(page, /: valid/);
  await page.waitForFunction(() => !document.querySelector("#form .mistakes li:not(.warns)"));
  await page.getByRole("tab", { name: "Report" }).click();
});

test("a report of many objects is a table that sorts", async () => {
  await choose(page, "Quickstart", /1 violated/);
  const rules =
    '[{"name": "cores", "rule": "integer", "path": "jsonpath::.spec.domain.cpu.cores", "message": "m", "max": 50}]';
  const vms = Array.from({ length: 90 }, (_, i) => {
    const spec = { template: { spec: { domain: { cpu: { cores: i } } } } };
    return { kind: "VirtualMachine", metadata: { name: `vm-${i}` }, spec };
  });
  for (const [pane, text] of [
    ["template", rules],
    ["vm", JSON.stringify({ kind: "List", items: vms })],
  ] as const) {
    await page.locator(`#${pane} .cm-content`).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  }
  await says(page, /90 VMs: 51 valid, 39 not\./);
  const titles = () => page.locator("#report tbody tr:first-child td:first-child").allInnerTexts();
  const first = async () => (await titles())[0];
  assert.equal(await first(), "VirtualMachine vm-51");
  const head = page.getByRole("columnheader", { name: "Object" });
  await head.getByRole("button").focus();
  await page.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  assert.deepEqual(
    (await titles()).slice(0, 3),
    [0, 1, 2].map((i) => `VirtualMachine vm-${i}`),
  );
  await page.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  assert.equal(await first(), "VirtualMachine vm-89");
  await page.getByRole("button", { name: "VirtualMachine vm-89" }).click();
  await page.locator("#report", { hasText: "89 is more than max 50" }).waitFor();
  await page.getByLabel("Filter objects").fill("vm-7");
  assert.equal(await page.locator("#report tbody:visible").count(), 11);
  await page.getByLabel("Filter objects").fill("");
});

test("names and counts move to the next line as a whole", async () => {
  await choose(page, "A broken template", /4 violated/);
  for (const width of [390, 560, 820, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const broken = await page.evaluate(() =>
      [
        ...document.querySelectorAll(
          ".rule code, .findings code, .findings .note, .count, .severity, .says",
        ),
      ]
        .filter((chip) => chip.checkVisibility())
        .filter((chip) => {
          const range = document.createRange();
          range.selectNodeContents(chip);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          const room = (chip.parentElement as HTMLElement).clientWidth;
          return lines.size > 1 && (chip as HTMLElement).scrollWidth < room - 1;
        })
        .map((chip) => chip.textContent),
    );
    assert.deepEqual(broken, [], `at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("a form offers only the member that an item has", async () => {
  await choose(page, "Quickstart", /1 violated/);
  const fill = async (pane: string, text: string) => {
    await page.locator(`#${pane} .cm-content`).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  };
  const rules = ["disk", "cdrom"].map((member) => {
    const path = `jsonpath::.spec.domain.devices.disks[0].${member}.bus`;
    return { name: member, rule: "enum", path, message: "m", values: ["sata"] };
  });
  await fill("template", JSON.stringify(rules));
  const devices = { disks: [{ name: "drive", cdrom: {} }] };
  const spec = { template: { spec: { domain: { devices } } } };
  await fill("vm", JSON.stringify({ kind: "VirtualMachine", spec }));
  await says(page, /not valid, 2 violated/);
  await page.getByRole("tab", { name: "Form" }).click();
  await page.getByLabel("devices.disks[0].cdrom.bus").waitFor();
  assert.equal(await page.getByLabel("devices.disks[0].disk.bus").count(), 0);
  await page.getByRole("tab", { name: "Report" }).click();
});

test("a template with parameters is judged with the values that are typed", async () => {
  await choose(page, "A template with parameters", /1 undecided, 3 satisfied/);
  await page.getByRole("tab", { name: "Parameters" }).click();
  await page.getByLabel("Name (required)").fill("Web_Server");
  await says(page, /1 violated, 3 satisfied/);
  await page.locator("#parameters .mistakes li", { hasText: "does not match" }).waitFor();
  await page.getByLabel("Name (required)").fill("web-server");
  await says(page, /: valid, 4 satisfied/);
  await page.locator("#parameters").getByLabel("Cores").fill("9");
  await page.locator("#parameters .mistakes li", { hasText: "9 is more than max 4" }).waitFor();
  await page.getByRole("tab", { name: "Report" }).click();
  await says(page, /1 violated/);
});

test("text that cannot be read is marked, and not validated", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await typeBehind(page, "vm", "cores: 12", "\ncores: [");
  await says(page, /Not validated/);
  await page.locator("#vm .cm-lint-marker-error").first().waitFor();
  await page.locator("#report", { hasText: "The VM cannot be read" }).waitFor();
});

test("rules that cannot be read are not validated by", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await typeBehind(page, "template", '"max": 8', ",,");
  await says(page, /not validated: its rules cannot be read: line \d+, column \d+/);
  assert.notEqual(await page.locator("#summary").getAttribute("class"), "good");
});

test("nothing that is said outlives the text that it is about", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await page.locator("#vm .cm-content").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("a: [");
  await page.locator("#vm .cm-lint-marker-error").first().waitFor();
  const marks = (pane: string) =>
    page.locator(`#${pane}`).locator(".cm-lint-marker, .cm-lintPoint, .cm-lintRange").count();
  /** emptied empties an editor, and returns what the page says before it judges. */
  const emptied = async (pane: string) => {
    await page.locator(`#${pane} .cm-content`).focus();
    await page.keyboard.press("Control+A");
    return page.evaluate(async () => {
      document.execCommand("delete");
      await new Promise((done) => setTimeout(done)); // sooner than the page judges
      const { className = "", textContent = "" } = document.getElementById("summary") ?? {};
      return [className, textContent, document.querySelectorAll("#vm .cm-lint-marker").length];
    });
  };
  assert.deepEqual(await emptied("vm"), ["", "Validating…", 0]);
  await says(page, /No VM to validate yet/);
  assert.equal(await marks("vm"), 0);
  assert.deepEqual(await emptied("template"), ["", "Validating…", 0]);
  await says(page, /No VM to validate yet/);
  assert.equal(await page.locator("#summary").getAttribute("class"), "");
  assert.equal(await page.locator("#summary").getAttribute("aria-busy"), "false");
});

test("a bundle that is pasted over an example has a result", async () => {
  await choose(page, "A Windows desktop", /2 violated/);
  await page.locator("#template .cm-content").focus();
  await page.keyboard.press("Control+A");
  const bundle = ["one", "two"].map(
    (name) =>
      `apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: ${name}}\nobjects: []\n`,
  );
  await page.keyboard.insertText(bundle.join("---\n"));
  await says(page, /^3 objects: /);
  assert.equal(await page.locator("#summary").getAttribute("class"), "bad");
  await page.getByText("The VM here names none of the templates.").waitFor();
  assert.equal(await page.locator(".cm-pointed").count(), 0);
  await page.locator("#report summary", { hasText: "Template one" }).waitFor();
  await page.locator("#report", { hasText: "is not there" }).waitFor();
  await page.locator("#vm .cm-content").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("kind: VirtualMachine\n");
  await says(page, /not validated: it has no rules/);
  await page.locator("#report", { hasText: "not validated: it has no rules" }).waitFor();
  assert.equal(await page.locator("#aside").isHidden(), true);
});

test("without the library, nothing is validated and nothing is fine", async () => {
  const other = await browser.newContext();
  await other.route("**/*.wasm", (route) => route.abort());
  const bare = await other.newPage();
  await bare.goto(site.url);
  await says(bare, /^Not validated: the library cannot be loaded/);
  assert.equal(await bare.locator("#summary").getAttribute("class"), "unjudged");
  assert.equal(await bare.locator("#findings").innerText(), "");
  await other.close();
});

test("tabs work by keyboard", async () => {
  await page.getByRole("tab", { name: "Report" }).focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(
    await page.getByRole("tab", { name: "Parameters" }).getAttribute("aria-selected"),
    "true",
  );
  await page.keyboard.press("Home");
  assert.equal(
    await page.getByRole("tab", { name: "Report" }).getAttribute("aria-selected"),
    "true",
  );
});

test("the page follows the colours that a person prefers", async () => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await background(), "rgb(22, 24, 28)");
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await background(), "rgb(245, 246, 248)");
});

test("nothing is asked of another server, and nothing complains", () => {
  const others = [...requests].filter((url) => !/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(url));
  assert.deepEqual(others, []);
  assert.deepEqual(problems, []);
});
