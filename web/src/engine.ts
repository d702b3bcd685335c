import { VmrulesError } from "./errors.js";
import { load } from "./go.js";
import { newScope } from "./scope.js";
import { jsonOf } from "./text.js";
import type { Failure } from "./types.js";

/** Source is where `init` takes vmrules.wasm from. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module;

/** Exports are the functions of the Go program: see wasm/main.go. */
interface Exports {
  mem: WebAssembly.Memory;
  room(size: number): number;
  call(header: number): void;
  place(answer: number): number;
  length(answer: number): number;
}

/** A Program is the running Go program. */
interface Program {
  exports: Exports;
  module: WebAssembly.Module;
  /** ended is why the program does not run any more. */
  ended?: string;
}

let program: Program | undefined;
let starting: Promise<void> | undefined;
let count = 0;
let readDefault: () => Promise<Source> = async () => new URL("vmrules.wasm", import.meta.url);

/** setDefault sets where `init()` takes vmrules.wasm from. */
export function setDefault(read: () => Promise<Source>): void {
  readDefault = read;
}

/**
 * init loads the library. Call it once, before anything else, and wait for it; later calls
 * return the same promise, whatever their source. Without a source, it takes the file
 * vmrules.wasm beside this module: it fetches it in a browser, and reads it in Node.
 *
 * If the library has ended, which an error of a call says, init starts it anew.
 */
export function init(source?: Source | Promise<Source>): Promise<void> {
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

async function start(source: Source | Promise<Source> | undefined): Promise<void> {
  try {
    program = await run(await compile((await source) ?? (await readDefault())));
    count++;
  } catch (error) {
    if (error instanceof VmrulesError) {
      throw error;
    }
    throw new VmrulesError(`the library cannot be loaded: ${error}`, { cause: error });
  }
}

async function compile(source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) {
    return source;
  }
  if (typeof source === "string" || source instanceof URL) {
    return compileResponse(await fetch(source));
  }
  if (typeof Response !== "undefined" && source instanceof Response) {
    return compileResponse(source);
  }
  return WebAssembly.compile(source as BufferSource);
}

/** compileResponse compiles what a server sends, also where it does not say that it is WebAssembly. */
async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new VmrulesError(
      `${response.url} has the status ${response.status}: init needs the file vmrules.wasm of this package`,
    );
  }
  const type = response.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/wasm") {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

async function run(module: WebAssembly.Module): Promise<Program> {
  let printed = "";
  const go = new (load(
    newScope((text) => {
      printed = (printed + text).slice(0, 2000);
    }),
  ))();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const exports = instance.exports as unknown as Exports;
  if (exports.place === undefined) {
    throw new VmrulesError("this is not the vmrules.wasm of this version of the package");
  }
  const started: Program = { exports, module };
  go.exit = () => {
    started.ended ??= printed.split("\n")[0] || "it exited";
  };
  go.run(instance).catch((error) => {
    started.ended ??= String(error);
  });
  return started;
}

/** starts counts the programs that were started: each numbers its rules anew. */
export function starts(): number {
  return count;
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

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** call carries out an operation of the Go program. */
export function call<Result>(operation: string, settings: object, named: Texts): Result {
  const names: { name: string; length: number }[] = [];
  const parts: Uint8Array[] = [];
  for (const [name, value] of Object.entries(named)) {
    for (const text of typeof value === "string" ? [value] : (value ?? [])) {
      const bytes = encoder.encode(text);
      names.push({ name, length: bytes.length });
      parts.push(bytes);
    }
  }
  const header = encoder.encode(jsonOf("the options", { ...settings, operation, texts: names }));
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

/** GoneError says that the Go program does not keep the rules any more. */
export class GoneError extends VmrulesError {}

function asError(failure: Failure, result: unknown): VmrulesError {
  const all = { ...failure, result };
  return failure.gone === true
    ? new GoneError(failure.message)
    : new VmrulesError(failure.message, all);
}

/** answers returns the result and the error that the Go program answers, as JSON. */
function answers(header: Uint8Array, parts: Uint8Array[]): [string, string] {
  if (program === undefined) {
    throw new VmrulesError("the library is not loaded: wait for init() before the first call");
  }
  const size = sizeOf(header, parts);
  if (program.ended === undefined) {
    try {
      send(program.exports, size, header, parts);
    } catch (error) {
      program.ended ??= String(error); // such as a stack that is too small
    }
  }
  if (program.ended !== undefined) {
    throw new VmrulesError(`the library has ended (${program.ended}): call init() again`);
  }
  return [answer(program.exports, 0), answer(program.exports, 1)];
}

/** maxText limits the bytes of a call. Reading them takes up to a hundred times as much memory. */
const maxText = 16 << 20;

function sizeOf(header: Uint8Array, parts: Uint8Array[]): number {
  const size = parts.reduce((sum, part) => sum + part.length, header.length);
  if (size > maxText) {
    throw new VmrulesError(`the call has ${size} bytes of text: there may be at most ${maxText}`);
  }
  return size;
}

function send(exports: Exports, size: number, header: Uint8Array, parts: Uint8Array[]): void {
  let place = exports.room(size) >>> 0;
  const memory = new Uint8Array(exports.mem.buffer);
  for (const part of [header, ...parts]) {
    memory.set(part, place);
    place += part.length;
  }
  exports.call(header.length);
}

function answer(exports: Exports, i: number): string {
  const place = exports.place(i) >>> 0;
  return decoder.decode(new Uint8Array(exports.mem.buffer, place, exports.length(i)));
}
