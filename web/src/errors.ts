import type { Problem } from "./types.js";

/**
 * ErrorCode says for programs why a call has no result:
 *
 * - `not-loaded`: init has not been called, or is not done
 * - `load`: vmrules.wasm cannot be fetched, read or compiled
 * - `not-wasm`: what init got is something else, such as a page of HTML
 * - `wasm-forbidden`: the page may not compile WebAssembly, mostly by its Content-Security-Policy
 * - `ended`: the library has ended; init starts it anew
 * - `argument`: an argument or an option cannot be used
 * - `too-long`: the texts of the call are too long
 * - `rules`: an annotation is wrong; see `problems`
 * - `internal`: a mistake in the library
 */
export type ErrorCode =
  | "not-loaded"
  | "load"
  | "not-wasm"
  | "wasm-forbidden"
  | "ended"
  | "argument"
  | "too-long"
  | "rules"
  | "internal";

/** VmrulesError says why a call has no result. */
export class VmrulesError extends Error {
  override readonly name = "VmrulesError";

  readonly code: ErrorCode;

  /** problems lists everything that is wrong with an annotation, if the error is about one. */
  readonly problems: Problem[];

  /** omitted counts the problems that are left out because they are too many. */
  readonly omitted: number;

  /** result is what could be found out nevertheless: of `parameters` those without constraints. */
  readonly result: unknown;

  constructor(
    message: string,
    details: {
      code?: ErrorCode;
      problems?: Problem[];
      omitted?: number;
      result?: unknown;
      cause?: unknown;
    } = {},
  ) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.code = details.code ?? "argument";
    this.problems = details.problems ?? [];
    this.omitted = details.omitted ?? 0;
    this.result = details.result;
  }
}

/** textOfError returns what was thrown as a text, which also may throw. */
export function textOfError(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return `a ${typeof thrown} was thrown`;
  }
}
