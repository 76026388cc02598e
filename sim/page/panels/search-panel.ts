import { button, element } from "../element.ts";
import { timeText } from "../../story/story.ts";
import type { PageState } from "../page-state.ts";
import { eventLink } from "./event-link.ts";

/** How many events are read between two frames. */
const EVENTS_AT_A_TIME = 20_000;
/** More results than these are not listed. */
const LISTED_MAX = 200;

/** The search box, and the list of what it finds. */
export interface SearchPanel {
  readonly box: HTMLElement;
  readonly results: HTMLElement;
}

/** Searches all events for words, a kind, a host, a name. */
export function searchPanel(state: PageState): SearchPanel {
  const count = element("span", { class: "search-count", attributes: { role: "status" } });
  const results = element("section", {
    class: "results",
    attributes: { "aria-label": "Events found" },
  });
  results.hidden = true;
  const search = new EventSearch(state, (found) => {
    count.textContent = found === undefined ? "" : `${found.length} found`;
    results.hidden = found === undefined;
    results.replaceChildren(...foundList(state, found ?? []));
    state.showFound(found && Uint32Array.from(found));
  });
  const input = element("input", {
    id: "search",
    attributes: {
      type: "search",
      placeholder: "Search events",
      "aria-label": "Search events",
      autocomplete: "off",
    },
    on: {
      input: () => search.begin(input.value),
      keydown: (event) => {
        if (!(event instanceof KeyboardEvent) || event.key !== "Enter") return;
        event.preventDefault();
        stepFound(state, event.shiftKey ? -1 : 1);
      },
    },
  });
  const box = element(
    "div",
    { class: "search", attributes: { role: "search" } },
    input,
    button("‹", () => stepFound(state, -1), { attributes: { "aria-label": "Previous found" } }),
    button("›", () => stepFound(state, 1), { attributes: { "aria-label": "Next found" } }),
    count,
  );
  return { box, results };
}

/** A search through all events, some between each two frames; a new one ends the one before. */
class EventSearch {
  readonly #state: PageState;
  readonly #done: (found: readonly number[] | undefined) => void;
  #latest = 0;

  /** `done` is called with the events found, or with undefined if nothing was searched for. */
  constructor(state: PageState, done: (found: readonly number[] | undefined) => void) {
    this.#state = state;
    this.#done = done;
  }

  begin(text: string): void {
    this.#latest += 1;
    const wanted = text.trim().toLowerCase();
    if (wanted === "") this.#done(undefined);
    else this.#goOn({ nth: this.#latest, wanted, from: 0, found: [] });
  }

  #goOn(search: {
    readonly nth: number;
    readonly wanted: string;
    readonly from: number;
    readonly found: number[];
  }): void {
    const { nth, wanted, from, found } = search;
    if (nth !== this.#latest) return;
    const { length } = this.#state.run.trace;
    const to = Math.min(from + EVENTS_AT_A_TIME, length);
    for (let at = from; at < to; at += 1) if (matches(this.#state, at, wanted)) found.push(at);
    if (to < length) requestAnimationFrame(() => this.#goOn({ ...search, from: to }));
    else this.#done(found);
  }
}

function foundList(state: PageState, found: readonly number[]): readonly HTMLElement[] {
  const items = found
    .slice(0, LISTED_MAX)
    .map((event) =>
      element(
        "li",
        {},
        element("time", { text: timeText(state.run.trace.at(event)) }),
        eventLink(state, event, state.run.words(event)),
      ),
    );
  const more = found.length - items.length;
  return [
    element("h2", { text: `${found.length} events found` }),
    element("ol", { class: "steps" }, ...items),
    ...(more > 0 ? [element("p", { text: `and ${more} more` })] : []),
  ];
}

function matches({ run }: PageState, event: number, wanted: string): boolean {
  return (
    run.trace.kind(event).includes(wanted) ||
    run.trace.host(event).toLowerCase().includes(wanted) ||
    run.words(event).toLowerCase().includes(wanted)
  );
}

/** Moves the cursor to the next or last event found. */
function stepFound(state: PageState, direction: 1 | -1): void {
  const { found, cursor } = state;
  if (found === undefined) return;
  const event =
    direction === 1 ? found.find((at) => at > cursor) : found.findLast((at) => at < cursor);
  if (event !== undefined) state.moveTo(event);
}
