// How the page looks to people: what axe finds, and screenshots to look at, in ../screenshots.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { agree, choose, judged, launch, type Site, says, serve, typeBehind } from "./page.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screenshots = new URL("../../screenshots/", import.meta.url).pathname;

let site: Site;
let browser: Browser;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  site = await serve();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await site?.close();
});

/** views are what is looked at, one after the other. */
const views: { [name: string]: (page: Page) => Promise<void> } = {
  windows: async () => undefined,
  form: async (page) => {
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByLabel("cpu.cores").waitFor();
  },
  parameters: async (page) => {
    await choose(page, "A template with parameters", /1 undecided/);
    await page.getByRole("tab", { name: "Parameters" }).click();
    await page.locator("#parameters").getByLabel("Cores").fill("9");
    await page.locator("#parameters .mistakes li", { hasText: "9 is more" }).waitFor();
  },
  kinds: async (page) => {
    await page.getByRole("tab", { name: "Report" }).click();
    await choose(page, "Each kind of rule", /4 violated/);
  },
  instancetype: (page) => choose(page, "An instance type", /1 violated/),
  completion: async (page) => {
    await choose(page, "Quickstart", /1 violated/);
    await typeBehind(page, "template", '"max": 8', ', "');
    await page.locator(".cm-tooltip-autocomplete li").first().waitFor();
  },
  broken: async (page) => {
    await choose(page, "A broken template", /4 violated/);
    await page.locator("#template .cm-lintRange").first().hover();
    await page.locator(".cm-tooltip-lint").waitFor();
  },
  many: async (page) => {
    const vm = (_: unknown, i: number) =>
      `kind: VirtualMachine\nmetadata: {name: vm-${i}}\nspec: {template: {spec: {domain: {cpu: {cores: ${i}}}}}}\n`;
    await page.locator("#vm .cm-content").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(Array.from({ length: 90 }, vm).join("---\n"));
    await says(page, /^90 VMs/);
    await page.getByRole("tab", { name: "Report" }).click();
  },
  several: async (page) => {
    const vm = "kind: VirtualMachine\nmetadata: {name: one}\nspec: {template: {spec: {}}}\n";
    await page.locator("#vm .cm-content").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(`${vm}---\n${vm}`);
    await says(page, /^2 VMs/);
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByLabel("Form for").waitFor();
    await page.locator("#template .cm-content").focus();
    await page.keyboard.press("Control+F");
    await page.locator(".cm-search").waitFor();
  },
};

for (const [width, height, colorScheme] of [
  [1280, 800, "light"],
  [1280, 800, "dark"],
  [390, 844, "light"],
] as const) {
  test(`axe finds nothing at ${width} in the ${colorScheme} theme`, async () => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    agree(page);
    await page.goto(site.url);
    await judged(page);
    await page.evaluate(axe);
    const found: string[] = [];
    for (const [name, view] of Object.entries(views)) {
      await view(page);
      await page.screenshot({ path: `${screenshots}${name}-${width}-${colorScheme}.png` });
      found.push(...(await complaints(page)).map((complaint) => `${name}: ${complaint}`));
    }
    await context.close();
    assert.deepEqual(found, []);
  });
}

/** run runs axe, which fails if an element that it looks at goes meanwhile: then once more. */
const run = `(async () => {
  let changes = 0;
  for (;;) {
    const observer = new MutationObserver(() => changes++);
    observer.observe(document, { subtree: true, childList: true });
    const before = changes;
    try {
      return await axe.run();
    } catch (error) {
      if (changes === before) {
        throw error;
      }
    } finally {
      observer.disconnect();
    }
  }
})()`;

/** complaints returns what axe finds, and whether the page is wider than the window. */
async function complaints(page: Page): Promise<string[]> {
  const { violations } = (await page.evaluate(run)) as AxeResults;
  const found = violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, any }) => `${impact} ${id} ${target} ${any[0]?.message ?? ""}`),
  );
  if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) {
    found.push("the page is wider than the window");
  }
  return found;
}
