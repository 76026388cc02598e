import type { SettleAct } from "../trace.ts";
import type { World } from "../world.ts";
import type { Publication } from "./broker.ts";

/** Traced as the reason when the broker takes a settlement that changes nothing. */
export const NO_EFFECT: string = "NoEffect";

/** One attempt to settle a delivery, as the trace tells it. */
export interface SettleAttempt {
  readonly ref: string | undefined;
  readonly consumer: string;
  readonly handle: string;
  readonly act: SettleAct;
  /** The name of the error with which the broker refused; empty when it did not. */
  readonly refused: string;
}

/**
 * What became of each published record, told in the trace.
 *
 * Holds: a record is settled at most once; what was never published (an undefined `ref`) leaves no
 * trace.
 */
export class RecordBook {
  readonly #world: World;
  readonly #host: string;
  readonly #owed = new Set<string>();
  readonly #settled = new Set<string>();

  constructor(world: World, host: string) {
    this.#world = world;
    this.#host = host;
  }

  /**
   * Published records that are neither settled nor expired. One that is in a dead-letter queue and
   * not settled comes again, and is waited for.
   */
  get owed(): readonly string[] {
    return [...this.#owed];
  }

  isSettled(ref: string): boolean {
    return this.#settled.has(ref);
  }

  published({ ref, key }: Publication): void {
    this.#owed.add(ref);
    this.#world.trace.emit(this.#host, { kind: "published", ref, key });
  }

  delivered(ref: string | undefined, consumer: string, unit = ""): void {
    if (ref === undefined) return;
    this.#world.trace.emit(this.#host, { kind: "delivered", ref, consumer, unit });
  }

  attempted({ ref, consumer, handle, act, refused }: SettleAttempt): void {
    const attempt = { ref: ref ?? "", consumer, handle, act, refused };
    this.#world.trace.emit(this.#host, { kind: "settle", ...attempt });
  }

  /** From now on the broker will not deliver it. */
  settled(ref: string | undefined, consumer: string): void {
    if (ref === undefined || this.#settled.has(ref)) return;
    this.#settled.add(ref);
    this.#owed.delete(ref);
    this.#world.trace.emit(this.#host, { kind: "settled", ref, consumer });
  }

  deadLettered(ref: string | undefined): void {
    if (ref === undefined) return;
    this.#world.trace.emit(this.#host, { kind: "dead-lettered", ref });
  }

  /** A lease of one record, or a membership (`ref` is empty), ended because nobody renewed it. */
  lapsed(ref: string, consumer: string): void {
    this.#world.trace.emit(this.#host, { kind: "lapsed", consumer, ref });
  }

  /** Retention took a record that nobody had settled. */
  expired(ref: string | undefined): void {
    if (ref === undefined || !this.#owed.delete(ref)) return;
    this.#world.trace.emit(this.#host, { kind: "expired", ref });
  }
}
