// What the package takes from where it runs. In Node it is Node's own, also where a test has the globals
// of jsdom, or replaces them.

import { VmrulesError } from "./errors.js";

declare const __filename: string | undefined; // of a CommonJS module

interface Modules {
  crypto: typeof import("node:crypto");
  fs: typeof import("node:fs");
  module: typeof import("node:module");
  perf_hooks: typeof import("node:perf_hooks");
  timers: typeof import("node:timers");
  url: typeof import("node:url");
  util: typeof import("node:util");
}

/** builtin returns a module of Node, and undefined elsewhere. */
function builtin<Name extends keyof Modules>(name: Name): Modules[Name] | undefined {
  return typeof process === "undefined" ? undefined : (process.getBuiltinModule?.(name) as never);
}

/** Host is what the package and Go's runtime need. */
export interface Host {
  TextEncoder: typeof TextEncoder;
  TextDecoder: typeof TextDecoder;
  crypto: object;
  performance: Pick<Performance, "now">;
  setTimeout: unknown;
  clearTimeout: unknown;
}

/** host returns what is here. */
export function host(): Host {
  const util = builtin("util");
  const timers = builtin("timers");
  return {
    TextEncoder: (util?.TextEncoder as typeof TextEncoder) ?? TextEncoder,
    TextDecoder: (util?.TextDecoder as typeof TextDecoder) ?? TextDecoder,
    crypto: builtin("crypto")?.webcrypto ?? crypto,
    performance: builtin("perf_hooks")?.performance ?? performance,
    setTimeout: timers?.setTimeout ?? setTimeout,
    clearTimeout: timers?.clearTimeout ?? clearTimeout,
  };
}

/** readFile returns the bytes of a file; undefined outside Node. */
export function readFile(address: string): Promise<Uint8Array<ArrayBuffer>> | undefined {
  return builtin("fs")?.promises.readFile(new (builtin("url") ?? { URL }).URL(address));
}

/** beside returns the address of vmrules.wasm beside this module; undefined where a bundle has none. */
function beside(): string | undefined {
  try {
    return new URL("vmrules.wasm", import.meta.url).href; // in these words, which bundlers know
  } catch {
    const url = builtin("url");
    return url && typeof __filename === "string"
      ? new url.URL("vmrules.wasm", url.pathToFileURL(__filename)).href
      : undefined;
  }
}

/** defaultSource returns the file vmrules.wasm in Node, and its address elsewhere. */
export async function defaultSource(): Promise<Uint8Array<ArrayBuffer> | string> {
  const address = beside();
  if (builtin("fs")) {
    return readDefault(address);
  }
  if (address === undefined) {
    const cure = "give init its address, as your bundler or server has it";
    throw new VmrulesError(`this bundle does not say where vmrules.wasm is: ${cure}`, {
      code: "load",
    });
  }
  return address;
}

/**
 * readDefault reads vmrules.wasm beside this module, beside the program, or where one of them has this
 * package: in a bundle, this module has the address of the bundle, or that where it was bundled.
 */
async function readDefault(address: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const program = builtin("url")?.pathToFileURL(process.argv[1] ?? "x").href ?? "";
  let cause: unknown;
  for (const here of new Set([address ?? program, program])) {
    for (const find of [
      () => new URL("vmrules.wasm", here).href,
      () => resolved("@vmrules/vmrules/vmrules.wasm", here),
    ]) {
      try {
        return await (readFile(find()) as Promise<Uint8Array<ArrayBuffer>>);
      } catch (error) {
        cause ??= error;
      }
    }
  }
  const cure = "leave @vmrules/vmrules out of the bundle, as external, or copy vmrules.wasm there";
  throw new VmrulesError(`there is no vmrules.wasm beside ${program}: ${cure}`, {
    code: "load",
    cause,
  });
}

function resolved(name: string, from: string): string {
  const path = builtin("module")?.createRequire(from).resolve(name) ?? "";
  return builtin("url")?.pathToFileURL(path).href ?? "";
}
