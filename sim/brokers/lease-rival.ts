import type { World } from "../kernel/world.ts";
import type { Disturbance } from "./broker.ts";
import type { LeasedDelivery } from "./lease.ts";
import type { LeasedQueue } from "./leased-queue.ts";

const RIVAL = "rival";
const RECORDS_MAX = 3;
const HOLD_MS = 4_000;
/** Longer than the rival holds a record, so that none of its leases lapses. */
const LEASE_MS = 2 * HOLD_MS;

/**
 * A competing consumer of the same queue: it leases up to three records. After four virtual seconds
 * it gives them back; where it has more than one, it settles the first.
 *
 * @example
 * ```ts
 * import { LeasedQueue, LeaseRival } from "faultlane/brokers";
 * import { SeededChoices, World } from "faultlane/sim";
 *
 * const world = new World(new SeededChoices(1), { keepTrace: true });
 * const queue = new LeasedQueue(world, "broker", { order: "none", deliveriesMax: undefined });
 * queue.publish({ ref: "ref-000001", key: "key-1" });
 * new LeaseRival(world, "broker", queue).disturbance("a rival").strike();
 * console.log(queue.take("me", 10, 5_000).length); // => 0
 * await world.run(4_000);
 * console.log(queue.take("me", 10, 5_000).length); // => 1
 * ```
 */
export class LeaseRival {
  readonly #world: World;
  readonly #host: string;
  readonly #queue: LeasedQueue;
  #held: LeasedDelivery[] = [];

  /** Creates the rival of a queue; it takes nothing before its disturbance strikes. */
  constructor(world: World, host: string, queue: LeasedQueue) {
    this.#world = world;
    this.#host = host;
    this.#queue = queue;
  }

  /** Returns the disturbance in which the rival leases records. */
  disturbance(name: string): Disturbance {
    return { name, strike: () => this.#take(), end: () => this.#giveBack() };
  }

  #take(): void {
    this.#held.push(...this.#queue.take(RIVAL, RECORDS_MAX, LEASE_MS));
    const options = { lane: `${this.#host} rival`, hop: false };
    this.#world.schedule(HOLD_MS, options, () => {
      if (this.#held.length > 1) this.#settleFirst();
      this.#giveBack();
    });
  }

  /** Nobody can settle by a lease that was taken from him. */
  #settleFirst(): void {
    const [first] = this.#held;
    if (first === undefined || this.#queue.stateOf(first.handle) !== "held") return;
    this.#queue.settle(RIVAL, first.handle);
  }

  #giveBack(): void {
    for (const { handle } of this.#held.splice(0)) this.#queue.extend(handle, 0);
  }
}
