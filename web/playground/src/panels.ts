import type { Client } from "./client.js";
import { byId, make } from "./elements.js";
import type { Change, FormName, Input } from "./protocol.js";

/** Apply carries out what a person changes in a form. */
export type Apply = (name: FormName, changes: Change[]) => Promise<void>;

/** Forms shows the form of the tab that is open. */
export class Forms {
  readonly #client: Client;
  readonly #input: () => Input;
  readonly #apply: Apply;
  #open: FormName | undefined;
  /** changed counts what a person changed. An answer from before the last change is not shown. */
  #changed = 0;
  /** done is when all changes so far are carried out. */
  #done: Promise<void> = Promise.resolve();

  constructor(client: Client, input: () => Input, apply: Apply) {
    this.#client = client;
    this.#input = input;
    this.#apply = apply;
  }

  /** open shows the form of a tab; none if it has none. */
  async open(tab: string): Promise<void> {
    this.#open = tab === "form" || tab === "parameters" ? tab : undefined;
    await this.refresh();
  }

  /** refresh shows the form anew. */
  async refresh(): Promise<void> {
    const name = this.#open;
    if (name === undefined) {
      return;
    }
    const changed = this.#changed;
    try {
      const [state, { showForm }] = await Promise.all([
        this.#client.ask("form", { name, of: this.#input() }),
        import("./form.jsx"),
      ]);
      if (changed === this.#changed && name === this.#open) {
        showForm(byId(name), state, (changes) => this.#change(name, changes));
      }
    } catch (error) {
      byId("summary").after(make("p", "problem", `The form cannot be shown: ${error}`));
    }
  }

  #change(name: FormName, changes: Change[]): void {
    this.#changed++;
    this.#done = this.#done.then(() => this.#apply(name, changes));
  }
}
