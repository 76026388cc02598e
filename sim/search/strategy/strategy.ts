import type { Choice, Choices } from "../../choices/choices.ts";

/** The source of a run's choices; it does not record them. */
export type ChoiceSource = Pick<Choices, "stream" | "scheduler">;

/** Measurements of one run of a world in which steps ran in the order in which they were due. */
export interface Calibration {
  /** How many decisions had more than one candidate, the clock included. */
  readonly contested: number;
  /** How many steps each task took. */
  readonly steps: readonly (readonly [task: string, steps: number])[];
}

/** The choices of a run without their labels: enough to repeat a prefix of it. */
export interface ChoiceString {
  /** The streams, as "kind/part". */
  readonly streams: readonly string[];
  /** The index of each choice's stream. */
  readonly owners: Uint16Array;
  /** The chosen options. */
  readonly values: Uint32Array;
}

/** What a strategy knows about the run that it makes the choices of. */
export interface Plan {
  readonly seed: number;
  /** How many runs the strategy has made before this one. */
  readonly turn: number;
  readonly calibration: Calibration;
  /** Whether the clock may be a task, because the world tolerates stalls. */
  readonly mayStall: boolean;
  /** The earlier run that guided search starts from; undefined while there is none. */
  readonly parent: ChoiceString | undefined;
  /** Changes how the workload and the faults are drawn. */
  readonly swarm: (source: ChoiceSource) => ChoiceSource;
}

/**
 * A search strategy: makes the choices of a run.
 *
 * Holds: the choices depend only on the plan, so that any run can be repeated.
 */
export type Strategy = (plan: Plan) => ChoiceSource;

/** Returns the short form of recorded choices. */
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
