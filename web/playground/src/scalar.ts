import type { Place } from "./document.js";

/**
 * A WrittenScalar finds the places of a string's characters in the text of a document, in which
 * the string is a scalar of YAML: in a block, in quotes or plain. Only blanks and escapes are
 * written differently from the string. So it skips the blanks of both, decodes the escapes, and
 * compares them character by character.
 */
export class WrittenScalar {
  readonly #text: string;
  readonly #start: number;
  readonly #value: string;
  readonly place: Place;
  /** quote is the quote around the scalar, and "" if it has no escapes. */
  readonly quote: '"' | "'" | "";

  constructor(text: string, place: Place, value: string) {
    this.#text = text;
    this.#start = place.from;
    this.place = place;
    this.#value = value;
    const first = text[place.from];
    this.quote = first === '"' || first === "'" ? first : "";
  }

  /**
   * places returns the offsets in the document of some offsets in the string, in ascending order.
   * An offset that it cannot find has the place of the scalar.
   */
  places(offsets: number[]): number[] {
    const found: number[] = [];
    let at = this.#begin();
    let inValue = 0;
    let differs = false;
    for (const offset of offsets) {
      while (inValue < offset && !differs) {
        const want = this.#value.codePointAt(inValue) as number;
        if (!isBlank(want)) {
          const got = this.#next(at);
          differs = got?.character !== want;
          at = got?.end ?? at;
        }
        inValue += want > 0xffff ? 2 : 1;
      }
      found.push(differs ? this.#start : this.#behind(at, offset));
    }
    return found;
  }

  /** written returns a string as it must be written inside the scalar. */
  written(text: string): string {
    switch (this.quote) {
      case '"':
        return JSON.stringify(text).slice(1, -1);
      case "'":
        return text.replaceAll("'", "''");
      default:
        return text;
    }
  }

  #begin(): number {
    const first = this.#text[this.#start];
    if (first === "|" || first === ">") {
      const end = this.#text.indexOf("\n", this.#start);
      return end < 0 ? this.#text.length : end + 1;
    }
    return this.#start + (this.quote === "" ? 0 : 1);
  }

  /** behind returns the place of the character at an offset; for a blank, the end of the one before. */
  #behind(at: number, offset: number): number {
    const want = this.#value.codePointAt(offset);
    if (want === undefined || isBlank(want)) {
      return at;
    }
    return this.#next(at)?.start ?? at;
  }

  /** next returns the next character that is not a blank. */
  #next(at: number): { character: number; start: number; end: number } | undefined {
    let start = at;
    while (start < this.#text.length) {
      const { character, length } = this.#character(start);
      if (!isBlank(character)) {
        return { character, start, end: start + length };
      }
      start += length;
    }
    return undefined;
  }

  #character(at: number): { character: number; length: number } {
    const character = this.#text.codePointAt(at) as number;
    if (this.quote === "'" && this.#text.startsWith("''", at)) {
      return { character, length: 2 };
    }
    if (this.quote === '"' && this.#text[at] === "\\") {
      return escaped(this.#text, at);
    }
    return { character, length: character > 0xffff ? 2 : 1 };
  }
}

function isBlank(character: number): boolean {
  return character === 0x20 || character === 0x09 || character === 0x0a || character === 0x0d;
}

/** simple has the characters that stand behind the backslash of an escape, and what they mean. */
const simple: { [letter: string]: string } = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};

const digits: { [letter: string]: number } = { x: 2, u: 4, U: 8 };

/** escaped returns the character of an escape in double quotes. */
function escaped(text: string, at: number): { character: number; length: number } {
  const letter = text[at + 1] ?? "";
  const count = digits[letter];
  if (count === undefined) {
    return { character: (simple[letter] ?? letter).codePointAt(0) ?? 0, length: 2 };
  }
  const length = 2 + count;
  const character = Number.parseInt(text.slice(at + 2, at + length), 16);
  const low =
    character >= 0xd800 && character < 0xdc00 && /^\\u(d[c-f]..)/i.exec(text.slice(at + length));
  if (low) {
    const pair = String.fromCharCode(character, Number.parseInt(low[1] as string, 16));
    return { character: pair.codePointAt(0) as number, length: length + 6 };
  }
  return { character, length };
}
