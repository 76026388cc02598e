import type { World } from "../kernel/world.ts";
import type { SettleAct } from "../trace/trace.ts";
import type { Publication } from "./broker.ts";

/** Traced as the reason for a settlement that the broker accepts, but that changes nothing. */
export const NO_EFFECT: string = "NoEffect";

/** A client's attempt to settle a delivery. */
export interface SettleAttempt {
  /** Undefined for a message that the workload did not publish. */
  readonly ref: string | undefined;
  /** Who attempts it: `<host>/...` for a client on that host. */
  readonly consumer: string;
  /** Identifies the delivery; for a commit, `<unit>@<position>` with a position that grows. */
  readonly handle: string;
  /** What the broker is to do. */
  readonly act: SettleAct;
  /** The name of the error with which the broker refused; empty when it accepted. */
  readonly refused: string;
  /** Who holds the lease by now, where the broker accepts a settlement by an earlier delivery. */
  readonly heldBy?: string | undefined;
}

/**
 * Traces what happens to each published record, and knows which ones are still owed.
 *
 * Holds: a record is traced as settled at most once, unless the broker loses that; a message that
 * the workload did not publish (an undefined `ref`) is not traced.
 *
 * @example
 * ```ts
 * import { SettlementLog } from "faultlane/brokers";
 * import { SeededChoices, World } from "faultlane/sim";
 *
 * const log = new SettlementLog(new World(new SeededChoices(1), { keepTrace: true }), "broker");
 * log.published({ ref: "ref-000001", key: "key-1" });
 * log.delivered("ref-000001", "triggerer/1");
 * log.settled("ref-000001", "triggerer/1");
 * console.log(log.owed().length); // => 0
 * ```
 */
export class SettlementLog {
  readonly #world: World;
  readonly #host: string;
  readonly #owed = new Set<string>();
  readonly #settled = new Set<string>();
  /** How many messages there are of a record beside the one that was published. */
  readonly #copies = new Map<string, number>();
  /** How many dead letters there are of a record. */
  readonly #deadLetters = new Map<string, number>();

  /** Creates the log of a broker; its events are those of `host`. */
  constructor(world: World, host: string) {
    this.#world = world;
    this.#host = host;
  }

  /**
   * Returns the published records that are neither settled nor expired, oldest first. A dead letter
   * that is not settled counts as owed: the record is delivered again.
   */
  owed(): readonly string[] {
    return [...this.#owed];
  }

  /** The workload has published the record: from now on it is owed. */
  published(publication: Publication): void {
    this.#owed.add(publication.ref);
    tracePublished(this.#world, this.#host, publication);
  }

  /**
   * A client has published a record of the workload again, to where it came from: it is settled
   * when all its messages are. Returns its ref; undefined where none is owed under that name.
   */
  copied(ref: string | undefined): string | undefined {
    if (ref === undefined || !this.#owed.has(ref)) return undefined;
    this.#copies.set(ref, (this.#copies.get(ref) ?? 0) + 1);
    this.#world.trace.emit(this.#host, { kind: "copied", ref });
    return ref;
  }

  /** A consumer gets the record; `unit` is the partition or group that orders it, if any. */
  delivered(ref: string | undefined, consumer: string, unit = ""): void {
    if (ref === undefined) return;
    this.#world.trace.emit(this.#host, { kind: "delivered", ref, consumer, unit });
  }

  /** A client attempts to settle a delivery, whether or not the broker accepts it. */
  attempted({ ref, consumer, handle, act, refused, heldBy }: SettleAttempt): void {
    const attempt = { ref: ref ?? "", consumer, handle, act, refused };
    const over = heldBy === undefined ? {} : { heldBy };
    this.#world.trace.emit(this.#host, { kind: "settle", ...attempt, ...over });
  }

  /**
   * The broker will not deliver a message of the record again, and if it was the last one, the
   * record is settled; `why` says what has settled it, in words, where that is no acknowledgement
   * of it: its queue is purged.
   */
  settled(ref: string | undefined, consumer: string, why?: string): void {
    if (ref === undefined || this.#settled.has(ref)) return;
    const copies = this.#copies.get(ref) ?? 0;
    if (copies > 0) {
      this.#copies.set(ref, copies - 1);
      return;
    }
    this.#settled.add(ref);
    this.#owed.delete(ref);
    const reason = why === undefined ? {} : { why };
    this.#world.trace.emit(this.#host, { kind: "settled", ref, consumer, ...reason });
  }

  /** The broker has lost that a message of the record was settled: it delivers it again. */
  unsettled(ref: string): void {
    if (!this.#settled.delete(ref)) {
      const copies = this.#copies.get(ref);
      if (copies !== undefined) this.#copies.set(ref, copies + 1);
      return;
    }
    const newer = [...this.#owed];
    this.#owed.clear();
    for (const one of [ref, ...newer]) this.#owed.add(one);
  }

  /**
   * The record is in a dead-letter queue; that alone does not settle it. `atLimit` says that the
   * broker has moved it there by itself, after so many deliveries as it allows.
   */
  deadLettered(ref: string | undefined, atLimit = false): void {
    if (ref === undefined) return;
    this.#deadLetters.set(ref, (this.#deadLetters.get(ref) ?? 0) + 1);
    const why = atLimit ? ({ atLimit } as const) : {};
    this.#world.trace.emit(this.#host, { kind: "dead-lettered", ref, ...why });
  }

  /** A dead-letter queue that keeps so many, or for so long, has dropped a dead letter. */
  deadLetterDropped(ref: string | undefined): void {
    const letters = ref === undefined ? 0 : (this.#deadLetters.get(ref) ?? 0);
    if (ref === undefined || letters === 0) return;
    this.#deadLetters.set(ref, letters - 1);
    if (letters === 1) this.#world.trace.emit(this.#host, { kind: "dead-letter-dropped", ref });
  }

  /** The lease of a record, or a whole membership (an empty `ref`), ended without renewal. */
  lapsed(ref: string, consumer: string): void {
    // Of several messages of one record nobody knows which one its holder is at work on.
    if (this.#copies.has(ref)) return;
    this.#world.trace.emit(this.#host, { kind: "lapsed", consumer, ref });
  }

  /** Retention removed a record that was not settled. */
  expired(ref: string | undefined): void {
    if (ref === undefined || !this.#owed.delete(ref)) return;
    this.#world.trace.emit(this.#host, { kind: "expired", ref });
  }
}

/** Traces that a record of the workload is published. */
export function tracePublished(
  { trace }: World,
  host: string,
  { ref, key, isGarbled }: Publication,
): void {
  trace.emit(host, { kind: "published", ref, key });
  if (isGarbled === true) trace.emit(host, { kind: "garbled", ref });
}
