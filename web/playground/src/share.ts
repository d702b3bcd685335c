import type { Input, Texts, Values } from "./protocol.js";

/** version is that of links. A link is the version, a dot, and the input as base64url of deflated JSON. */
const version = "1";

/** maxInput limits the bytes of JSON that a link may hold: a small link may hold very many. */
const maxInput = 4_000_000;

/** toHash returns the fragment of a link that holds an input. */
export async function toHash(input: Input): Promise<string> {
  const json = new Blob([JSON.stringify(input)]).stream();
  const stream = json.pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return `#${version}.${toBase64(bytes)}`;
}

/** A LinkError says why a link cannot be opened. */
export class LinkError extends Error {}

/** fromHash returns the input that the fragment of a link holds; undefined if it is empty. */
export async function fromHash(hash: string): Promise<Input | undefined> {
  if (hash.replace(/^#/, "") === "") {
    return undefined;
  }
  const [, found, data] = /^#(\w+)\.([\w-]+)$/.exec(hash) ?? [];
  if (found === undefined || data === undefined) {
    throw new LinkError("This link is not complete, or not one of this page.");
  }
  if (found !== version) {
    throw new LinkError("This link is of another version of this page.");
  }
  let json: unknown;
  try {
    json = JSON.parse(await inflate(fromBase64(data)));
  } catch (error) {
    if (error instanceof LinkError) {
      throw error;
    }
    throw new LinkError("This link is damaged: a part of it is missing, or has changed.");
  }
  return inputOf(json);
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    size += value.length;
    if (size > maxInput) {
      await reader.cancel();
      throw new LinkError(`This link holds more than ${maxInput} bytes, so it is not opened.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** inputOf returns what a link may hold, and nothing else that is in it. */
export function inputOf(json: unknown): Input {
  const given = (json ?? {}) as Partial<Record<keyof Input, unknown>>;
  const texts = (given.texts ?? {}) as Partial<Record<keyof Texts, unknown>>;
  const text = (pane: keyof Texts) => (typeof texts[pane] === "string" ? texts[pane] : "");
  return {
    texts: { template: text("template"), vm: text("vm"), cluster: text("cluster") },
    partial: given.partial === true,
    ssp: given.ssp === true,
    values: valuesOf(given.values),
  };
}

function valuesOf(given: unknown): Values {
  const isScalar = ([, value]: [string, unknown]) =>
    ["string", "number", "boolean"].includes(typeof value);
  return Object.fromEntries(Object.entries(given ?? {}).filter(isScalar)) as Values;
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
