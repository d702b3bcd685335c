// A worker, of a browser or of Node, that examines the package.

import { examine, type Vector } from "./vectors.js";

interface Port {
  postMessage(value: unknown): void;
  onmessage: ((event: { data: { url: string; vectors: Vector[] } }) => void) | null;
}

const inNode = typeof process !== "undefined";
const port = (inNode
  ? (await import("node:worker_threads")).parentPort
  : globalThis) as unknown as Port;

port.onmessage = async ({ data }) => {
  port.postMessage(await examine(data.url, data.vectors));
};
