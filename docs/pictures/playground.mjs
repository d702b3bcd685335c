// Takes pictures of the playground with its Windows example, in both themes.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.cwd()}/package.json`));
const { chromium } = require("playwright-core");
const { preview } = await import(pathToFileURL(require.resolve("vite")).href);

const server = await preview({ preview: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  await page.goto(server.resolvedUrls.local[0]);
  await page.waitForFunction(() => document.body?.dataset.judged !== undefined);
  await page.waitForTimeout(500);
  await page.screenshot({ path: new URL(`playground-${colorScheme}.png`, import.meta.url).pathname });
}
await browser.close();
await server.close();
