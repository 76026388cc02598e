import { placeOfRef } from "../lanes/lanes-from.ts";
import type { TraceEvent } from "../../trace/trace.ts";

/** A delivery that is neither settled nor over. */
export interface Lease {
  readonly ref: string;
  readonly consumer: string;
  readonly since: number;
  /** How often the record was delivered by then. */
  readonly deliveries: number;
}

/** One partition or queue of the broker. */
export interface PartitionState {
  readonly name: string;
  published: number;
  settled: number;
  deadLettered: number;
  expired: number;
  /** Records in the order of their publication that are not settled, expired or dead-lettered. */
  readonly owed: Set<string>;
  readonly leases: Map<string, Lease>;
}

/** What the broker's own events say about its partitions and queues. */
export class BrokerState {
  readonly partitions: Map<string, PartitionState> = new Map();
  readonly #deliveries = new Map<string, number>();

  apply(event: TraceEvent): void {
    switch (event.kind) {
      case "published": {
        const partition = this.#of(event.ref);
        partition.published += 1;
        partition.owed.add(event.ref);
        break;
      }
      case "delivered": {
        const deliveries = (this.#deliveries.get(event.ref) ?? 0) + 1;
        this.#deliveries.set(event.ref, deliveries);
        const { ref, consumer, at: since } = event;
        this.#of(ref).leases.set(ref, { ref, consumer, since, deliveries });
        break;
      }
      case "settled":
        if (this.#end(event.ref)) this.#of(event.ref).settled += 1;
        break;
      case "dead-lettered":
        if (this.#end(event.ref)) this.#of(event.ref).deadLettered += 1;
        break;
      case "expired":
        if (this.#end(event.ref)) this.#of(event.ref).expired += 1;
        break;
      case "lapsed":
        if (event.ref !== "") this.#of(event.ref).leases.delete(event.ref);
        else this.#lapseAll(event.consumer);
        break;
      default:
    }
  }

  /** The record is not owed any more; returns whether it was. */
  #end(ref: string): boolean {
    const partition = this.#of(ref);
    partition.leases.delete(ref);
    return partition.owed.delete(ref);
  }

  #lapseAll(consumer: string): void {
    for (const { leases } of this.partitions.values()) {
      for (const lease of leases.values())
        if (lease.consumer === consumer) leases.delete(lease.ref);
    }
  }

  #of(ref: string): PartitionState {
    const name = placeOfRef(ref);
    const known = this.partitions.get(name);
    if (known !== undefined) return known;
    const partition: PartitionState = {
      name,
      published: 0,
      settled: 0,
      deadLettered: 0,
      expired: 0,
      owed: new Set(),
      leases: new Map(),
    };
    this.partitions.set(name, partition);
    return partition;
  }
}
