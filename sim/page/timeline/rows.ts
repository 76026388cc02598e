import { LANE_GROUPS, type Lane, type LaneGroup } from "../lanes/lane.ts";

/** A line of the timeline: the title of a group, or a lane by its place in the run. */
export type Row =
  | { readonly kind: "title"; readonly text: string; readonly y: number; readonly height: number }
  | { readonly kind: "lane"; readonly lane: number; readonly y: number; readonly height: number };

const LANE_HEIGHT = 24;
const TITLE_HEIGHT = 26;

/** The rows of the lanes that are shown, from the top down. */
export interface Rows {
  readonly rows: readonly Row[];
  readonly height: number;
  /** The middle of each lane; undefined for one that is not shown. */
  readonly middleOf: (lane: number) => number | undefined;
}

/** What keeps lanes from being shown. */
export interface LaneFilter {
  readonly hidden: ReadonlySet<LaneGroup>;
  /** A part of the lane's name, in lower case; empty: any. */
  readonly text: string;
}

export function rowsFrom(lanes: readonly Lane[], { hidden, text }: LaneFilter): Rows {
  const rows: Row[] = [];
  const middles = new Map<number, number>();
  let y = 0;
  for (const { id, title } of LANE_GROUPS) {
    if (hidden.has(id)) continue;
    const shown = [...lanes.entries()].filter(
      ([, { group, name }]) => group === id && name.toLowerCase().includes(text),
    );
    if (shown.length === 0) continue;
    rows.push({ kind: "title", text: title, y, height: TITLE_HEIGHT });
    y += TITLE_HEIGHT;
    for (const [lane] of shown) {
      rows.push({ kind: "lane", lane, y, height: LANE_HEIGHT });
      middles.set(lane, y + LANE_HEIGHT / 2);
      y += LANE_HEIGHT;
    }
  }
  return { rows, height: y, middleOf: (lane) => middles.get(lane) };
}
