import { button, element } from "../element.ts";
import type { JourneySubject } from "../model/journey.ts";
import type { PageState } from "../page-state.ts";
import { timeText } from "../../story/story.ts";

/** The event at the cursor: in words, as it was traced, and what journeys it belongs to. */
export function eventPanel(state: PageState): HTMLElement {
  const panel = element("section", {
    class: "event",
    attributes: { "aria-label": "Event at the cursor", "aria-live": "polite" },
  });
  const show = (): void => {
    const { run, cursor } = state;
    if (run.trace.length === 0) {
      panel.replaceChildren(element("p", { text: "The run has no events." }));
      return;
    }
    const { at, host, kind, ...members } = run.trace.event(cursor);
    const subjects = run.subjects(cursor).slice(0, SUBJECTS_MAX);
    panel.replaceChildren(
      element("p", { class: "event-words", text: run.words(cursor) }),
      element("p", {
        class: "event-place",
        text: `${timeText(at)} · ${host} · event ${cursor + 1} of ${run.trace.length}`,
      }),
      element("div", { class: "chips" }, ...subjects.map((one) => subjectButton(state, one))),
      element(
        "dl",
        { class: "members" },
        ...Object.entries({ kind, ...members }).flatMap(([name, value]) => [
          element("dt", { text: name }),
          element("dd", { text: typeof value === "string" ? value : JSON.stringify(value) }),
        ]),
      ),
    );
  };
  state.on(["cursor"], show);
  show();
  return panel;
}

/** An advance of a large batch belongs to many journeys. */
const SUBJECTS_MAX = 8;

function subjectButton(state: PageState, subject: JourneySubject): HTMLButtonElement {
  return button(`Follow ${subject.kind} ${subject.name}`, () => state.chooseJourney(subject), {
    class: "chip",
  });
}
