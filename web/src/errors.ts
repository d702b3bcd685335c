import type { Problem } from "./types.js";

/** VmrulesError says why a call has no result. */
export class VmrulesError extends Error {
  override readonly name = "VmrulesError";

  /** problems lists everything that is wrong with an annotation, if the error is about one. */
  readonly problems: Problem[];

  /** omitted counts the problems that are left out because they are too many. */
  readonly omitted: number;

  /**
   * result is what could be found out nevertheless: of `validateOwn` the Report about the other
   * VMs, of `parameters` the parameters without constraints.
   */
  readonly result: unknown;

  constructor(
    message: string,
    details: { problems?: Problem[]; omitted?: number; result?: unknown; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.problems = details.problems ?? [];
    this.omitted = details.omitted ?? 0;
    this.result = details.result;
  }
}
