import { element } from "../element.ts";

/** A cell: text, or text with a class that colours it and words for who points at it. */
export type Cell =
  | string
  | { readonly text: string; readonly class?: string; readonly title?: string };

/** What a table shows. */
export interface TableParts {
  readonly title: string;
  readonly columns: readonly Cell[];
  /** The first cell of each is its heading. */
  readonly rows: readonly (readonly Cell[])[];
  /** What stands for the rows that are left out. */
  readonly more?: string;
  readonly class?: string;
}

/** Makes a table that scrolls sideways where it is too wide. */
export function table({ title, columns, rows, more, class: kind }: TableParts): HTMLElement {
  const head = element(
    "tr",
    {},
    ...columns.map((cell) => filled(element("th", { attributes: { scope: "col" } }), cell)),
  );
  const body = rows.map(([heading = "", ...cells]) =>
    element(
      "tr",
      {},
      filled(element("th", { attributes: { scope: "row" } }), heading),
      ...cells.map((cell) => filled(element("td"), cell)),
    ),
  );
  return element(
    "section",
    { class: "state-part" },
    element("h3", { text: title }),
    element(
      "div",
      { class: "wide", attributes: { tabindex: "0", role: "region", "aria-label": title } },
      element(
        "table",
        { class: kind ?? "" },
        element("thead", {}, head),
        element("tbody", {}, ...body),
      ),
    ),
    ...(more === undefined ? [] : [element("p", { class: "more", text: more })]),
  );
}

function filled<E extends HTMLElement>(place: E, cell: Cell): E {
  if (typeof cell === "string") {
    place.textContent = cell;
    return place;
  }
  place.textContent = cell.text;
  if (cell.class !== undefined) place.className = cell.class;
  if (cell.title !== undefined) place.title = cell.title;
  return place;
}
