import type { Client } from "./client.js";
import { byId, make } from "./elements.js";
import { showForm } from "./form.js";
import type { Change, FormName, Input } from "./protocol.js";

/** Apply carries out what a person changes in the form of an object; the page then validates by itself. */
export type Apply = (name: FormName, changes: Change[], which: number) => Promise<void>;

/** Forms shows the form of the tab that is open. */
export class Forms {
  readonly #client: Client;
  readonly #input: () => Input;
  readonly #apply: Apply;
  #open: FormName | undefined;
  /** which are the indexes of the objects whose forms are shown. */
  readonly #which: { [name in FormName]: number } = { form: 0, parameters: 0 };
  /**
   * changed counts what a person changed, and applied what of it is carried out. While they differ,
   * and if something changed since the worker was asked, a form is not shown anew: it would undo
   * what a person has typed.
   */
  #changed = 0;
  #applied = 0;
  #done: Promise<void> = Promise.resolve();

  constructor(client: Client, input: () => Input, apply: Apply) {
    this.#client = client;
    this.#input = input;
    this.#apply = apply;
  }

  /** open shows the form of a tab; none if it has none. */
  async open(tab: string): Promise<void> {
    this.#open = tab === "form" || tab === "parameters" ? tab : undefined;
    this.hide();
    await this.refresh();
  }

  /** hide hides the form until it is shown anew, since it may be that of another object. */
  hide(): void {
    if (this.#open !== undefined) {
      byId(this.#open).ariaBusy = "true";
    }
  }

  /** refresh shows the form anew. */
  async refresh(): Promise<void> {
    const name = this.#open;
    if (name === undefined || this.#applied !== this.#changed) {
      return;
    }
    const changed = this.#changed;
    try {
      const asked = { name, of: this.#input(), which: this.#which[name] };
      const state = await this.#client.ask("form", asked);
      if (changed === this.#changed && name === this.#open) {
        this.#which[name] = state.which;
        showForm(byId(name), {
          state,
          change: (changes) => this.#change(name, changes),
          choose: (which) => {
            this.#which[name] = which;
            void this.refresh();
          },
        });
        byId(name).ariaBusy = null;
      }
    } catch (error) {
      complain(error);
    }
  }

  #change(name: FormName, changes: Change[]): void {
    const which = this.#which[name];
    this.#changed++;
    this.#done = this.#done
      .then(() => this.#apply(name, changes, which))
      .catch(complain)
      .finally(() => {
        this.#applied++;
        void this.refresh(); // what changes nothing does not make the page validate
      });
  }
}

function complain(error: unknown): void {
  const old = document.getElementById("form-problem");
  const problem = make("p", "problem", `The form does not work: ${error}`);
  problem.id = "form-problem";
  old?.remove();
  byId("summary").after(problem);
}
