import type { Input } from "./protocol.js";
import { inputOf } from "./share.js";

const key = "vmrules-work";

/** keep remembers what is written, so that it is there after a reload; undefined forgets it. */
export function keep(work: Input | undefined): void {
  try {
    if (work) {
      localStorage.setItem(key, JSON.stringify(work));
    } else {
      localStorage.removeItem(key);
    }
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
