import { button, element } from "../element.ts";
import type { RunData } from "../report-data.ts";
import { timeText } from "../../story/story.ts";

/** The scenario as a file, how to make the run again, and what there is to count. */
export function scenarioPanel(data: RunData): HTMLElement {
  const facts: readonly (readonly [string, string])[] = [
    ["world", data.world],
    ["seed", String(data.seed)],
    ["virtual time", timeText(data.virtualMs)],
    ["events", String(data.events)],
    ["digest", data.digest],
    ...data.faults.map(([fault, times]) => [`fault ${fault}`, `${times} times`] as const),
  ];
  return element(
    "section",
    { class: "scenario", attributes: { "aria-label": "Scenario" } },
    element("h2", { text: "Run it again" }),
    copied(data.rerun),
    element("h2", { text: "Scenario" }),
    copied(data.yaml),
    element("h2", { text: "Run" }),
    element(
      "dl",
      { class: "members" },
      ...facts.flatMap(([name, value]) => [
        element("dt", { text: name }),
        element("dd", { text: value }),
      ]),
    ),
  );
}

/** A text with a button that copies it. */
function copied(text: string): HTMLElement {
  const copy = button("Copy", () => {
    navigator.clipboard.writeText(text).then(
      () => {
        copy.textContent = "Copied";
      },
      () => {
        copy.textContent = "Select and copy it";
      },
    );
  });
  const code = element("pre", { text, attributes: { tabindex: "0" } });
  return element("div", { class: "copied" }, code, copy);
}
