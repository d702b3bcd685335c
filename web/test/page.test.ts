import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { launch, root } from "./browser.js";

const page = await readFile(new URL("../docs/web.md", root), "utf8");
const template = new URL("../testdata/quickstart/template.json", root);

/** blocks returns the blocks of code on the page in a language. */
function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    (m) => m[1] ?? "",
  );
}

let folder: string;
let browser: Browser;
let server: Server;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vmrules-page-"));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });

test("docs/web.md: from npm install to the error of a field", async () => {
  const [install] = blocks("sh");
  const [html] = blocks("html");
  const [program] = blocks("ts");
  assert.ok(install && html && program, "the page has other blocks");
  assert.ok(`${install}${html}${program}`.split("\n").length <= 40, "the page's code is longer");
  assert.equal(install.trim(), "npm install @vmrules/vmrules");

  const options = ["--ignore-scripts", "--silent"];
  const packed = run("npm", "pack", fileURLToPath(root), ...options).trim();
  await writeFile(join(folder, "package.json"), '{"type": "module"}');
  run("npm", "install", "--offline", "--no-audit", "--no-fund", ...options, `./${packed}`);
  await writeFile(join(folder, "main.ts"), program);
  run(
    process.execPath,
    fileURLToPath(new URL("node_modules/typescript/bin/tsc", root)),
    ..."--strict --noUncheckedIndexedAccess --target es2022 --module nodenext main.ts".split(" "),
  );

  const url = await serve(html);
  const view = await browser.newPage();
  await view.goto(url);
  await view.waitForFunction("document.title === 'ready'");
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
    'Windows needs 4 GiB of memory ("1Gi" is less than min 4294967296)',
  ]);
  assert.deepEqual(await messages("", ""), ["", ""]);
});

/** serve serves the form with the page's program, as a bundler would. */
async function serve(form: string): Promise<string> {
  const files: { [path: string]: [string, () => Promise<string | Buffer>] } = {
    "/": ["text/html", async () => index(form)],
    "/main.js": ["text/javascript", () => readFile(join(folder, "main.js"))],
    "/template.json": ["application/json", () => readFile(template)],
  };
  server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    const inPackage = () => readFile(join(folder, path));
    const type = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    const [contentType, read] = files[path] ?? [type, inPackage];
    try {
      response.setHeader("Content-Type", contentType).end(await read());
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const index = (form: string) => `<!doctype html>
<script type="importmap">
  { "imports": { "@vmrules/vmrules": "/node_modules/@vmrules/vmrules/dist/index.js" } }
</script>
${form}
<script type="module">
  import "/main.js";
  document.title = "ready";
</script>
`;
