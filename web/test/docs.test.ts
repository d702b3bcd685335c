// The code on the pages docs/web.md and docs/forms.md, with the package as npm would install it, in Chromium,
// under the policy that web.md names.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { launch, root } from "./browser.js";
import { type Installed, install } from "./installed.js";

const page = (name: string) => readFileSync(new URL(`../docs/${name}.md`, root), "utf8");
const quickstart = (name: string) =>
  readFileSync(new URL(`../testdata/quickstart/${name}.json`, root), "utf8");

/** blocks returns the blocks of code on a page: their languages and texts. */
function blocks(name: string): { language: string; text: string }[] {
  const found = page(name).matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...found].map(([, language = "", text = ""]) => ({ language, text }));
}

let installed: Installed;
let browser: Browser;
let server: Server;
let url: string;

/** template is what the server answers for /template.json. */
let template = quickstart("template");

/** withName returns the template with one more rule, about a field that the form does not have. */
function withName(): string {
  const host = { name: "host", rule: "string", path: "jsonpath::.spec.hostname" };
  const rule = JSON.stringify(JSON.stringify({ ...host, message: "a name is needed" })).slice(
    1,
    -1,
  );
  return template.replace(/("vm.kubevirt.io\/validations": *"\[)/, `$1${rule},`);
}

/** policy is what web.md asks of a page. */
const policy = /Content-Security-Policy needs `(.*?)`/.exec(page("web"))?.[1];

before(async () => {
  assert.equal(policy, "script-src 'self' 'wasm-unsafe-eval'");
  installed = install();
  browser = await launch();
  const types: { [extension: string]: string } = { js: "text/javascript", html: "text/html" };
  server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const [extension = ""] = /\w+$/.exec(path) ?? [];
    response.setHeader("Content-Security-Policy", policy);
    response.setHeader("Content-Type", types[extension] ?? `application/${extension}`);
    try {
      response.end(path === "/template.json" ? template : readFileSync(installed.folder + path));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(async () => {
  await browser?.close();
  server?.close();
  installed?.remove();
});

/** compile checks files with tsc, and bundles entries of them as a bundler for browsers would. */
async function compile(files: { [name: string]: string }, ...entries: string[]): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(installed.folder, name), text);
  }
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));
  const options =
    "--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --skipLibCheck --target es2022";
  const resolving = "--module esnext --moduleResolution bundler --jsx react-jsx --types node";
  const names = Object.keys(files).filter((name) => name.includes(".ts"));
  installed.run(process.execPath, tsc, ...`${options} ${resolving}`.split(" "), ...names);
  if (entries.length === 0) {
    return;
  }
  await build({
    entryPoints: entries.map((name) => join(installed.folder, name)),
    outdir: installed.folder,
    ...{ bundle: true, format: "esm", target: "es2022", logLevel: "error" },
    ...{ jsx: "automatic", define: { "process.env.NODE_ENV": '"production"' } },
  });
  const wasm = join(installed.folder, "node_modules/@vmrules/vmrules/dist/vmrules.wasm");
  writeFileSync(join(installed.folder, "vmrules.wasm"), readFileSync(wasm));
}

/** open opens a page with a program. Nothing may complain there. */
async function open(
  program: string,
  body: string,
  hash = "",
): Promise<{ view: Page; complaints: string[] }> {
  const html = `<!doctype html><link rel="icon" href="data:,">${body}<script type="module" src="${program}"></script>`;
  writeFileSync(join(installed.folder, "index.html"), html);
  const view = await browser.newPage();
  const complaints: string[] = [];
  view.on("console", (message) => complaints.push(message.text()));
  view.on("pageerror", (error) => complaints.push(String(error)));
  await view.goto(`${url}/index.html${hash}`);
  return { view, complaints };
}

test("web.md: from npm install to the error of a field", async () => {
  const [pack, npm, react, html, program, worker, jest, backend, ...more] = blocks("web");
  assert.ok(
    pack && npm && react && html && program && worker && jest && backend && more.length === 0,
    "the page has other blocks",
  );
  assert.ok(`${html.text}${program.text}`.split("\n").length <= 50, "the page's code is longer");
  const tested = new URL("runners/template.commonjs.test.ts", root); // in the runners
  assert.equal(jest.text, readFileSync(tested, "utf8"));
  assert.equal(npm.text, "npm install @vmrules/vmrules\n");
  assert.ok(pack.text.includes(`npm install ./vmrules/web/${installed.tarball} `));
  await compile(
    { "main.ts": program.text, "ready.ts": 'import "./main";document.body.dataset.ready = "";' },
    "ready.ts",
  );
  template = withName();
  const { view, complaints } = await open("ready.js", html.text);
  await view.locator("body[data-ready]").waitFor();
  const messages = async (cores: string, memory: string) => {
    await view.locator("input").nth(0).fill(cores);
    await view.locator("input").nth(1).fill(memory);
    return view
      .locator("input")
      .evaluateAll((all) => all.map((i) => (i as HTMLInputElement).validationMessage));
  };
  assert.deepEqual(await messages("12", "4Gi"), [
    "the licence covers 8 cores (12 is more than max 8)",
    "",
  ]);
  assert.deepEqual(await messages("8", "1Gi"), [
    "",
    "Windows needs 4 GiB of memory (1 GiB is less than min 4 GiB)",
  ]);
  assert.deepEqual(await messages("", ""), ["", ""]);
  const created = async () => {
    await view.getByRole("button").click();
    const memory = view.locator("input").nth(1);
    const says = await memory.evaluate((input: HTMLInputElement) => input.validationMessage);
    return [says, await view.locator("output").innerText()];
  };
  const [memory, name] = ["Windows needs 4 GiB of memory", "spec.template.spec.hostname: a name"];
  assert.deepEqual(
    (await created()).map((text) => text.replace(/ \(.*/, "")),
    [memory, `${name} is needed`],
  );
  await messages("8", "4Gi");
  assert.deepEqual(
    (await created()).map((text) => text.replace(/ \(.*/, "")),
    ["", `${name} is needed`],
  );
  await messages("8", "4Gi");
  const url = view.url(); // it has not been submitted
  template = quickstart("template");
  await view.reload();
  await view.locator("body[data-ready]").waitFor();
  assert.deepEqual([view.url(), await messages("8", "4Gi")], [url, ["", ""]]);
  await view.getByRole("button").click();
  await view.waitForURL(/\?/);
  assert.deepEqual(complaints, []);
});

test("web.md: in React, in the page and in a worker, without eval", async () => {
  const [, , app, , , worker, , backend] = blocks("web");
  assert.ok(app && worker && backend);
  const provided = ({ text }: { text: string }) =>
    app.text.replace("  <VmrulesProvider>", text.replaceAll(/^/gm, "  ").trimEnd());
  const start = `import { createRoot } from "react-dom/client";
    import { App } from "./App";
    import { App as WithWorker } from "./WithWorker";
    const template = await (await fetch("/template.json")).json();
    const onSave = (vm: object) => { document.title = JSON.stringify(vm); };
    const Shown = location.hash === "" ? App : WithWorker;
    createRoot(document.body).render(<Shown template={template} onSave={onSave} />);`;
  const files = {
    "App.tsx": app.text,
    "WithWorker.tsx": provided(worker),
    "WithBackend.tsx": provided(backend), // react.test.ts runs the same lines
    "worker.ts": 'import "@vmrules/vmrules/worker";',
    "start.tsx": start,
  };
  await compile(files, "start.tsx", "worker.ts");
  const tested = readFileSync(new URL("test/react/page.ts", root), "utf8");
  for (const line of backend.text.split("\n").slice(2, -3)) {
    assert.ok(tested.includes(line.trim()), line);
  }
  for (const hash of ["", "#worker"]) {
    const { view, complaints } = await open("start.js", "<p>", hash);
    const says = (text: string) => view.getByText(text, { exact: true }).waitFor();
    await says("1 to 8");
    await view.locator("input").fill("12");
    await says("the licence covers 8 cores (12 is more than max 8)");
    await view.locator("input").fill("4");
    await view.getByRole("button").click();
    await view.getByText(/domain.memory.guest: Windows needs 4 GiB of memory/).waitFor();
    assert.deepEqual([await view.title(), complaints], ["", []]);
  }
});

test("forms.md: the limits that Go prints", () => {
  const [program, output, ...more] = blocks("forms");
  assert.ok(program?.language === "go" && output && more.length === 0);
  const folder = fileURLToPath(new URL("build/_docs/", root));
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}main.go`, program.text);
  const cwd = fileURLToPath(root);
  const printed = execFileSync("go", ["run", "build/_docs/main.go"], { cwd, encoding: "utf8" });
  assert.equal(printed, output.text);
});
