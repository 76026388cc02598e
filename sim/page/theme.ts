import { button } from "./element.ts";

const THEMES = ["auto", "light", "dark"] as const;
const WORDS = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" } as const;

/** A button that goes through the themes: as the system has it, light, dark. */
export function themeButton(root: HTMLElement, onChange: () => void): HTMLButtonElement {
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  let at = 0;
  const toggle = button("", () => {
    at = (at + 1) % THEMES.length;
    show();
  });
  const show = (): void => {
    const theme = THEMES[at] ?? "auto";
    root.dataset["theme"] = theme === "auto" && isDark.matches ? "dark" : theme;
    toggle.textContent = WORDS[theme];
    toggle.setAttribute("aria-label", `Theme: ${theme}`);
    onChange();
  };
  isDark.addEventListener("change", show);
  show();
  return toggle;
}
