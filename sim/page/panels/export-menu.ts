import { button, element } from "../element.ts";
import { mermaidFrom } from "../exports/mermaid.ts";
import { perfettoFrom } from "../exports/perfetto.ts";
import type { PageState } from "../page-state.ts";

/** Saves the run for other programs; a diagram is of the chosen journey, else of the first break. */
export function exportMenu(state: PageState): HTMLElement {
  const { run } = state;
  const name = `${run.data.scenario}.seed-${run.data.seed}`;
  const diagram = button("Mermaid: sequence diagram", () => {
    const subject = state.journey?.subject ?? ({ kind: "break", violation: 0 } as const);
    save(`${name}.mmd`, "text/vnd.mermaid", [mermaidFrom(run, subject)]);
    close();
  });
  const menu = element(
    "details",
    { class: "export" },
    element("summary", { text: "Export" }),
    element(
      "div",
      { class: "export-choices" },
      button("Perfetto: JSON trace", () => {
        save(`${name}.perfetto.json`, "application/json", [...perfettoFrom(run)]);
        close();
      }),
      diagram,
    ),
  );
  const close = (): void => {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  };
  const show = (): void => {
    const hasSubject = state.journey !== undefined || run.breaks.length > 0;
    diagram.disabled = !hasSubject;
    diagram.title = hasSubject ? "" : "Choose a journey first: no promise broke";
  };
  state.on(["journey"], show);
  show();
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) close();
  });
  return menu;
}

/** The file that was saved last, which the browser may still be writing. */
let lastUrl = "";

/** Hands a file to the browser, which asks where to put it or does what it is set to. */
function save(name: string, type: string, parts: readonly string[]): void {
  URL.revokeObjectURL(lastUrl);
  lastUrl = URL.createObjectURL(new Blob([...parts], { type }));
  element("a", { attributes: { href: lastUrl, download: name } }).click();
}
