import { button, element } from "../element.ts";
import type { JourneySubject } from "../model/journey.ts";
import { subjectNamed } from "../model/subject-named.ts";
import type { PageState } from "../page-state.ts";
import { partColours } from "../timeline/painter.ts";
import { timeText } from "../../story/story.ts";
import { eventLink } from "./event-link.ts";

/** More steps than these are not listed. */
const STEPS_MAX = 500;
/** More names than these are not offered at once; typing narrows them down. */
const NAMES_MAX = 1_000;

/** Chooses a record, a task or a job, and lists its whole way. */
export function journeyPanel(state: PageState): HTMLElement {
  const list = element("ol", { class: "steps" });
  const title = element("p", { class: "journey-title" });
  const input = element("input", {
    id: "journey-name",
    attributes: {
      type: "text",
      list: "journey-names",
      placeholder: "record, task or job",
      autocomplete: "off",
    },
    on: {
      change: () => {
        const subject = subjectNamed(state.run, input.value);
        if (subject !== undefined) state.chooseJourney(subject);
      },
    },
  });
  const show = (): void => {
    const { journey, run, cursor } = state;
    if (journey === undefined) {
      title.textContent = "Choose one, or follow one from the event at the cursor.";
      list.replaceChildren();
      return;
    }
    const { subject, steps } = journey;
    input.value = nameOf(subject);
    const colours = partColours(steps.map(({ part }) => part));
    title.textContent = `The way of ${subject.kind} ${subject.name}: ${steps.length} steps${
      steps.length > STEPS_MAX ? `, the first ${STEPS_MAX} of them below` : ""
    }`;
    list.replaceChildren(
      ...steps.slice(0, STEPS_MAX).map(({ event, part }) => {
        const time = timeText(run.trace.at(event));
        const colour = (colours.get(part) ?? 0) % 5;
        return element(
          "li",
          {
            class: `part-${colour}${event === cursor ? " current" : ""}`,
            attributes: event === cursor ? { "aria-current": "step" } : {},
          },
          element("time", { text: time }),
          eventLink(state, event, run.words(event)),
          element("span", { class: "part", text: partWords(subject, part) }),
        );
      }),
    );
  };
  state.on(["journey", "cursor"], show);
  show();
  return element(
    "section",
    { class: "journey", attributes: { "aria-label": "Journey" } },
    element(
      "div",
      { class: "journey-choice" },
      element("label", { text: "Follow", attributes: { for: "journey-name" } }),
      input,
      names(state),
      button("Clear", () => {
        input.value = "";
        state.chooseJourney(undefined);
      }),
    ),
    title,
    list,
  );
}

function names({ run }: PageState): HTMLElement {
  const subjects: readonly JourneySubject[] = [
    ...run.tasks.map((name) => ({ kind: "task", name }) as const),
    ...run.jobs.map((name) => ({ kind: "job", name }) as const),
    ...run.records.map((name) => ({ kind: "record", name }) as const),
  ];
  const options = subjects
    .slice(0, NAMES_MAX)
    .map((subject) => element("option", { attributes: { value: nameOf(subject) } }));
  return element("datalist", { id: "journey-names" }, ...options);
}

function nameOf({ kind, name }: JourneySubject): string {
  return kind === "job" ? `job ${name}` : name;
}

function partWords({ kind }: JourneySubject, part: number): string {
  if (part === 0) return "";
  return kind === "record" ? `copy ${part}` : `attempt ${part}`;
}
