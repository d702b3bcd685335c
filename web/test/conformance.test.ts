import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import { after, before, test } from "node:test";
import { Worker as NodeWorker } from "node:worker_threads";
import type { Browser, Page } from "playwright-core";
import { launch, root, serve } from "./browser.js";
import { examine, type Outcome, type Vector } from "./vectors.js";

const vectors: Vector[] = JSON.parse(await readFile(new URL("build/vectors.json", root), "utf8"));
const inNode = new URL("dist/index.js", root).href;

function check(outcome: Outcome): void {
  assert.ok(outcome.vectors > 800, `only ${outcome.vectors} vectors`);
  assert.deepEqual(outcome.differences, []);
  assert.deepEqual(outcome.globals, []);
  assert.equal(outcome.deep, true);
}

test("in Node", async () => {
  check(await examine(inNode, vectors));
});

test("in a worker of Node", async () => {
  const worker = new NodeWorker(new URL("worker.js", import.meta.url));
  const outcome = await new Promise<Outcome>((resolve, reject) => {
    worker.once("message", resolve).once("error", reject);
    worker.postMessage({ url: inNode, vectors });
  });
  await worker.terminate();
  check(outcome);
});

let server: Server;
let url: string;
let browser: Browser;

before(async () => {
  ({ server, url } = await serve());
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
});

async function newPage(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${url}/empty.html`);
  return page;
}

test("in Chromium", async () => {
  const page = await newPage();
  const outcome = await page.evaluate(async (url) => {
    const vectors = await (await fetch(`${url}/build/vectors.json`)).json();
    const { examine } = await import(`${url}/build/test/vectors.js`);
    return examine(`${url}/dist/index.js`, vectors);
  }, url);
  check(outcome);
});

test("in a worker of Chromium", async () => {
  const page = await newPage();
  const outcome = await page.evaluate(async (url) => {
    const vectors = await (await fetch(`${url}/build/vectors.json`)).json();
    const worker = new Worker(`${url}/build/test/worker.js`, { type: "module" });
    return new Promise<Outcome>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
      worker.postMessage({ url: `${url}/dist/index.js`, vectors });
    });
  }, url);
  check(outcome);
});
