import assert from "node:assert/strict";
import type { Server } from "node:http";
import { after, before, test } from "node:test";
import type * as Api from "@vmrules/vmrules";
import type { Browser } from "playwright-core";
import { launch, serve } from "./browser.js";

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

/** Kind is a kind of source that init takes. */
type Kind = "none" | "untyped" | "URL" | "Response" | "bytes" | "module";

/** start loads the package in a new page. It returns how many rules [] has, or the error. */
async function start(kind: Kind | "missing" | "page"): Promise<string> {
  const page = await browser.newPage();
  await page.goto(`${url}/empty.html`);
  return page.evaluate(
    async ([kind, url]) => {
      const api: typeof Api = await import(`${url}/dist/index.js`);
      const wasm = `${url}/dist/vmrules.wasm`;
      const sources = {
        none: () => undefined,
        untyped: () => `${url}/untyped/dist/vmrules.wasm`,
        missing: () => `${url}/missing.wasm`,
        page: () => `${url}/empty.html`,
        URL: () => new URL(wasm),
        Response: () => fetch(wasm),
        bytes: async () => new Uint8Array(await (await fetch(wasm)).arrayBuffer()),
        module: () => WebAssembly.compileStreaming(fetch(wasm)),
      };
      try {
        await api.init(await sources[kind]());
        return String(api.parseRules("[]").length);
      } catch (error) {
        return String(error);
      }
    },
    [kind, url] as const,
  );
}

for (const kind of ["none", "untyped", "URL", "Response", "bytes", "module"] as const) {
  test(`init in Chromium, from ${kind}`, async () => {
    assert.equal(await start(kind), "0");
  });
}

test("init in Chromium, from nothing", async () => {
  assert.match(await start("missing"), /^VmrulesError: .*missing.wasm has the status 404/);
  assert.match(await start("page"), /^VmrulesError: .*empty.html is a page of HTML, which servers/);
});
