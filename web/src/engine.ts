import { type ErrorCode, textOfError, VmrulesError } from "./errors.js";
import { load } from "./go.js";
import { defaultSource, host, readFile } from "./host.js";
import { maxCall } from "./plain.js";
import { newScope } from "./scope.js";
import { jsonOf } from "./text.js";
import type { Problem } from "./types.js";

/** Module is a WebAssembly.Module. Where nothing declares that, as on servers, there is no such type. */
type Module = typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } }
  ? M
  : never;

/** WasmSource is where `init` takes vmrules.wasm from. */
export type WasmSource = string | URL | Response | ArrayBuffer | ArrayBufferView | Module;

/** Exports are the functions of the Go program: see wasm/main.go. */
interface Exports {
  mem: WebAssembly.Memory;
  room(size: number): number;
  call(header: number): number;
}

/** A Program is the running Go program. */
interface Program {
  exports: Exports;
  module: WebAssembly.Module;
  encoder: TextEncoder;
  decoder: TextDecoder;
  /** ended is why the program does not run any more. */
  ended?: string;
}

let program: Program | undefined;
let starting: Promise<void> | undefined;

/**
 * init loads the library. Call it once, before anything else, and wait for it; later calls
 * return the same promise, whatever their source. Without a source, it takes the file
 * vmrules.wasm beside this module: it fetches it in a browser, and reads it in Node, also in tests
 * that have the globals of a browser.
 *
 * If the library has ended, which an error of a call says, init starts it anew.
 */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  if (starting === undefined || program?.ended !== undefined) {
    const again = source === undefined ? program?.module : undefined;
    program = undefined;
    const started = start(again ?? source);
    starting = started;
    started.catch(() => {
      if (starting === started) {
        starting = undefined;
      }
    });
  }
  return starting;
}

async function start(source: WasmSource | Promise<WasmSource> | undefined): Promise<void> {
  try {
    program = await run(await compile((await source) ?? (await defaultSource())));
  } catch (error) {
    if (error instanceof VmrulesError) {
      throw error;
    }
    const message = `the library cannot be loaded: ${textOfError(error)}`;
    throw new VmrulesError(message, { code: "load", cause: error });
  }
}

const notAllowed =
  "the page may not compile WebAssembly: its Content-Security-Policy needs script-src " +
  "'wasm-unsafe-eval'. Where it cannot have that, ask a backend for the same reports";

/** mayCompile reports whether a page may compile WebAssembly, by an empty module. */
function mayCompile(): boolean {
  try {
    return new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)) !== undefined;
  } catch {
    return false; // such as a CompileError or an EvalError, or there is no WebAssembly at all
  }
}

/** compile compiles a source. What a test gives may be of another realm than this module. */
async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (Object.prototype.toString.call(source) === "[object WebAssembly.Module]") {
    return source as WebAssembly.Module;
  }
  if (!mayCompile()) {
    throw new VmrulesError(notAllowed, { code: "wasm-forbidden" });
  }
  if (typeof source === "string" || (typeof source === "object" && "href" in source)) {
    return compileAddress(String(source));
  }
  if (typeof source === "object" && "arrayBuffer" in source) {
    return compileResponse(source);
  }
  return compileBytes(source as BufferSource, "what init got");
}

async function compileAddress(address: string): Promise<WebAssembly.Module> {
  const bytes = address.startsWith("file:") ? await readFile(address) : undefined;
  if (bytes !== undefined) {
    return compileBytes(bytes, address);
  }
  if (typeof fetch === "undefined") {
    const message = `nothing here can fetch ${address}: give init the bytes of vmrules.wasm`;
    throw new VmrulesError(message, { code: "load" });
  }
  const response = await fetch(address).catch((cause) => {
    const cure = typeof window === "undefined" ? ": a path of a file begins with file:" : "";
    const message = `the library cannot be loaded: ${address}: ${textOfError(cause)}${cure}`;
    throw new VmrulesError(message, { code: "load", cause });
  });
  return compileResponse(response);
}

/** compileBytes compiles a file, unless it is another one. */
async function compileBytes(bytes: BufferSource, name: string): Promise<WebAssembly.Module> {
  const view = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes);
  const decoder = new (host().TextDecoder)();
  const begin = new Uint8Array(view.buffer, view.byteOffset, Math.min(view.byteLength, 200));
  if (decoder.decode(begin.subarray(0, 4)) === "\0asm") {
    return WebAssembly.compile(bytes);
  }
  const isPage = /^\s*</.test(decoder.decode(begin));
  const what = isPage
    ? "a page of HTML, which servers answer for what they do not have"
    : "not WebAssembly";
  const cure = "give init the address of vmrules.wasm, as your bundler or server has it";
  throw new VmrulesError(`${name} is ${what}: ${cure}`, { code: "not-wasm" });
}

/** compileResponse compiles what a server sends, also where it does not say that it is WebAssembly. */
async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new VmrulesError(
      `${response.url} has the status ${response.status}: init needs the file vmrules.wasm of this package`,
      { code: "load" },
    );
  }
  const type = response.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/wasm" && WebAssembly.compileStreaming !== undefined) {
    return WebAssembly.compileStreaming(response);
  }
  return compileBytes(await response.arrayBuffer(), response.url);
}

async function run(module: WebAssembly.Module): Promise<Program> {
  let printed = "";
  const here = host();
  const go = new (load(
    newScope(here, (text) => {
      printed = (printed + text).slice(0, 2000);
    }),
  ))();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const exports = instance.exports as unknown as Exports;
  if (exports.room === undefined) {
    const message = "this is not the vmrules.wasm of this version of the package";
    throw new VmrulesError(message, { code: "not-wasm" });
  }
  const encoder = new here.TextEncoder();
  const decoder = new here.TextDecoder();
  const started: Program = { exports, module, encoder, decoder };
  go.exit = () => {
    started.ended ??= printed.split("\n")[0] || "it exited";
  };
  go.run(instance).catch((error) => {
    started.ended ??= String(error);
  });
  return started;
}

const texts = new WeakMap<object, string>();

/**
 * jsonText returns the JSON text that a result of this package was read from, exactly as Go
 * wrote it. In it, numbers have digits that a number of JavaScript may not have.
 */
export function jsonText(result: object): string {
  const text = texts.get(result);
  if (text === undefined) {
    throw new VmrulesError(
      "jsonText takes the very object that a function of this package returned",
    );
  }
  return text;
}

/** Texts are the arguments of an operation that cross as they are, by their names. */
export type Texts = { [name: string]: string | string[] | undefined };

/** call carries out an operation of the Go program. Settings that are no strings cross as JSON. */
export function call<Result>(operation: string, settings: object, named: Texts): Result {
  const { encoder } = loaded();
  let lines = operation;
  const parts: Uint8Array[] = [];
  const add = (name: string, text: string) => {
    const bytes = encoder.encode(text);
    lines += `\n${name} ${bytes.length}`;
    parts.push(bytes);
  };
  for (const [name, value] of Object.entries(settings)) {
    if (value !== undefined && value !== null) {
      add(name, typeof value === "string" ? value : jsonOf(`the option ${name}`, value));
    }
  }
  for (const [name, value] of Object.entries(named)) {
    for (const text of typeof value === "string" ? [value] : (value ?? [])) {
      add(name, text);
    }
  }
  const header = encoder.encode(lines);
  const [result, failure] = answers(header, parts);
  const read = result === "" ? undefined : JSON.parse(result);
  if (typeof read === "object" && read !== null) {
    texts.set(read, result);
  }
  if (failure !== "") {
    throw asError(JSON.parse(failure), read);
  }
  return read;
}

/** A Failure is an error of the Go program. */
interface Failure {
  message: string;
  code?: ErrorCode;
  problems?: Problem[];
  omitted?: number;
}

function asError({ message, ...details }: Failure, result: unknown): VmrulesError {
  const code = details.problems ? "rules" : "argument";
  return new VmrulesError(message, { code, ...details, result });
}

const notLoaded =
  "the library is not loaded: wait for init() before the first call. In React, call init() in an " +
  "effect or in use(), and render what calls this package when its promise is fulfilled";

/** loaded returns the program, which may have ended. */
function loaded(): Program {
  if (program === undefined) {
    throw new VmrulesError(notLoaded, { code: "not-loaded" });
  }
  return program;
}

/** answers returns the result and the error that the Go program answers, as JSON. */
function answers(header: Uint8Array, parts: Uint8Array[]): [string, string] {
  const program = loaded();
  const size = sizeOf(header, parts);
  let places: number | undefined;
  if (program.ended === undefined) {
    try {
      places = send(program.exports, size, header, parts);
    } catch (error) {
      program.ended ??= String(error); // such as a stack that is too small
    }
  }
  if (program.ended !== undefined || places === undefined) {
    const message = `the library has ended (${program.ended}): call init() again`;
    throw new VmrulesError(message, { code: "ended" });
  }
  const { decoder, exports } = program;
  const { buffer } = exports.mem;
  const [result, resultLength, failure, failureLength] = new Uint32Array(buffer, places, 4);
  return [
    decoder.decode(new Uint8Array(buffer, result, resultLength)),
    decoder.decode(new Uint8Array(buffer, failure, failureLength)),
  ];
}

function sizeOf(header: Uint8Array, parts: Uint8Array[]): number {
  const size = parts.reduce((sum, part) => sum + part.length, header.length);
  if (size > maxCall) {
    const message = `the call has ${size} bytes of text: there may be at most ${maxCall}`;
    throw new VmrulesError(message, { code: "too-long" });
  }
  return size;
}

function send(exports: Exports, size: number, header: Uint8Array, parts: Uint8Array[]): number {
  let place = exports.room(size) >>> 0;
  const memory = new Uint8Array(exports.mem.buffer);
  for (const part of [header, ...parts]) {
    memory.set(part, place);
    place += part.length;
  }
  return exports.call(header.length) >>> 0;
}
