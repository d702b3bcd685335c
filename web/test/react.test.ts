// The provider and the hooks in Chromium, with React 18 and 19, in StrictMode.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { init, jsonText, limits, parseRules, rulesFor, validate } from "@vmrules/vmrules";
import { type RulesState, useValidation } from "@vmrules/vmrules/react";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { createElement, useState } from "react";
import { renderToString } from "react-dom/server";
import { launch, root } from "./browser.js";

const path = (name: string) => fileURLToPath(new URL(name, root));

let browser: Browser;
let server: Server;
let url: string;
let asked: string[] = [];
let backend: string;
let child: ChildProcess;

/** bundle makes a page with a version of React: that of the example is 18. */
async function bundle(version: string, folder: string): Promise<void> {
  const alias = {
    react: path(`${folder}/node_modules/react`),
    "react-dom": path(`${folder}/node_modules/react-dom`),
  };
  const { version: found } = JSON.parse(readFileSync(`${alias.react}/package.json`, "utf8"));
  assert.ok(found.startsWith(`${version}.`), `React ${found}`);
  await build({
    entryPoints: [path("build/test/react/page.js"), path("build/test/react/worker.js")],
    outdir: path(`build/react-${version}`),
    ...{ bundle: true, format: "esm", target: "es2022", logLevel: "error", alias },
    define: { "process.env.NODE_ENV": '"development"' }, // StrictMode does nothing otherwise
  });
}

/** freePort returns a port on which nobody listens. */
async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** startBackend starts examples/backend, and waits until it answers. */
async function startBackend(): Promise<void> {
  const program = path("build/backend");
  execFileSync("go", ["build", "-o", program, "./examples/backend"], { cwd: path("..") });
  const port = await freePort();
  child = spawn(program, [String(port)], { stdio: "inherit" });
  backend = `http://localhost:${port}`;
  while ((await fetch(backend).catch(() => undefined)) === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

before(async () => {
  await Promise.all([init(), bundle("18", "examples/react"), bundle("19", "."), startBackend()]);
  browser = await launch();
  server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    asked.push(pathname);
    if (pathname.startsWith("/vmrules/")) {
      const body = Buffer.concat(await request.toArray());
      const { status, text } = await ask(pathname, body);
      response.writeHead(status).end(text);
    } else if (pathname.endsWith(".html")) {
      const body = '<!doctype html><link rel="icon" href="data:,"><title>test</title><body>';
      response.setHeader("Content-Type", "text/html");
      response.end(`${body}<script type="module" src="page.js"></script>`);
    } else {
      try {
        const isScript = pathname.endsWith(".js");
        response.setHeader("Content-Type", isScript ? "text/javascript" : "application/wasm");
        response.end(readFileSync(path(pathname.slice(1))));
      } catch {
        response.writeHead(404).end();
      }
    }
  });
  url = `http://127.0.0.1:${await listen(server)}`;
});

after(async () => {
  await browser?.close();
  server?.close();
  child?.kill();
});

/** ask asks the backend. */
async function ask(path: string, body: BodyInit): Promise<{ status: number; text: string }> {
  const response = await fetch(`${backend}${path}`, { method: "POST", body });
  return { status: response.status, text: (await response.text()).trim() };
}

test("the backend answers with the JSON of the package", async () => {
  const read = (name: string) =>
    JSON.parse(readFileSync(path(`../testdata/quickstart/${name}.json`), "utf8"));
  const [template, good, bad] = [read("template"), read("vm-valid"), read("vm")];
  for (const vm of [good, bad, {}]) {
    for (const partial of [true, false]) {
      const question = JSON.stringify({ rules: { template }, vm, options: { partial } });
      const rules = rulesFor(null, template);
      for (const [operation, answer] of [
        ["validate", validate(rules, vm, { partial })],
        ["limits", limits(rules, vm, { partial })],
      ] as const) {
        const { status, text } = await ask(`/vmrules/${operation}`, question);
        assert.deepEqual([status, text], [200, jsonText(answer)]);
      }
    }
  }
});

/** open opens the page, and returns it with what the browser says of it. */
async function open(version: string, query: string): Promise<{ page: Page; said: string[] }> {
  const page = await browser.newPage();
  const said: string[] = [];
  page.on("console", (message) => message.type() !== "info" && said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  asked = [];
  await page.goto(`${url}/build/react-${version}/index.html?${query}`);
  return { page, said };
}

const says = (page: Page, id: string, text: string | RegExp) =>
  page.locator(`#${id}`, { hasText: text }).waitFor({ state: "attached" });

const shared = (page: Page, name: string): Promise<number> =>
  page.evaluate((name) => (globalThis as never as { shared: never }).shared[name], name);

/** useForm fills in the form, and looks at what it says. */
async function useForm(page: Page): Promise<void> {
  await says(page, "help", "1 to 8; better one of 2, 4, 8");
  assert.equal(await page.locator("input").getAttribute("max"), "8");
  await page.locator("input").fill(""); // null in JSON, as is NaN
  await page.locator("input").fill("x");
  await says(page, "status", "the object.spec.template.spec.domain.cpu.cores is NaN");
  await page.locator("input").fill("12");
  await says(page, "error", /^the licence covers 8 cores$/);
  const before = await shared(page, "renders");
  await page.locator("input").fill("7");
  await says(page, "error", /^$/);
  await says(page, "warnings", "1");
  // StrictMode renders twice: for the value, the report, the limits and the error.
  const renders = await shared(page, "renders");
  assert.ok(renders - before <= 12, `${renders - before} times`);
  await page.getByRole("button", { name: "Save" }).click();
  await says(page, "root", "memory is needed");
  assert.equal(await shared(page, "submitted"), 0);
  const after = await shared(page, "renders");
  await page.waitForTimeout(50);
  assert.equal(await shared(page, "renders"), after);
}

/** ways are the versions of React with the ways to answer. Each takes a second, mostly to compile. */
const ways = [
  ["18", "in the page", "", 1],
  ["18", "in a worker, with a fallback", "worker&fallback", 1],
  ["18", "in a backend", "backend", 0],
  ["19", "in the page, with a fallback", "fallback", 1],
  ["19", "in a worker", "worker", 1],
] as const;

for (const [version, name, query, fetched] of ways) {
  test(`React ${version}: ${name}`, async () => {
    const { page, said } = await open(version, query);
    await says(page, "status", "ready");
    await useForm(page);
    const count = () => asked.filter((name) => name === "/dist/vmrules.wasm").length;
    assert.equal(count(), fetched);
    assert.equal(await shared(page, "workers"), query.includes("worker") ? 1 : 0);
    // What is rendered again later is ready again.
    await page.locator("#toggle").click();
    await page.locator("form").waitFor({ state: "detached" });
    for (let tries = 0; page.workers().length > 0 && tries < 100; tries++) {
      await page.waitForTimeout(50); // the browser says later that a worker has ended
    }
    assert.equal(page.workers().length, 0);
    await page.locator("#toggle").click();
    await useForm(page);
    assert.deepEqual(said, []);
    await page.close();
  });
}

// Each instance type is short enough, and all together are longer than one text may be.
test("a VM that changes beside long options", () => {
  const path = "jsonpath::.spec.domain.cpu.cores";
  const rules = parseRules(
    `[{"name": "n", "rule": "integer", "path": "${path}", "message": "m", "max": 8}]`,
  );
  const state: RulesState = {
    ...{ status: "ready", isHere: true },
    validate: (vm, options) => validate(rules, vm, options),
    limits: (vm, options) => limits(rules, vm, options),
  };
  const metadata = { annotations: { long: "x".repeat(2 << 20) } };
  const instancetypes = [1, 2, 3].map((guest) => ({ metadata, spec: { cpu: { guest } } }));
  const seen: unknown[] = [];
  const Form = () => {
    const [cores, set] = useState(8);
    const vm = {
      kind: "VirtualMachine",
      spec: { template: { spec: { domain: { cpu: { cores } } } } },
    };
    seen.push([cores, useValidation(state, vm, { instancetypes }).report?.valid]);
    if (cores === 8) {
      set(12);
    }
    return null;
  };
  renderToString(createElement(Form));
  assert.deepEqual(seen, [
    [8, true],
    [12, false],
  ]);
});

test("what cannot be loaded", async () => {
  const missing = /missing.wasm has the status 404/;
  for (const query of ["", "&worker"]) {
    const { page } = await open("19", `source=/missing.wasm${query}`);
    await says(page, "status", "failed");
    await page.getByRole("button", { name: "Save" }).click();
    await says(page, "root", missing);
  }
  for (const version of ["18", "19"]) {
    const { page } = await open(version, "fallback&source=/missing.wasm");
    await says(page, "failed", missing);
  }
  const { page } = await open("19", "worker=missing.js");
  await says(page, "status", "failed");
  await page.getByRole("button", { name: "Save" }).click();
  await says(page, "root", "the worker has failed");
});
