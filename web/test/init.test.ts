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

/** asked are the addresses that pages asked for. */
let asked: string[] = [];

/** start loads the package in a new page. It returns how many rules [] has, or the error. */
async function start(kind: Kind | "missing" | "page", at = "empty"): Promise<string> {
  const page = await browser.newPage();
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${url}/${at}.html`);
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
        return `${(error as Api.VmrulesError).code}: ${error}`;
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
  assert.match(await start("missing"), /^load: VmrulesError: .*missing.wasm has the status 404/);
  assert.match(
    await start("page"),
    /^not-wasm: VmrulesError: .*empty.html is a page of HTML, which servers/,
  );
});

test("init in Chromium, where the page may not compile WebAssembly", async () => {
  const forbidden =
    /^wasm-forbidden: VmrulesError: .*Content-Security-Policy.*'wasm-unsafe-eval'.*backend/;
  for (const kind of ["none", "URL", "bytes", "Response", "missing"] as const) {
    asked = [];
    assert.match(await start(kind, "strict"), forbidden);
    const fetched = asked.some((one) => one.endsWith(".wasm"));
    assert.equal(fetched, kind === "bytes" || kind === "Response"); // which the test fetches
  }
});
