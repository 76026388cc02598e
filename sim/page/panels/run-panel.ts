import { element } from "../element.ts";
import type { PageState } from "../page-state.ts";
import type { ViolationData } from "../report-data.ts";
import { timeText } from "../../story/story.ts";
import { eventLink } from "./event-link.ts";

/** The promises that broke, what was seen, and the story, whose lines are links. */
export function runPanel(state: PageState): HTMLElement {
  const { violations, verdict } = state.run.data;
  const [first, ...others] = violations;
  if (first === undefined) {
    const text = verdict === "held" ? "Every promise held." : "No promise broke in this run.";
    return element("section", { class: "promise held" }, element("p", { text }));
  }
  return element(
    "section",
    { class: "promise", attributes: { "aria-label": "What broke" } },
    brokenPromise(state, first, 0),
    ...(others.length === 0 ? [] : [otherPromises(state, others)]),
  );
}

function brokenPromise(state: PageState, violation: ViolationData, nth: number): HTMLElement {
  const { checker, promise, detail, at, host } = violation;
  const breakEvent = state.run.breaks[nth] ?? 0;
  const lines = state.run
    .story(violation, breakEvent)
    .map(({ text, event }) =>
      element(
        "li",
        { class: /^ *[\d.]+ s {2}=> /.test(text) ? "broke" : "" },
        event === undefined ? text : eventLink(state, event, text.trim()),
      ),
    );
  return element(
    "article",
    {},
    element(
      "h2",
      {},
      element("span", { class: "checker", text: checker }),
      ` broke at ${timeText(at)} on ${host}`,
    ),
    element("p", { class: "promise-words", text: promise }),
    element("p", { class: "seen" }, element("b", { text: "Seen: " }), detail),
    ...(lines.length === 0 ? [] : [element("ol", { class: "story" }, ...lines)]),
  );
}

function otherPromises(state: PageState, others: readonly ViolationData[]): HTMLElement {
  const summary = element("summary", { text: `Also broken: ${others.length}` });
  const articles = others.map((violation, at) => brokenPromise(state, violation, at + 1));
  return element("details", {}, summary, ...articles);
}
