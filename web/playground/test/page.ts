import { type Browser, chromium, type Page } from "playwright-core";
import { type PreviewServer, preview } from "vite";

/** patience is how long anything may take, in milliseconds: only what hangs takes longer. */
const patience = 180_000;

/** launch starts Chromium, which CHROMIUM names if it is not where Debian has it. */
export async function launch(): Promise<Browser> {
  const browser = await chromium.launch({
    timeout: patience,
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  browser.on("context", (context) => context.setDefaultTimeout(patience));
  return browser;
}

/** A Site is the built page on a server of this machine. */
export interface Site {
  url: string;
  close: () => Promise<void>;
}

export async function serve(): Promise<Site> {
  const root = new URL("../../", import.meta.url).pathname; // from build/test
  const options = { port: 0, host: "127.0.0.1" };
  const server: PreviewServer = await preview({ root, preview: options, logLevel: "error" });
  const close = async () => {
    (server.httpServer as { closeAllConnections?: () => void }).closeAllConnections?.();
    await server.close();
  };
  return { url: server.resolvedUrls?.local[0] ?? "", close };
}

/** problems are what pages complained about: nothing may. */
export const problems: string[] = [];

/** requests are what pages asked for. */
export const requests = new Set<string>();

/** watch keeps what a page complains about, and what it asks for. */
export function watch(page: Page): void {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") {
      problems.push(message.text());
    }
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.add(request.url()));
}

/** judged waits until the page has judged what it began with. */
export async function judged(page: Page): Promise<void> {
  await page.waitForFunction(() => document.body?.dataset.judged !== undefined);
}

/** agree answers yes when a page asks whether an example may replace what is written. */
export function agree(page: Page): void {
  page.on("dialog", (dialog) => void dialog.accept());
}

/** choose loads an example, instead of what is there by the beginning of its title, and waits for what is said about it. */
export async function choose(page: Page, title: string, summary: RegExp): Promise<void> {
  const option = page.locator("#example option", { hasText: title });
  await page.selectOption("#example", (await option.getAttribute("value")) ?? "");
  await says(page, summary);
}

/** says waits until the summary matches. */
export async function says(page: Page, summary: RegExp): Promise<void> {
  await page.locator("#summary", { hasText: summary }).waitFor();
}

/** text returns what an editor holds. */
export function text(page: Page, pane: string): Promise<string> {
  return page
    .locator(`#${pane} .cm-line`)
    .allInnerTexts()
    .then((lines) => lines.join("\n"));
}

/** typeBehind puts the cursor behind some text of a line that an editor shows, and types. */
export async function typeBehind(
  page: Page,
  pane: string,
  before: string,
  keys: string,
): Promise<void> {
  await page.locator(`#${pane} .cm-content`).focus();
  await page.keyboard.press("Control+Home"); // since only what is in sight is in the page
  await page.locator(`#${pane} .cm-line`, { hasText: before }).first().waitFor();
  await page.evaluate(
    ([pane, before]) => {
      const lines = [...document.querySelectorAll(`#${pane} .cm-line`)];
      const line = lines.find((one) => one.textContent?.includes(before as string));
      const walker = document.createTreeWalker(line as Node, NodeFilter.SHOW_TEXT);
      let left = (line?.textContent ?? "").indexOf(before as string) + (before as string).length;
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const length = node.textContent?.length ?? 0;
        if (left <= length) {
          getSelection()?.collapse(node, left);
          return;
        }
        left -= length;
      }
    },
    [pane, before],
  );
  await page.keyboard.type(keys);
}
