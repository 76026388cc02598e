/** The outcome of one event: how many subscribers finished with it in which way. */
export interface Outcome {
  /** How many have passed it, with every trigger event of it stored. */
  readonly acked: number;
  /** How many have failed or abandoned it. */
  readonly failed: number;
  /** How many have rejected it. */
  readonly rejected: number;
}

/**
 * What the broker is owed for an event.
 *
 * - `settle`: it is settled: committed, acknowledged, deleted.
 * - `dead-letter`: it is dead-lettered, and then settled.
 * - `hold`: it is not settled, and comes again.
 * - `refuse`: it is dead-lettered, or nacked each time it comes; merely read again it must not be.
 * - `refuse-or-hold`: it is dead-lettered, or given back in any way.
 */
export type Decision = "settle" | "dead-letter" | "hold" | "refuse" | "refuse-or-hold";

/** Returns what a producer owes the broker for an outcome. */
export type DecisionTable = (outcome: Outcome) => Decision;

/** One fan-out of a record: a redelivered record has several. */
export interface CopyFacts {
  readonly number: number;
  readonly record: RecordFacts;
  readonly session: SessionFacts;
  readonly emittedAt: number;
  /** When its record had been delivered last, if that delivery was handed out; -1: unknown. */
  readonly deliveredAt: number;
  lane: string | undefined;
  outcome: Outcome | undefined;
  decision: Decision | undefined;
  resolvedAt: number;
  /** When the advance that got its outcome had ended; -1: it has not. */
  passedAt: number;
  /** Whether its record was nacked since it was resolved. */
  isNacked: boolean;
}

export interface RecordFacts {
  readonly ref: string;
  /** Its place among all that was published. */
  readonly order: number;
  /** It is no JSON: whoever cannot read it may do with it what he likes. */
  isGarbled: boolean;
  /** There are, or were, several messages of it. */
  isCopied: boolean;
  unit: string;
  place: string | undefined;
  /** How often the broker has delivered it; a reply that is lost leaves fewer copies. */
  deliveries: number;
  /** When it was delivered last; -1: never. */
  deliveredAt: number;
  /** When a delivery of it was settled or given back last; -1: never. */
  finalAt: number;
  readonly copies: CopyFacts[];
  settledAt: number | undefined;
  deadLetteredAt: number | undefined;
  isExpired: boolean;
  /** Some rival of ours settled it, for reasons of its own. */
  settledByRival: boolean;
}

/** One producer, from its factory to its end. */
export interface SessionFacts {
  readonly poll: number;
  readonly host: string;
  openedAt: number | undefined;
  endedAt: number | undefined;
  closingAt: number | undefined;
  closedAt: number | undefined;
  /** Until when something had been wrong by then. */
  upsetUntil?: number;
  /** When the incarnation that it lived in died. */
  diedAt: number | undefined;
  advance: { readonly at: number; readonly copies: readonly CopyFacts[] } | undefined;
  /** What it threw last, in words. */
  error: string | undefined;
}
