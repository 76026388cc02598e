/** What sees the state of code under test that outlives a run. */
export interface StateProbe {
  /** Calls `act`, and returns the names of what it changed: `"calls" of counter.ts`, "Map.cache". */
  changedBy(act: () => Promise<unknown>): Promise<readonly string[]>;
  /** Removes what code has added to globals and built-in objects; returns what puts it back. */
  forgetAdded(): () => void;
}

let probe: StateProbe | undefined;

/** Makes runs that differ be explained by what this probe sees: in a process of the command line. */
export function useStateProbe(one: StateProbe): void {
  probe = one;
}

/** Returns what sees state in this process; undefined where other code runs beside the runs. */
export function stateProbe(): StateProbe | undefined {
  return probe;
}
