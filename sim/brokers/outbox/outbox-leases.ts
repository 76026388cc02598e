import type { Step } from "../../kernel/step.ts";
import type { World } from "../../kernel/world.ts";
import type { SettleAct } from "../../trace/trace.ts";
import { refIn } from "../ref-in.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { plainJson } from "./sql-values.ts";
import type { Row, RowChange, Values } from "./table.ts";

interface Lease {
  readonly consumer: string;
  until: number;
  expiry: Step;
}

/** What is known of a row of the workload beside its columns. */
interface Tracked {
  readonly ref: string;
  deliveries: number;
  lease: Lease | undefined;
  /** Who got the payload since the row changed last, and has no lease yet. */
  handedTo: string | undefined;
}

/**
 * Tells from the changes of the outbox what a broker would say of its deliveries.
 *
 * Holds: a row is delivered when a statement returns its payload to somebody who does not hold its
 * lease already; it is leased while `leased_by` has a value and `visible_at` is ahead; it is settled
 * when a transaction that deletes it is committed.
 */
export class OutboxLeases {
  readonly #world: World;
  readonly #host: string;
  readonly #settlements: SettlementLog;
  readonly #tracked = new WeakMap<Row, Tracked>();

  constructor(world: World, host: string, settlements: SettlementLog) {
    this.#world = world;
    this.#host = host;
    this.#settlements = settlements;
  }

  handedOut(row: Row, values: Pick<Values, "get">, consumer: string): void {
    const tracked = this.#trackedFor(row, values);
    if (tracked === undefined) return;
    if (tracked.lease?.consumer === consumer || tracked.handedTo === consumer) return;
    tracked.handedTo = consumer;
    tracked.deliveries += 1;
    this.#settlements.delivered(tracked.ref, consumer);
  }

  /** A transaction that has read the row without changing it is over. */
  letGo(row: Row, consumer: string): void {
    const tracked = this.#tracked.get(row);
    if (tracked?.handedTo === consumer) tracked.handedTo = undefined;
  }

  changed({ row, before, after, consumer }: RowChange): void {
    const tracked = this.#trackedFor(row, after ?? before ?? new Map());
    if (tracked === undefined || before === undefined) return;
    if (after === undefined) {
      this.#attempted(tracked, consumer, "ack");
      this.#endLease(tracked);
      this.#settlements.settled(tracked.ref, consumer);
      return;
    }
    const until = Number(after.get("visible_at")?.value) - this.#world.epochMs;
    const isLeased = this.#isLeased(after, until);
    const { lease, handedTo } = tracked;
    const isOwn = lease?.consumer === consumer;
    tracked.handedTo = undefined;
    if (isOwn && handedTo === undefined) {
      this.#attempted(tracked, consumer, isLeased ? "extend" : "nack");
    }
    this.#endLease(tracked);
    if (isLeased) tracked.lease = this.#leaseUntil(until, tracked, consumer);
  }

  /** A fail-over has lost the change: the row is what it was before. */
  undone({ row, before, after }: RowChange): void {
    const tracked = this.#tracked.get(row);
    if (tracked === undefined) return;
    const { lease } = tracked;
    this.#endLease(tracked);
    tracked.handedTo = undefined;
    if (after === undefined) this.#settlements.unsettled(tracked.ref);
    const until = Number(before?.get("visible_at")?.value) - this.#world.epochMs;
    if (lease === undefined || !this.#isLeased(before, until)) return;
    tracked.lease = this.#leaseUntil(until, tracked, lease.consumer);
  }

  #isLeased(values: Values | undefined, until: number): boolean {
    const holder = values?.get("leased_by")?.value;
    return holder !== null && holder !== undefined && until > this.#world.now;
  }

  #trackedFor(row: Row, values: Pick<Values, "get">): Tracked | undefined {
    const known = this.#tracked.get(row);
    if (known !== undefined) {
      const { lease } = known;
      // A row is claimed again at the very instant at which its lease ends.
      if (lease !== undefined && lease.until <= this.#world.now) this.#lapse(known, lease.consumer);
      return known;
    }
    const ref = refIn(JSON.stringify(plainJson(values.get("payload")?.value ?? null)));
    if (ref === undefined) return undefined;
    const tracked = { ref, deliveries: 0, lease: undefined, handedTo: undefined };
    this.#tracked.set(row, tracked);
    return tracked;
  }

  #attempted({ ref, deliveries }: Tracked, consumer: string, act: SettleAct): void {
    const handle = `${ref}.${deliveries}`;
    this.#settlements.attempted({ ref, consumer, handle, act, refused: "" });
  }

  #leaseUntil(until: number, tracked: Tracked, consumer: string): Lease {
    const options = { lane: `${this.#host} leases`, hop: false };
    // Whatever ends the lease cancels it.
    const expiry = this.#world.schedule(until - this.#world.now, options, () =>
      this.#lapse(tracked, consumer),
    );
    return { consumer, until, expiry };
  }

  #lapse(tracked: Tracked, consumer: string): void {
    this.#endLease(tracked);
    this.#settlements.lapsed(tracked.ref, consumer);
  }

  #endLease(tracked: Tracked): void {
    if (tracked.lease !== undefined) tracked.lease.expiry.cancelled = true;
    tracked.lease = undefined;
  }
}
