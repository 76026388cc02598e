import { button, element } from "./element.ts";
import { stepJourney } from "./keyboard.ts";
import { LANE_GROUPS, type LaneGroup } from "./lanes/lane.ts";
import type { PageState } from "./page-state.ts";
import type { Timeline } from "./timeline/timeline.ts";

/** The buttons above the timeline: steps, zoom, axis, and which lanes are shown. */
export function toolbar(state: PageState, timeline: Timeline): Toolbar {
  const { run } = state;
  const axis = button("", () => toggleAxis());
  const showAxis = (): void => {
    axis.textContent = timeline.scale.axis === "time" ? "Axis: time" : "Axis: events";
  };
  const toggleAxis = (): void => {
    timeline.setAxis(timeline.scale.axis === "time" ? "events" : "time");
    showAxis();
  };
  showAxis();
  const goTo = (event: number): void => {
    state.moveTo(event);
    timeline.showBefore(event);
  };
  const label = (text: string, words: string, onClick: () => void): HTMLButtonElement =>
    button(text, onClick, { attributes: { "aria-label": words, title: words } });
  const bar = element(
    "div",
    { class: "toolbar", attributes: { role: "toolbar", "aria-label": "Timeline" } },
    ...run.breaks
      .slice(0, 1)
      .map((event) => button("Go to the break", () => goTo(event), { class: "primary" })),
    label("◀", "Last event", () => state.moveTo(state.cursor - 1)),
    label("▶", "Next event", () => state.moveTo(state.cursor + 1)),
    label("◁ step", "Last step of the journey", () => stepJourney(state, -1)),
    label("step ▷", "Next step of the journey", () => stepJourney(state, 1)),
    label("+", "Zoom in", () => timeline.zoom(1)),
    label("−", "Zoom out", () => timeline.zoom(-1)),
    button("Whole run", () => timeline.showAll()),
    axis,
    laneFilter(state, timeline),
  );
  return { element: bar, toggleAxis };
}

/** The bar and what a key does with it. */
export interface Toolbar {
  readonly element: HTMLElement;
  readonly toggleAxis: () => void;
}

function laneFilter({ run }: PageState, timeline: Timeline): HTMLElement {
  const hidden = new Set<LaneGroup>();
  const text = element("input", {
    attributes: {
      type: "text",
      placeholder: "Filter lanes",
      "aria-label": "Filter lanes by name",
      autocomplete: "off",
    },
    on: { input: () => apply() },
  });
  const apply = (): void => timeline.setFilter(new Set(hidden), text.value);
  const present = new Set(run.lanes.lanes.map(({ group }) => group));
  const choices = LANE_GROUPS.filter(({ id }) => present.has(id)).map(({ id, title }) => {
    const box = element("input", {
      attributes: { type: "checkbox", checked: "" },
      on: {
        change: () => {
          if (box.checked) hidden.delete(id);
          else hidden.add(id);
          apply();
        },
      },
    });
    return element("label", {}, box, ` ${title}`);
  });
  return element(
    "details",
    { class: "lane-filter" },
    element("summary", { text: "Lanes" }),
    element("div", { class: "lane-choices" }, text, ...choices),
  );
}
