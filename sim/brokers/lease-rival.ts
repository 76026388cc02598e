import type { World } from "../world.ts";
import type { LeasedDelivery, LeasedQueue } from "./leased-queue.ts";

const RECORDS_MAX = 3;
const HOLD_MS = 4_000;
/** The rival gives back before its leases end, so that none of them lapses. */
const LEASE_MS = 2 * HOLD_MS;

/** Another consumer of the same queue: it takes what is there, and gives it back untouched. */
export class LeaseRival {
  readonly #world: World;
  readonly #host: string;
  readonly #queue: LeasedQueue;
  #held: LeasedDelivery[] = [];

  constructor(world: World, host: string, queue: LeasedQueue) {
    this.#world = world;
    this.#host = host;
    this.#queue = queue;
  }

  take(): void {
    this.#held.push(...this.#queue.take("rival", RECORDS_MAX, LEASE_MS));
    const options = { lane: `${this.#host} rival`, hop: false };
    this.#world.schedule(HOLD_MS, options, () => this.leave());
  }

  leave(): void {
    for (const { handle } of this.#held.splice(0)) this.#queue.extend(handle, 0);
  }
}
