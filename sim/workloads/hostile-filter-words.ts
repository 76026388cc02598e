/** How long a filter works on an event, in milliseconds. */
export const THINK_MS = [0, 0, 0, 5, 50, 500, 2_500, 60_000] as const;
/** A filter that works no time works so many turns of the microtask queue, times its option. */
export const THINK_TURNS = 3;
/** When a trigger event is confirmed, after its bind, in milliseconds. */
export const CONFIRM_MS = [1, 20, 200, 900, 2_000, 9_000] as const;
/** The options of what happens every other time. */
export const NO_OR_YES: readonly string[] = ["no", "yes"];

/** Returns the options of what happens once in so many times, in words: with the last option. */
export function oneIn(times: number): readonly string[] {
  return [...Array.from({ length: times - 1 }, () => "no"), "yes"];
}

/** Once in so many times a filter waits before its next pull. */
export const DAWDLES_ONE_IN = 8;
/** Once in so many times a filter waits before it leaves. */
export const LINGERS_ONE_IN = 3;
/** The options of a filter's choices in words, by label, where a number says little. */
export const FILTER_OPTIONS: readonly (readonly [label: string, options: readonly string[]])[] = [
  [
    "filter",
    [
      "takes the event",
      ...Array.from({ length: 4 }, () => "fires"),
      "fires twice",
      "rejects",
      "fires, then rejects",
      "may give up",
      "takes the event",
    ],
  ],
  [
    "visitor",
    [
      "takes the event",
      ...Array.from({ length: 3 }, () => "fires"),
      "fires and confirms at once",
      "fires twice",
      "rejects",
      "fires, then rejects",
      "may give up",
      "meddles amid its visit",
      "comes back to the event when it has returned",
      "takes the event",
    ],
  ],
  ["give up", NO_OR_YES],
  ["reject again", NO_OR_YES],
  ["fire after reject", NO_OR_YES],
  ["fire after meddling", NO_OR_YES],
  ["dawdle", oneIn(DAWDLES_ONE_IN)],
  ["linger", oneIn(LINGERS_ONE_IN)],
  [
    "confirm how",
    [...Array.from({ length: 4 }, () => "once"), "twice", "with a number that was never drawn"],
  ],
  ["think", THINK_MS.map((ms, how) => (ms === 0 ? `${how * THINK_TURNS} turns` : `${ms} ms`))],
  ["confirm when", ["at once", ...CONFIRM_MS.map((ms) => `after ${ms} ms`), "never"]],
];
