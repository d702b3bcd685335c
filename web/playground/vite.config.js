import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { defineConfig } from "vite";

/** offline adds the service worker, which keeps all files of the page. */
function offline() {
  return {
    name: "offline",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const hash = createHash("sha256");
      for (const [name, file] of Object.entries(bundle).sort()) {
        hash.update(name).update(file.type === "chunk" ? file.code : file.source);
      }
      const files = [
        "./",
        "icon.svg",
        ...Object.keys(bundle).filter((name) => name !== "index.html"),
      ];
      const worker = readFileSync(new URL("src/offline.js", import.meta.url), "utf8");
      this.emitFile({
        type: "asset",
        fileName: "offline.js",
        source: `const version = ${JSON.stringify(hash.digest("hex").slice(0, 16))};
const files = ${JSON.stringify(files, null, 1)};
${worker}`,
      });
    },
  };
}

const text = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const { version } = JSON.parse(text("../package.json"));
const released = version === "0.0.0" ? "(not released)" : version;

/** versioned says in the page which version it is. */
const versioned = {
  name: "versioned",
  transformIndexHtml: (html) => html.replace("%VERSION%", released),
};

export default defineConfig({
  define: { wasmBytes: statSync(new URL("../dist/vmrules.wasm", import.meta.url)).size },
  base: "./", // the page may be in any folder of a server
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "es" },
  plugins: [offline(), versioned],
});
