import type { Input } from "./protocol.js";
import { inputOf } from "./share.js";

const key = "vmrules-work";

/** keep remembers what the page holds, so that it is there after a reload. */
export function keep(work: Input): void {
  try {
    localStorage.setItem(key, JSON.stringify(work));
  } catch {
    // A browser may forbid storage, or have no room: then nothing survives a reload.
  }
}

/** kept returns what is remembered; undefined if nothing is. */
export function kept(): Input | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : inputOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
