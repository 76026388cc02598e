import { element } from "../element.ts";
import type { PageState } from "../page-state.ts";
import type { CurvePoint, ReportSection, SectionBlock } from "../report-data.ts";
import { eventLink } from "./event-link.ts";

/** A panel that a verb has added to the report. */
export function sectionPanel(state: PageState, { title, blocks }: ReportSection): HTMLElement {
  return element(
    "section",
    { class: "added", attributes: { "aria-label": title } },
    element("h2", { text: title }),
    ...blocks.map((block) => blockElement(state, block)),
  );
}

function blockElement(state: PageState, block: SectionBlock): HTMLElement {
  switch (block.kind) {
    case "text":
      return element("p", { text: block.text });
    case "list":
      return element(
        "ul",
        {},
        ...block.items.map(({ text, at }) =>
          element("li", {}, at === undefined ? text : linkAt(state, at, text)),
        ),
      );
    case "table":
      return element(
        "div",
        { class: "wide", attributes: { tabindex: "0", role: "region", "aria-label": "Table" } },
        element(
          "table",
          {},
          element("tr", {}, ...block.columns.map((text) => element("th", { text }))),
          ...block.rows.map((row) =>
            element("tr", {}, ...row.map((text) => element("td", { text }))),
          ),
        ),
      );
    case "curve":
      return curve(state, block);
    default:
      return block satisfies never;
  }
}

function linkAt(state: PageState, at: number, text: string): HTMLElement {
  return eventLink(state, state.run.trace.firstAt(at), text);
}

const WIDTH = 360;
const HEIGHT = 140;
const SVG = "http://www.w3.org/2000/svg";

function curve(
  state: PageState,
  { x, y, points }: Extract<SectionBlock, { kind: "curve" }>,
): HTMLElement {
  const last = Math.max(...points.map((point) => point.x), 1);
  const placeOf = (value: number): string => ((value / last) * WIDTH).toFixed(1);
  const heightOf = (share: number): string => ((1 - share) * HEIGHT).toFixed(1);
  const along = (of: (point: CurvePoint) => number, list: readonly CurvePoint[]): string =>
    list.map((point) => `${placeOf(point.x)},${heightOf(of(point))}`).join(" ");
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `-2 -4 ${WIDTH + 4} ${HEIGHT + 8}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${y} over ${x}`);
  const band = document.createElementNS(SVG, "polygon");
  band.setAttribute("class", "curve-band");
  band.setAttribute(
    "points",
    `${along(({ high }) => high, points)} ${along(({ low }) => low, points.toReversed())}`,
  );
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("class", "curve-line");
  line.setAttribute(
    "points",
    along((point) => point.y, points),
  );
  svg.append(band, line);
  const links = points.flatMap(({ x: place, y: share, at }) => {
    if (at === undefined) return [];
    return [element("li", {}, linkAt(state, at, `${place}: ${share.toFixed(2)}`))];
  });
  return element(
    "figure",
    { class: "curve" },
    svg,
    element("figcaption", { text: `${y}, over ${x}` }),
    element("ul", { class: "chips" }, ...links),
  );
}
