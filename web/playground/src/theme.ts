import { byId } from "./elements.js";

const key = "vmrules-theme";

/** startTheme lets a person choose the colours, and remembers the choice. */
export function startTheme(): void {
  const choice = byId<HTMLSelectElement>("theme");
  choice.value = remembered() ?? "system";
  choice.value ||= "system";
  document.documentElement.dataset.theme = choice.value;
  choice.addEventListener("change", () => {
    document.documentElement.dataset.theme = choice.value;
    try {
      localStorage.setItem(key, choice.value);
    } catch {
      // A browser may forbid storage: then the choice is for this visit.
    }
  });
}

function remembered(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
