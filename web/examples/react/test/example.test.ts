// The form in Chromium, in the light and the dark theme of PatternFly: what it says, and what axe finds.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { AxeResults } from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const root = new URL("../../", import.meta.url).pathname; // from build/test
const screenshots = `${root}build/screenshots`;

let server: PreviewServer;
let browser: Browser;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  server = await preview({ root, preview: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
  browser = await chromium.launch({
    timeout: 180_000,
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"],
  });
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** says waits until the text below an input matches. */
async function says(page: Page, name: string, text: RegExp): Promise<void> {
  await page.locator(`#${name}-help`, { hasText: text }).waitFor();
}

/** useForm fills in values that are wrong, one after the other. */
async function useForm(page: Page): Promise<void> {
  const fill = (label: string, value: string) =>
    page.getByRole("spinbutton", { name: label }).fill(value);
  await says(page, "cores", /^1 to 8$/);
  await says(page, "memory", /^at least 4Gi$/);
  assert.ok(await page.getByRole("button", { name: "Less: Memory" }).isDisabled());
  await fill("Cores", "8");
  assert.ok(await page.getByRole("button", { name: "More: Cores" }).isDisabled());
  await fill("Cores", "12");
  await says(page, "cores", /^The licence covers 8 cores/);
  await fill("Sockets", "4");
  await says(page, "sockets", /^The system uses two sockets/); // which only warns
  await fill("Memory", "");
  await says(page, "memory", /^at least 4Gi$/); // it is not filled in yet
  await page.getByRole("combobox").selectOption("Mi");
  await fill("Memory", "512");
  await says(page, "memory", /^The system needs 4 GiB of memory/);
  await page.getByRole("combobox").selectOption("Gi");
  await says(page, "memory", /^at least 4Gi$/);
  await page.getByRole("button", { name: "Save" }).click();
  assert.equal(await page.locator("output").count(), 0);
  await fill("Memory", "32");
  await fill("Cores", "8");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/maxGuest: Memory can only be added to what the VM starts with/).waitFor();
  assert.equal(await page.locator("output").count(), 0);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`in the ${colorScheme} theme`, async () => {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(server.resolvedUrls?.local[0] ?? "");
    await page.evaluate(axe);
    await says(page, "cores", /^1 to 8$/);
    complaints.push(...(await accessible(page, `${colorScheme}-empty`)));
    await useForm(page);
    await page.getByRole("spinbutton", { name: "Cores" }).fill("9");
    await says(page, "cores", /^The licence covers 8 cores/);
    complaints.push(...(await accessible(page, `${colorScheme}-errors`)));
    await page.getByRole("spinbutton", { name: "Cores" }).fill("8");
    await page.getByRole("spinbutton", { name: "Memory" }).fill("8");
    await page.getByRole("button", { name: "Save" }).click();
    const saved = JSON.parse(await page.locator("output").innerText());
    assert.deepEqual(saved.spec.template.spec.domain, {
      cpu: { cores: 8, sockets: 4, threads: 1 },
      memory: { guest: "8Gi", maxGuest: "16Gi" },
    });
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

/** accessible returns what axe finds when nothing moves any more, and takes a screenshot. */
async function accessible(page: Page, name: string): Promise<string[]> {
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState }) => playState !== "running"),
  );
  await page.screenshot({ path: `${screenshots}/${name}.png` });
  const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, any }) => `${name}: ${impact} ${id} ${target} ${any[0]?.message ?? ""}`),
  );
}
