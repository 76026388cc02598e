/** What a bar or a mark says, from the least to the most striking. */
export const TONES = [
  "quiet",
  "plain",
  "first",
  "second",
  "wait",
  "good",
  "warn",
  "fault",
  "crash",
] as const;

export type Tone = (typeof TONES)[number];

/** The groups in which lanes stand, from top to bottom. */
export const LANE_GROUPS = [
  { id: "run", title: "Run" },
  { id: "hosts", title: "Hosts" },
  { id: "links", title: "Links" },
  { id: "polls", title: "Polls" },
  { id: "subscribers", title: "Subscribers" },
  { id: "tasks", title: "Tasks" },
  { id: "jobs", title: "Jobs" },
  { id: "records", title: "Partitions and queues" },
] as const;

export type LaneGroup = (typeof LANE_GROUPS)[number]["id"];

/** Stretches of a lane, in order; each begins and ends with an event. */
export interface Bars {
  readonly from: Uint32Array;
  /** The event that ends it; the number of all events if none does. */
  readonly to: Uint32Array;
  /** Places in `TONES`. */
  readonly tones: Uint8Array;
}

/** Events of a lane, in order. */
export interface Marks {
  readonly events: Uint32Array;
  /** Places in `TONES`. */
  readonly tones: Uint8Array;
}

/** One line of the timeline. */
export interface Lane {
  /** Unique in its run: "host runner-1". */
  readonly id: string;
  readonly group: LaneGroup;
  readonly name: string;
  /** What lasts: an incarnation, a subscription, a state. */
  readonly bars: Bars;
  /** What lasts within it: a pause, a window, an attempt. */
  readonly spans: Bars;
  readonly marks: Marks;
  /** All other events of the lane. */
  readonly ticks: Uint32Array;
}
