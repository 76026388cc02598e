import { button, element } from "./element.ts";

/** One panel among several of which one is seen. */
export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly panel: HTMLElement;
}

/** Panels behind tabs; arrow keys go from one tab to the next. */
export function tabs(list: readonly Tab[], label: string): Tabs {
  const show = (shown: string): void => {
    for (const { id, panel } of list) {
      panel.hidden = id !== shown;
      const tab = buttons.get(id);
      tab?.setAttribute("aria-selected", String(id === shown));
      if (tab !== undefined) tab.tabIndex = id === shown ? 0 : -1;
    }
  };
  const buttons = new Map(
    list.map(({ id, title, panel }) => {
      panel.id = `panel-${id}`;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", `tab-${id}`);
      const tab = button(title, () => show(id), {
        id: `tab-${id}`,
        attributes: { role: "tab", "aria-controls": `panel-${id}` },
      });
      return [id, tab] as const;
    }),
  );
  const strip = element(
    "div",
    { class: "tabs", attributes: { role: "tablist", "aria-label": label } },
    ...buttons.values(),
  );
  strip.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = list.findIndex(({ id }) => buttons.get(id) === document.activeElement);
    if (by === undefined || at === -1) return;
    event.preventDefault();
    event.stopPropagation();
    const next = list[(at + by + list.length) % list.length];
    if (next === undefined) return;
    show(next.id);
    buttons.get(next.id)?.focus();
  });
  show(list[0]?.id ?? "");
  const frame = element("div", { class: "tabbed" }, strip, ...list.map(({ panel }) => panel));
  return { element: frame, show };
}

/** The tabs with their panels, and what shows one of them. */
export interface Tabs {
  readonly element: HTMLElement;
  readonly show: (id: string) => void;
}
