// go.js is Go's own wasm_exec.js, which the build takes from the Go that compiles the library.

/** Go runs a program that was compiled by Go. */
export interface Go {
  importObject: WebAssembly.Imports;
  exit: (code: number) => void;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** load returns the class Go, for programs that see `scope` as their global object. */
export function load(scope: object): new () => Go;
