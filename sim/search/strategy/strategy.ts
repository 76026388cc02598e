import type { Choice, Choices } from "../../choices/choices.ts";

/** Where a run takes its choices from; it does not keep them. */
export type ChoiceSource = Pick<Choices, "stream" | "scheduler">;

/** What one run, taken in the order in which things fall due, tells of a world. */
export interface Calibration {
  /** How often there was somebody to choose among, the clock counted as one. */
  readonly contested: number;
  /** How many steps each task took. */
  readonly steps: readonly (readonly [task: string, steps: number])[];
}

/** What was chosen in a run, without labels: enough to go its way again, and to leave it. */
export interface ChoiceString {
  /** The streams, as "kind/part". */
  readonly streams: readonly string[];
  /** For each choice the index of its stream, and what was chosen. */
  readonly owners: Uint16Array;
  readonly values: Uint32Array;
}

/** One run as a strategy is told of it. */
export interface Plan {
  readonly seed: number;
  /** How many runs the strategy has had before this one. */
  readonly turn: number;
  readonly calibration: Calibration;
  /** Whether the clock may be a task: stalls are faults that a world must be able to bear. */
  readonly mayStall: boolean;
  /** An earlier run to set out from; undefined while there is none. */
  readonly parent: ChoiceString | undefined;
  /** How the workload and the faults are drawn; default: as they come. */
  readonly swarm: (source: ChoiceSource) => ChoiceSource;
}

/**
 * A way to search: makes the choices of a run.
 *
 * Holds: depends on its plan alone, so that any run can be had again.
 */
export type Strategy = (plan: Plan) => ChoiceSource;

/** The short form of recorded choices. */
export function choiceStringFrom(choices: readonly Choice[]): ChoiceString {
  const indexOf = new Map<string, number>();
  const owners = new Uint16Array(choices.length);
  const values = new Uint32Array(choices.length);
  choices.forEach(({ kind, part, value }, at) => {
    const name = `${kind}/${part}`;
    const known = indexOf.get(name) ?? indexOf.size;
    indexOf.set(name, known);
    owners[at] = known;
    values[at] = value;
  });
  return { streams: [...indexOf.keys()], owners, values };
}
