// Files that a person opens, drops or saves.

import { byId, make } from "./elements.js";
import type { Pane } from "./protocol.js";

/** maxSize limits the bytes of a file. The page reads up to 2,000,000 characters. */
const maxSize = 8_000_000;

/** Opened is called with what an editor is to hold. */
type Opened = (pane: Pane, text: string) => void;

/**
 * startFiles opens the files that a person chooses or drops: in the editor on which they are
 * dropped, else in that for their kind. Several files in one editor are several documents.
 */
export function startFiles(opened: Opened, complain: (message: string) => void): void {
  const read = async (files: File[], on?: Pane) => {
    const texts = new Map<Pane, string>();
    for (const file of files) {
      const text = file.size > maxSize ? "\0" : await file.text();
      if (text.includes("\0")) {
        complain(`${file.name} is too large, or not a text in UTF-8.`);
        return;
      }
      const pane = on ?? paneFor(text);
      const before = texts.get(pane);
      texts.set(pane, before === undefined ? text : `${before.trimEnd()}\n---\n${text}`);
    }
    for (const [pane, text] of texts) {
      opened(pane, text);
    }
  };
  const choice = byId<HTMLInputElement>("files");
  byId("open").addEventListener("click", () => choice.click());
  choice.addEventListener("change", () => {
    void read([...(choice.files ?? [])]);
    choice.value = ""; // so that the same file can be chosen again
  });
  const filesOf = ({ dataTransfer }: DragEvent) => [...(dataTransfer?.files ?? [])];
  // Before the editors, which would insert a file where it is dropped.
  const options = { capture: true };
  document.addEventListener(
    "dragover",
    (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault(),
    options,
  );
  document.addEventListener(
    "drop",
    (event) => {
      const files = filesOf(event);
      if (files.length > 0) {
        event.preventDefault();
        event.stopPropagation();
        const editor = (event.target as Element).closest(".editor");
        void read(files, editor?.id as Pane | undefined);
      }
    },
    options,
  );
}

/** paneFor returns the editor for a text, by the kinds of the objects in it. */
function paneFor(text: string): Pane {
  const found = text.matchAll(/^[\s{-]*"?kind"?\s*:\s*"?(\w+)/gm);
  const kinds = [...found].map(([, kind = ""]) => kind);
  if (/^\s*\[/.test(text) || kinds.some((kind) => kind.endsWith("Template"))) {
    return "template";
  }
  const isVM = kinds.some((kind) => /^VirtualMachine(Instance(ReplicaSet)?|Pool)?$/.test(kind));
  return !isVM && kinds.some((kind) => /(Instancetype|Preference)$/.test(kind)) ? "cluster" : "vm";
}

/** save saves a text as a file. */
export function save(name: string, text: string): void {
  const link = make("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
