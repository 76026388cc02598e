/** What one run of the bench does; every contestant does the same. */
export interface Work {
  readonly subscribers: number;
  readonly lanes: number;
  readonly events: number;
  /** How many events are fanned out before the first of them is confirmed. */
  readonly outstanding: number;
  /** The form of the filters; who offers no synchronous one runs the asynchronous one. */
  readonly form: "async" | "sync";
  /** Whether each filter derives one trigger event from each raw event, or none. */
  readonly filter: "fires" | "drops";
  /** In which order the derived events are persisted. */
  readonly persisted: "in order" | "shuffled";
  /**
   * For a contestant that would take minutes: only so many events, in the middle of each fetch, are
   * confirmed batch by batch and timed, the others in two great batches; the times are scaled up.
   */
  readonly sampledEvents?: number;
}

/** How many raw events' derived events one call confirms. */
export const CONFIRMED_AT_ONCE = 100;

/** How far from its place a shuffled confirmation may come. */
const SHUFFLED_WITHIN = 1_000;

/** The lane of an event: round robin, so that all lanes are outstanding at the same time. */
export function laneOf(id: number, lanes: number): number {
  return id % lanes;
}

/** Shuffles in blocks, always in the same way: the next state of a small generator is the draw. */
export function shuffleInBlocks(items: Int32Array): void {
  let state = 1;
  for (let first = 0; first < items.length; first += SHUFFLED_WITHIN) {
    const end = Math.min(items.length, first + SHUFFLED_WITHIN);
    for (let at = end - 1; at > first; at -= 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const other = first + (state % (at - first + 1));
      const item = items[at] as number;
      items[at] = items[other] as number;
      items[other] = item;
    }
  }
}
