/** Whoever a scheduled step belongs to: one incarnation of a host. */
export interface StepOwner {
  readonly alive: boolean;
  /** Steps that fall due before this instant wait until it. */
  readonly pausedUntil: number;
  readonly skewMs: number;
  /** Told that the clock overtakes it: it does nothing until then. */
  readonly stall?: ((untilMs: number) => void) | undefined;
}

/** A step that is due at some virtual time. */
export interface Step {
  dueAt: number;
  sequence: number;
  readonly owner: StepOwner | undefined;
  /** Steps of one lane keep their order; between lanes of equal due time the world chooses. */
  readonly lane: string;
  readonly fn: () => void;
  /** Whether promise work may follow and must come to rest before the next step. */
  readonly hop: boolean;
  cancelled: boolean;
}

export interface StepOptions {
  readonly owner?: StepOwner | undefined;
  readonly lane: string;
  /** False for a step that starts no promise work: it then costs no macrotask. */
  readonly hop?: boolean;
}
