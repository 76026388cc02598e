import { element } from "../element.ts";
import { sameEvents } from "../model/parting.ts";
import type { PageState } from "../page-state.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { timeText } from "../../story/story.ts";
import { eventLink } from "./event-link.ts";
import { runPanel } from "./run-panel.ts";

/** How many events of each run are listed from where they part. */
const LISTED = 14;
/** How many of the last ones that they have in common. */
const LISTED_BEFORE = 3;

/** Says up to where two runs are the same, and what each of them does from there on. */
export function comparePanel(state: PageState, other: PageState): HTMLElement {
  const same = sameEvents(state.run.trace, other.run.trace);
  const { length } = state.run.trace;
  const isWhole = same === length && same === other.run.trace.length;
  const where = same === length ? "" : `, until ${timeText(state.run.trace.at(same))}`;
  const words = isWhole
    ? "The two runs are the same from beginning to end."
    : `The first ${same} events are the same${where}.`;
  return element(
    "section",
    { class: "compare", attributes: { "aria-label": "Compare" } },
    element("p", { class: "compare-words", text: words }),
    ...(isWhole ? [] : [eventsFrom(state, same, "This run"), eventsFrom(other, same, "The other")]),
    element("h2", { text: `The other run: ${nameOf(other)}` }),
    runPanel(other),
  );
}

/** What a run is called beside another one. */
export function nameOf({ run: { data } }: PageState): string {
  return `${data.scenario}, seed ${data.seed}, ${data.verdict.replace("-", " ")}`;
}

function eventsFrom(state: PageState, same: number, title: string): HTMLElement {
  const { trace } = state.run;
  const first = Math.max(same - LISTED_BEFORE, 0);
  const last = Math.min(same + LISTED, trace.length);
  const items = Array.from({ length: Math.max(last - first, 0) }, (_, at) => {
    const event = first + at;
    return element(
      "li",
      { class: event < same ? "in-common" : "parted" },
      element("time", { text: timeText(trace.at(event)) }),
      eventLink(state, event, state.run.words(event)),
    );
  });
  return element(
    "div",
    {},
    element("h2", { text: title }),
    items.length === 0
      ? element("p", { text: "It has ended." })
      : element("ol", { class: "steps" }, ...items),
  );
}

/** Keeps the second timeline at the stretch and the time of the first one. */
export function follow(
  first: PageState,
  timeline: Timeline,
  second: PageState,
  its: Timeline,
): void {
  first.on(["cursor", "view"], () => {
    const { scale } = timeline;
    its.setAxis(scale.axis);
    its.scale.show(scale.from, scale.to);
    const event = second.run.trace.firstAt(first.run.trace.at(first.cursor) + 1) - 1;
    if (event !== second.cursor) second.moveTo(event);
    second.changed("view");
  });
}
