// Takes the numbers of lines and the names of files out of a WebAssembly of Go. Only traces print them,
// which the package does not show, and they are a seventh of what a browser fetches. Go's runtime
// takes code without them for assembly, which has none either. See runtime/symtab.go.

const magic = [0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8]; // of Go 1.20 and later, for WebAssembly

/** segmentsOf returns the places of all data: its address, where it is in the file, and its length. */
function segmentsOf(wasm) {
  let at = 8;
  const number = () => {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++];
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        return result;
      }
    }
  };
  for (;;) {
    const section = wasm[at++];
    const size = number();
    if (section === 11) {
      break;
    }
    at += size;
  }
  return Array.from({ length: number() }, () => {
    number(); // memory 0
    at++; // i32.const
    const address = number();
    at++; // end
    const length = number();
    const place = at;
    at += length;
    return { address, place, length };
  });
}

/** strip returns a WebAssembly of Go without the numbers of lines. */
export function strip(wasm) {
  const segments = segmentsOf(wasm);
  const last = segments[segments.length - 1];
  const memory = Buffer.alloc(last.address + last.length);
  for (const { address, place, length } of segments) {
    wasm.copy(memory, address, place, place + length);
  }
  clearLines(memory);
  const stripped = Buffer.from(wasm);
  for (const { address, place, length } of segments) {
    memory.copy(stripped, place, address, address + length);
  }
  return stripped;
}

/** clearLines fills with zeros what says where functions are in files. */
function clearLines(memory) {
  const header = memory.indexOf(Buffer.from(magic));
  if (header < 0 || memory.indexOf(Buffer.from(magic), header + 1) >= 0) {
    throw new Error("this Go has another table of functions: strip.mjs does not know it");
  }
  const word = (i) => Number(memory.readBigUInt64LE(header + 8 + 8 * i));
  const count = word(0);
  const [files, bytes, functions] = [word(4), word(6), word(7)].map((offset) => header + offset);
  const kept = new Set();
  for (let i = 0; i < count; i++) {
    const at = functions + memory.readUInt32LE(functions + 8 * i + 4);
    const field = (n) => memory.readUInt32LE(at + 4 * n);
    kept.add(field(4)); // the size of the stack
    for (let n = 0; n < field(7); n++) {
      kept.add(field(11 + n)); // what the garbage collector reads
    }
    for (const n of [5, 6, 8, 9]) {
      memory.writeUInt32LE(0, at + 4 * n); // the file, the line, the unit and the first line
    }
  }
  const old = Buffer.from(memory.subarray(bytes, functions));
  memory.fill(0, files, functions); // the units, the names of files, and all tables
  kept.delete(0); // which is no table
  for (const offset of kept) {
    old.copy(memory, bytes + offset, offset, endOf(old, offset));
  }
}

/** endOf returns where a table ends: before a change of 0 that is not the first. */
function endOf(tables, offset) {
  let at = offset;
  const skip = () => {
    const isZero = tables[at] === 0;
    while (tables[at] >= 0x80) {
      at++;
    }
    at++;
    return isZero;
  };
  while (!skip() || at === offset + 1) {
    skip();
  }
  return at;
}
