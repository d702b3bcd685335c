import type { Host } from "./host.js";

/**
 * newScope returns the global object of a Go program, with what Go's runtime needs and no more.
 * `write` receives what the program prints, such as why it ended.
 */
export function newScope(host: Host, write: (text: string) => void): object {
  const decoder = new host.TextDecoder();
  const unused = -1;
  return {
    ...host,
    Object,
    Array,
    Uint8Array,
    Error,
    Date,
    fs: {
      constants: {
        O_WRONLY: unused,
        O_RDWR: unused,
        O_CREAT: unused,
        O_TRUNC: unused,
        O_APPEND: unused,
        O_EXCL: unused,
        O_DIRECTORY: unused,
      },
      writeSync(_file: number, bytes: Uint8Array<ArrayBuffer>): number {
        write(decoder.decode(bytes, { stream: true }));
        return bytes.length;
      },
    },
  };
}
