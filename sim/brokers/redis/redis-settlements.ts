import type { World } from "../../kernel/world.ts";
import { refIn } from "../ref-in.ts";
import { SettlementLog } from "../settlement-log.ts";
import type { Keyspace } from "./keyspace.ts";

/**
 * What becomes of the records of a Redis stream. A record that is acknowledged while a sorted set
 * names it is not settled: it is parked there until it is due, as where it is tried again later.
 *
 * Holds: a transaction takes effect as a whole, in whatever order its commands are.
 */
export class RedisSettlements extends SettlementLog {
  readonly #keys: Keyspace;
  /** What was acknowledged while it was parked, and by whom. */
  #parked: readonly (readonly [ref: string, consumer: string])[] = [];
  #late: (() => void)[] | undefined;

  constructor(world: World, host: string, keys: Keyspace) {
    super(world, host);
    this.#keys = keys;
  }

  override settled(ref: string | undefined, consumer: string, why?: string): void {
    if (ref === undefined) return;
    if (this.#late !== undefined) this.#late.push(() => this.settled(ref, consumer, why));
    else if (why === undefined && this.#isParked(ref))
      this.#parked = [...this.#parked, [ref, consumer]];
    else super.settled(ref, consumer, why);
  }

  /** Executes a transaction. */
  atOnce<T>(execute: () => T): T {
    const late: (() => void)[] = [];
    this.#late = late;
    try {
      return execute();
    } finally {
      this.#late = undefined;
      for (const settle of late) settle();
      this.review();
    }
  }

  /** A command was executed: what is parked no more may be settled. */
  review(): void {
    if (this.#late !== undefined || this.#parked.length === 0) return;
    const over = this.#parked.filter(([ref]) => !this.#isParked(ref));
    this.#parked = this.#parked.filter((one) => !over.includes(one));
    for (const [ref, consumer] of over) super.settled(ref, consumer);
  }

  #isParked(ref: string): boolean {
    return this.#keys.scored().some((member) => refIn(member) === ref);
  }
}
