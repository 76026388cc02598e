import type { Step } from "../../kernel/step.ts";
import type { World } from "../../kernel/world.ts";
import type { SettleAct } from "../../trace/trace.ts";
import { refIn } from "../ref-in.ts";
import type { SettlementLog } from "../settlement-log.ts";
import { plainJson } from "./sql-values.ts";
import type { Row, RowChange, Values } from "./table.ts";

/** One taking of the row, however long it has held. */
interface Claim {
  /** Its number among all claims of the row, from 1. */
  readonly nth: number;
  readonly consumer: string;
  /** What it has written into `leased_by`; undefined for who has only read the row. */
  holder: unknown;
  /** Whether the payload has been read: a worker may do that in a later statement. */
  isRead: boolean;
}

interface Lease {
  readonly claim: Claim;
  readonly until: number;
  readonly expiry: Step;
}

/** What is known of a row of the workload beside its columns. */
interface Tracked {
  readonly ref: string;
  claims: number;
  /** The last one of each consumer. */
  readonly claimOf: Map<string, Claim>;
  lease: Lease | undefined;
  /** Who got the payload since the row changed last, and has no lease yet. */
  handedTo: string | undefined;
}

/**
 * Tells from the changes of the outbox what a broker would say of its deliveries.
 *
 * Holds: a row is delivered when a statement returns its payload to somebody who does not hold its
 * lease already, or has not read it since it took that; it is leased while `leased_by` has a value
 * and `visible_at` is ahead; it is settled when a transaction that deletes it is committed. Whoever
 * settles it does so by the last claim of his own, whoever holds the row by then.
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
    const held = tracked.lease?.claim;
    if (held?.consumer === consumer) {
      if (held.isRead) return;
      held.isRead = true;
    } else {
      if (tracked.handedTo === consumer) return;
      tracked.handedTo = consumer;
      claimed(tracked, consumer, true);
    }
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
    tracked.handedTo = undefined;
    const isOvertaken = holderOver(tracked, consumer) !== undefined;
    if (handedTo === undefined && (lease?.claim.consumer === consumer || isOvertaken)) {
      this.#attempted(tracked, consumer, isLeased ? "extend" : "nack");
    }
    this.#endLease(tracked);
    if (!isLeased) return;
    const holder = holderIn(after);
    const isRenewed = lease?.claim.consumer === consumer || lease?.claim.holder === holder;
    const isRead = handedTo === consumer;
    const known = isRead ? tracked.claimOf.get(consumer) : isRenewed ? lease?.claim : undefined;
    const claim = known ?? claimed(tracked, consumer, false);
    claim.holder = holder;
    tracked.lease = this.#leaseUntil(until, tracked, claim);
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
    tracked.lease = this.#leaseUntil(until, tracked, lease.claim);
  }

  #isLeased(values: Values | undefined, until: number): boolean {
    const holder = holderIn(values);
    return holder !== null && holder !== undefined && until > this.#world.now;
  }

  #trackedFor(row: Row, values: Pick<Values, "get">): Tracked | undefined {
    const known = this.#tracked.get(row);
    if (known !== undefined) {
      const { lease } = known;
      // A row is claimed again at the very instant at which its lease ends.
      if (lease !== undefined && lease.until <= this.#world.now)
        this.#lapse(known, lease.claim.consumer);
      return known;
    }
    const ref = refIn(JSON.stringify(plainJson(values.get("payload")?.value ?? null)));
    if (ref === undefined) return undefined;
    const tracked: Tracked = {
      ref,
      claims: 0,
      claimOf: new Map(),
      lease: undefined,
      handedTo: undefined,
    };
    this.#tracked.set(row, tracked);
    return tracked;
  }

  #attempted(tracked: Tracked, consumer: string, act: SettleAct): void {
    const { ref, claims, claimOf } = tracked;
    const handle = `${ref}.${claimOf.get(consumer)?.nth ?? claims}`;
    const heldBy = holderOver(tracked, consumer);
    this.#settlements.attempted({ ref, consumer, handle, act, refused: "", heldBy });
  }

  #leaseUntil(until: number, tracked: Tracked, claim: Claim): Lease {
    const options = { lane: `${this.#host} leases`, hop: false };
    // Whatever ends the lease cancels it.
    const expiry = this.#world.schedule(until - this.#world.now, options, () =>
      this.#lapse(tracked, claim.consumer),
    );
    return { claim, until, expiry };
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

function claimed(tracked: Tracked, consumer: string, isRead: boolean): Claim {
  tracked.claims += 1;
  const claim = { nth: tracked.claims, consumer, holder: undefined, isRead };
  tracked.claimOf.set(consumer, claim);
  return claim;
}

function holderIn(values: Values | undefined): unknown {
  return values?.get("leased_by")?.value;
}

/** Who has leased the row, under another name, since `consumer` took it last. */
function holderOver({ lease, claimOf }: Tracked, consumer: string): string | undefined {
  const own = claimOf.get(consumer);
  if (lease === undefined || own === undefined || own.nth >= lease.claim.nth) return undefined;
  return own.holder === lease.claim.holder ? undefined : lease.claim.consumer;
}
