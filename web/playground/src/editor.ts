import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { jsonLanguage } from "@codemirror/lang-json";
import { yamlLanguage } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language";
import {
  type Diagnostic,
  forEachDiagnostic,
  lintGutter,
  lintKeymap,
  setDiagnostics,
  setDiagnosticsEffect,
} from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { parseMixed } from "@lezer/common";
import { tags } from "@lezer/highlight";
import type { Place } from "./document.js";
import type { Completions, Mark } from "./protocol.js";

/** In a block of YAML that begins like an annotation, the highlighting is that of JSON. */
const language = new LanguageSupport(
  yamlLanguage.configure({
    wrap: parseMixed((node, input) =>
      node.name === "BlockLiteralContent" && /^\s*\[/.test(input.read(node.from, node.from + 200))
        ? { parser: jsonLanguage.parser }
        : null,
    ),
  }),
);

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.comment, tags.meta], color: "var(--code-comment)" },
]);

/** setPointed marks the line of a place; undefined marks none. */
const setPointed = StateEffect.define<number | undefined>();

/** pointed marks the line that something else on the page is about, until the text changes. */
const pointed = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (lines, { docChanged, effects, state }) => {
    const effect = effects.find((effect) => effect.is(setPointed));
    const at = effect?.value as number | undefined;
    if (at === undefined) {
      return docChanged || effect ? Decoration.none : lines;
    }
    return Decoration.set(
      Decoration.line({ class: "cm-pointed" }).range(state.doc.lineAt(at).from),
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Completer returns what may be written at a place. */
export type Completer = (at: number) => Promise<Completions | null>;

interface EditorOptions {
  parent: HTMLElement;
  label: string;
  hint: string;
  changed: () => void;
  format: () => void;
  completer?: Completer;
}

/** An Editor is a text that a person edits. */
export class Editor {
  readonly view: EditorView;
  readonly #extensions: Extension[];
  /** marked is the text that the last marks are about. */
  #marked = "";

  constructor({ parent, label, hint, changed, format, completer }: EditorOptions) {
    const formats = () => {
      format();
      return true;
    };
    this.#extensions = [
      lineNumbers(),
      highlightActiveLineGutter(),
      history(),
      EditorState.tabSize.of(2),
      indentOnInput(),
      syntaxHighlighting(colours),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      lintGutter(),
      pointed,
      keymap.of([
        { key: "Shift-Alt-f", run: formats },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
      ]),
      language,
      placeholder(hint),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      // A mark in the first line would stay beside it.
      EditorState.transactionExtender.of(({ newDoc }) =>
        newDoc.length === 0 ? { effects: setDiagnosticsEffect.of([]) } : null,
      ),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) {
          changed();
        }
      }),
      autocompletion({ override: completer ? [completionSource(completer)] : [], icons: false }),
    ];
    this.view = new EditorView({ parent, extensions: this.#extensions });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** text is set as that of another document, whose changes begin here: there is nothing to undo. */
  set text(doc: string) {
    this.view.setState(EditorState.create({ doc, extensions: this.#extensions }));
    this.view.scrollDOM.scrollTo(0, 0); // not scrollIntoView, which scrolls the page, too
  }

  /**
   * update changes the text only where another differs, so that the view stays where it is. A person
   * can undo it, alone.
   */
  update(text: string): void {
    const old = this.text;
    let from = 0;
    while (from < old.length && old[from] === text[from]) {
      from++;
    }
    let to = old.length;
    let end = text.length;
    while (to > from && end > from && old[to - 1] === text[end - 1]) {
      to--;
      end--;
    }
    const changes = { from, to, insert: text.slice(from, end) };
    this.view.dispatch({ changes, annotations: isolateHistory.of("full") });
  }

  /** mark shows what is said about a text, unless the editor holds another by now. */
  mark(text: string, marks: Mark[]): void {
    this.#marked = text;
    if (this.text === text && !this.#shows(marks)) {
      this.view.dispatch(setDiagnostics(this.view.state, marks.map(diagnosticOf)));
    }
  }

  /** shows reports whether the marks are there already, from before, moved by what was typed. */
  #shows(marks: Mark[]): boolean {
    const keyOf = ({ message, severity }: Mark | Diagnostic, from: number, to: number) =>
      `${from} ${to} ${severity} ${message}`;
    const wanted = new Set(marks.map((mark) => keyOf(mark, mark.from, mark.to)));
    let same = 0;
    let other = 0;
    forEachDiagnostic(this.view.state, (diagnostic, from, to) => {
      if (wanted.has(keyOf(diagnostic, from, to))) {
        same++;
      } else {
        other++;
      }
    });
    return same === wanted.size && other === 0;
  }

  /** show selects a place of the text that was marked last, and goes there. */
  show({ from, to }: Place): void {
    if (this.text !== this.#marked) {
      return;
    }
    this.view.dispatch({
      selection: { anchor: from, head: Math.min(to, this.view.state.doc.lineAt(from).to) },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    this.view.focus();
  }

  /** point marks the line of a place of the text that was marked last, and brings it into sight. */
  point({ from }: Place): void {
    if (this.text === this.#marked) {
      this.view.dispatch({ effects: setPointed.of(from) });
      const { scrollDOM } = this.view;
      const { top } = this.view.lineBlockAt(from);
      scrollDOM.scrollTo({ top: top - scrollDOM.clientHeight / 3 }); // which the page stays out of
    }
  }

  /** unpoint takes away what point marked, when the page says something else. */
  unpoint(): void {
    this.view.dispatch({ effects: setPointed.of(undefined) });
  }

  /** replace replaces a place of the text that was marked last. */
  replace({ from, to }: Place, insert: string): void {
    if (this.text === this.#marked) {
      this.view.dispatch({ changes: { from, to, insert }, userEvent: "input" });
    }
  }
}

function diagnosticOf({ from, to, severity, message, source, fix }: Mark): Diagnostic {
  const diagnostic: Diagnostic = {
    from,
    to,
    severity: severity === "note" ? "info" : severity,
    message,
    source,
  };
  if (fix) {
    const apply = (view: EditorView, start: number, end: number) => {
      view.dispatch({ changes: { from: start, to: end, insert: fix.insert }, userEvent: "input" });
    };
    diagnostic.actions = [{ name: fix.label, apply }];
  }
  return diagnostic;
}

function completionSource(complete: Completer) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(/["\w.:]$/);
    if (!context.explicit && before === null) {
      return null;
    }
    const found = await complete(context.pos);
    if (found === null || context.aborted) {
      return null;
    }
    const options = found.options.map((option) => ({
      label: option.label,
      type: option.type,
      ...(option.detail === undefined ? {} : { detail: option.detail }),
      apply: applying(option.insert ?? option.label, found.behind ?? 0),
    }));
    return { from: found.from, options, validFor: /^[\w-]*$/ };
  };
}

/** applying returns a function that writes an option; the cursor is then before what closes a value. */
function applying(insert: string, behind: number) {
  return (view: EditorView, completion: Completion, from: number, to: number) => {
    const cursor = from + insert.length - (/(""|\[\])$/.test(insert) ? 1 : 0);
    view.dispatch({
      changes: { from, to: to + behind, insert },
      selection: { anchor: cursor },
      annotations: pickedCompletion.of(completion),
      userEvent: "input.complete",
    });
  };
}
