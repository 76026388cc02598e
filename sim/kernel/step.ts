/** The owner of scheduled steps: one incarnation of a host. */
export interface StepOwner {
  /** False once the incarnation is dead: its steps are dropped. */
  readonly alive: boolean;
  /** Steps that are due before this instant are postponed to it. */
  readonly pausedUntil: number;
  /** How far the owner's wall clock is ahead of the world's, in milliseconds. */
  readonly skewMs: number;
  /** The name of its host; undefined in tests of the kernel alone. */
  readonly name?: string | undefined;
  /** Called with an exception that the owner's code does not catch. */
  readonly onUncaught?: ((error: unknown) => void) | undefined;
  /** Called when the clock skips past due steps of this owner, which then run at `untilMs`. */
  readonly stall?: ((untilMs: number) => void) | undefined;
}

/** A callback that is due at some virtual time. */
export interface Step {
  /** In virtual milliseconds. */
  dueAt: number;
  /** Orders steps that are due at the same time. */
  sequence: number;
  /** Undefined for a step of the world itself. */
  readonly owner: StepOwner | undefined;
  /** Steps of one lane run in order; among lanes that are due at once, a choice decides. */
  readonly lane: string;
  /** What the step does. */
  readonly fn: () => void;
  /** Whether the step may start promise work, which must finish before the next step. */
  readonly hop: boolean;
  /** Set it to true to cancel the step. */
  cancelled: boolean;
}

/** How a step is scheduled. */
export interface StepOptions {
  /** The incarnation that the step belongs to; undefined: the world itself. */
  readonly owner?: StepOwner | undefined;
  /** The step's lane; see {@linkcode Step}. */
  readonly lane: string;
  /** False for a step that starts no promise work, which saves a macrotask hop; default true. */
  readonly hop?: boolean;
}
