// The page has to be there within 2 s, and a key may take 10 ms of the main thread. These are
// promises to people, so they are tested: by the time that processors work, which a machine that
// does something else at the same time makes longer, but not by much. A test fails at five times
// as much.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, CDPSession, Page } from "playwright-core";
import { judged, launch, type Site, serve, typeBehind } from "./page.js";

const patience = 5;

let site: Site;
let browser: Browser;

before(async () => {
  site = await serve();
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await site?.close();
});

/** worked returns the milliseconds that processors have worked for Chromium until now. */
async function worked(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
}

test("the page is there within 2 s", async () => {
  const session = await browser.newBrowserCDPSession();
  const times: number[] = [];
  for (let i = 0; i < 3 && Math.min(...times) >= 2000; i++) {
    const before = await worked(session);
    const page = await (await browser.newContext()).newPage(); // with an empty cache
    await page.goto(site.url, { waitUntil: "commit" });
    await judged(page);
    times.push((await worked(session)) - before);
    await page.context().close();
  }
  const best = Math.min(...times);
  console.log(`loads with ${times.map(Math.round).join(", ")} ms of work, with the first verdict`);
  assert.ok(best < 2000 * patience, `${best} ms`);
});

/**
 * busy returns the milliseconds of its processor that the main thread has used: in scripts, styles
 * and layout, and in all, with painting, for which this Chromium has no graphics card.
 */
async function busy(session: CDPSession): Promise<[own: number, all: number]> {
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (name: string) => 1000 * (metrics.find((one) => one.name === name)?.value ?? 0);
  const own = of("ScriptDuration") + of("LayoutDuration") + of("RecalcStyleDuration");
  return [own, of("TaskDuration")];
}

/** typed types a key, and waits for all that follows: the verdict, and its rendering. */
async function typed(page: Page, key: string): Promise<void> {
  const verdicts = await page.evaluate(() => document.body.dataset.judged);
  await page.keyboard.type(key);
  await page.waitForFunction((before) => document.body.dataset.judged !== before, verdicts);
  await settled(page);
}

/** settled waits until the page has been drawn, and has nothing to do. */
function settled(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() =>
          requestAnimationFrame(() => requestIdleCallback(() => resolve())),
        ),
      ),
  );
}

test("a key takes at most 10 ms in the Windows example", async () => {
  const page = await browser.newPage();
  await page.goto(site.url);
  await judged(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  for (const [pane, text] of [
    ["template", "display-name: Windows desktop"],
    ["vm", '"name": "reception'],
  ] as const) {
    await typeBehind(page, pane, text, "");
    await typed(page, "a");
    const times: { own: number; all: number }[] = [];
    for (const key of "bcdefghijklmn") {
      const [own, all] = await busy(session);
      await typed(page, key);
      const [ownNow, allNow] = await busy(session);
      times.push({ own: ownNow - own, all: allNow - all });
    }
    const own = Math.max(...times.map((time) => time.own));
    const all = Math.max(...times.map((time) => time.all));
    console.log(`a key in the ${pane}: ${own.toFixed(1)} ms, ${all.toFixed(1)} ms with painting`);
    assert.ok(own < 10 * patience && all < 20 * patience, JSON.stringify(times));
  }
  await page.context().close();
});
