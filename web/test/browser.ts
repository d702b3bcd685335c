import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** root is the folder of the package. */
export const root = new URL("../../", import.meta.url);

const types: { [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/**
 * serve serves the files of the package on this machine. Below /untyped/ they have no type, and
 * /empty.html is a page without content; /strict.html is one whose policy forbids WebAssembly.
 */
export async function serve(): Promise<{ server: Server; url: string }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/strict.html") {
      response.setHeader("Content-Security-Policy", "script-src 'self'");
    }
    if (pathname === "/empty.html" || pathname === "/strict.html") {
      response.setHeader("Content-Type", "text/html").end("<!doctype html><title>test</title>");
      return;
    }
    const isUntyped = pathname.startsWith("/untyped/");
    const name = pathname.slice(isUntyped ? "/untyped/".length : 1);
    try {
      const content = await readFile(new URL(name, root));
      const type = isUntyped ? "application/octet-stream" : types[extname(name)];
      response.setHeader("Content-Type", type ?? "text/plain").end(content);
    } catch {
      response.writeHead(404).end("there is no such file");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

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
