import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import {
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
  assert.equal(await squiggle.first().innerText(), '"jsonpath::.spec.domain.cpu.coress"');
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
  await page.locator("#template .cm-lintRange-warning").first().hover();
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

test("Partial skips what is missing", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await page.locator("#vm .cm-content").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("kind: VirtualMachine\nspec:\n  template:\n    spec: {}\n");
  await says(page, /not valid/);
  await page.getByLabel("Partial").check();
  await says(page, /: valid/);
  await page.getByLabel("Partial").uncheck();
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

test("a link that is damaged has a message, and the page still works", async () => {
  for (const hash of ["#1.AAAA", "#7.x", "#1.", "#<script>", "#1.eF4"]) {
    const other = await context.newPage();
    watch(other);
    await other.goto(site.url + hash);
    await other.locator("#notice", { hasText: "This link is" }).waitFor();
    await says(other, /office\/reception/);
    await other.close();
  }
});

test("a form has the inputs that one expects, and changes the VM", async () => {
  await choose(page, "A Windows desktop", /2 violated/);
  await page.getByRole("tab", { name: "Form" }).click();
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
  await cores.fill("");
  await cores.pressSequentially("16", { delay: 30 });
  await page.locator("#form .mistakes li", { hasText: "16 is more than max 8" }).waitFor();
  await says(page, /2 violated/); // nothing else has changed
  await cores.fill("6");
  await says(page, /1 violated/);
  const drivers = page.locator("#form fieldset", { hasText: /^drivers/ });
  await drivers.getByLabel("cdrom.bus").selectOption("sata");
  await says(page, /: valid/);
  await page.waitForFunction(() => !document.querySelector("#form .mistakes li:not(.warns)"));
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

test("text that cannot be read is marked, and not judged", async () => {
  await choose(page, "Quickstart", /1 violated/);
  await typeBehind(page, "vm", "cores: 12", "\ncores: [");
  await says(page, /Not judged/);
  await page.locator("#vm .cm-lint-marker-error").first().waitFor();
  await page.locator("#report", { hasText: "The VM cannot be read" }).waitFor();
});

test("tabs and the theme work by keyboard", async () => {
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
  await page.getByLabel("Theme").selectOption("dark");
  await page.reload();
  await judged(page);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await background(), "rgb(22, 24, 28)");
  await page.getByLabel("Theme").selectOption("system");
  assert.equal(await background(), "rgb(245, 246, 248)");
});

test("the page works without a network after the first visit", async () => {
  const second = await serve();
  const visitor = await (await browser.newContext()).newPage();
  watch(visitor);
  await visitor.goto(second.url);
  await visitor.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await second.close();
  await visitor.reload();
  await says(visitor, /office\/reception/);
  await visitor.getByRole("tab", { name: "Form" }).click();
  await visitor.getByLabel("cpu.cores").waitFor();
  await visitor.context().close();
});

test("nothing is asked of another server, and nothing complains", () => {
  const others = [...requests].filter((url) => !/^(http:\/\/127\.0\.0\.1:|data:|blob:)/.test(url));
  assert.deepEqual(others, []);
  assert.deepEqual(problems, []);
});
