import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const text = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const { version } = JSON.parse(text("../package.json"));
const released = version === "0.0.0" ? "(not released)" : version;

/** versioned says in the page which version it is. */
const versioned = {
  name: "versioned",
  transformIndexHtml: (html) => html.replace("%VERSION%", released),
};

export default defineConfig({
  base: "./", // the page may be in any folder of a server
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: "es" },
  plugins: [versioned],
});
