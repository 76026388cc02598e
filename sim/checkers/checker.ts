import type { TraceEvent } from "../trace/trace.ts";
import type { StreamFacts } from "./stream/stream-facts.ts";
import type { Symptom } from "./symptom.ts";

/** A broken promise, as data. */
export interface Violation {
  /** The id of the promise: "I5", "at-least-once". */
  readonly checker: string;
  /** The promise as a sentence. */
  readonly promise: string;
  /** When it broke, in virtual milliseconds. */
  readonly at: number;
  /** The host of the event that broke it. */
  readonly host: string;
  /** What was observed; the same failure has the same symptom in every run. */
  readonly symptom: Symptom;
  /** What was observed, in one sentence. */
  readonly detail: string;
  /** The record that it is about; undefined if it is not about a single record. */
  readonly ref: string | undefined;
  /** The events that led to it, one line each. */
  readonly story: readonly string[];
}

/** Called by a checker when the promise that it watches did not hold. */
export type Report = (symptom: Symptom, detail: string, ref?: string) => void;

/** What the checkers of one kind of world know about a run so far. */
export interface Facts {
  /** The last virtual instant at which all promise work had finished. */
  restedUntil: number;
  apply(event: TraceEvent): void;
}

type HandlerOf<K extends TraceEvent["kind"], F> = (
  event: Extract<TraceEvent, { kind: K }>,
  facts: F,
  report: Report,
) => void;

/**
 * Checks one promise on the trace.
 *
 * A handler sees the facts as they were before its event. `onQuiet` is called when virtual time is
 * about to move and all promise work has finished. `onEnd` is called once after the last event.
 */
export interface Checker<F = StreamFacts> {
  readonly id: string;
  readonly promise: string;
  readonly on?: { readonly [K in TraceEvent["kind"]]?: HandlerOf<K, F> };
  readonly onQuiet?: (facts: F, report: Report) => void;
  readonly onEnd?: (facts: F, report: Report) => void;
}

/** How many violations of one promise a run keeps; the first ones say the most. */
const KEPT_PER_CHECKER_MAX = 3;

type AnyHandler<F> = (event: TraceEvent, facts: F, report: Report) => void;
interface Listening<F> {
  readonly handler: AnyHandler<F>;
  readonly report: Report;
}

/**
 * Runs checkers over the events of one trace.
 *
 * Holds: pure over the trace; the same events give the same violations.
 */
export class CheckerRunner<F extends Facts> {
  readonly violations: Violation[] = [];
  readonly #facts: F;
  readonly #checkers: readonly Checker<F>[];
  readonly #observer: ((event: TraceEvent, facts: F) => void) | undefined;
  readonly #listening = new Map<string, Listening<F>[]>();
  readonly #quiet: (() => void)[] = [];
  #at = 0;
  #host = "";

  /** `observer` is called with each event before the facts apply it, as the checkers are. */
  constructor(
    checkers: readonly Checker<F>[],
    facts: F,
    observer?: (event: TraceEvent, facts: F) => void,
  ) {
    this.#checkers = checkers;
    this.#facts = facts;
    this.#observer = observer;
    for (const checker of checkers) {
      const report = this.#reportOf(checker);
      for (const [kind, handler] of Object.entries(checker.on ?? {})) {
        const known = this.#listening.get(kind) ?? [];
        known.push({ handler: handler as AnyHandler<F>, report });
        this.#listening.set(kind, known);
      }
      const { onQuiet } = checker;
      if (onQuiet !== undefined) this.#quiet.push(() => onQuiet(this.#facts, report));
    }
  }

  observe(event: TraceEvent): void {
    if (event.at > this.#at) {
      this.#facts.restedUntil = event.at - 1;
      for (const onQuiet of this.#quiet) onQuiet();
      this.#at = event.at;
    }
    this.#host = event.host;
    this.#observer?.(event, this.#facts);
    for (const { handler, report } of this.#listening.get(event.kind) ?? []) {
      handler(event, this.#facts, report);
    }
    this.#facts.apply(event);
  }

  end(): readonly Violation[] {
    for (const onQuiet of this.#quiet) onQuiet();
    for (const checker of this.#checkers) checker.onEnd?.(this.#facts, this.#reportOf(checker));
    return this.violations;
  }

  #reportOf(checker: Checker<F>): Report {
    const { id, promise } = checker;
    let kept = 0;
    return (symptom, detail, ref) => {
      kept += 1;
      if (kept > KEPT_PER_CHECKER_MAX) return;
      const at = this.#at;
      const host = this.#host;
      this.violations.push({ checker: id, promise, at, host, symptom, detail, ref, story: [] });
    };
  }
}
