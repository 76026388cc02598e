import type { Choices } from "../../choices/choices.ts";

/** The source of a run's choices; it does not record them. */
export type ChoiceSource = Pick<Choices, "stream" | "scheduler">;

/** Measurements of one run of a world in which steps ran in the order in which they were due. */
export interface Calibration {
  /** How many decisions had more than one candidate, the clock included. */
  readonly contested: number;
  /** How many steps each task took. */
  readonly steps: readonly (readonly [task: string, steps: number])[];
}

/** What a strategy knows about the run that it makes the choices of. */
export interface Plan {
  readonly seed: number;
  /** How many runs the strategy has made before this one. */
  readonly turn: number;
  readonly calibration: Calibration;
  /** Whether the clock may be a task, because the world tolerates stalls. */
  readonly mayStall: boolean;
  /** Changes how the workload and the faults are drawn. */
  readonly swarm: (source: ChoiceSource) => ChoiceSource;
}

/**
 * A search strategy: makes the choices of a run.
 *
 * Holds: the choices depend only on the plan, so that any run can be repeated.
 */
export type Strategy = (plan: Plan) => ChoiceSource;
