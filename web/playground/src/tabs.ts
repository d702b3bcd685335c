import { byId } from "./elements.js";

/** startTabs makes a tablist of the tabs, and calls a function with the ID of each panel that is opened. */
export function startTabs(names: string[], opened: (name: string) => void): void {
  const tabs = names.map((name) => byId<HTMLButtonElement>(`${name}-tab`));
  const open = (at: number) => {
    names.forEach((name, i) => {
      byId(name).hidden = i !== at;
      const tab = tabs[i] as HTMLButtonElement;
      tab.setAttribute("aria-selected", String(i === at));
      tab.tabIndex = i === at ? 0 : -1;
    });
    opened(names[at] as string);
  };
  const keys: { [key: string]: (at: number) => number } = {
    ArrowRight: (at) => (at + 1) % tabs.length,
    ArrowLeft: (at) => (at + tabs.length - 1) % tabs.length,
    Home: () => 0,
    End: () => tabs.length - 1,
  };
  tabs.forEach((tab, i) => {
    byId(names[i] as string).tabIndex = 0; // so that it can be scrolled by keys
    tab.addEventListener("click", () => open(i));
    tab.addEventListener("keydown", (event) => {
      const next = keys[event.key]?.(i);
      if (next !== undefined) {
        event.preventDefault();
        open(next);
        tabs[next]?.focus();
      }
    });
  });
}
