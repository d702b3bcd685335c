/** Call is the function that the Go program sets in its global object. */
export type Call = (operation: string, request: string, ...texts: string[]) => [string, string];

/** Scope is the global object of a Go program, with what Go's runtime needs and no more. */
export interface Scope {
  vmrules?: Call;
}

/** newScope returns a Scope. `write` receives what the program prints, such as why it ended. */
export function newScope(write: (text: string) => void): Scope {
  const decoder = new TextDecoder();
  const unused = -1;
  return {
    Object,
    Array,
    Uint8Array,
    Error,
    Date,
    TextEncoder,
    TextDecoder,
    crypto,
    performance,
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
      writeSync(_file: number, bytes: Uint8Array): number {
        write(decoder.decode(bytes, { stream: true }));
        return bytes.length;
      },
    },
  } as Scope;
}
