import type { Step } from "../kernel/step.ts";
import type { Publication } from "./broker.ts";
import type { LeaseOrder } from "./lease.ts";

/** Who has a record, and until when. */
export interface Lease {
  readonly consumer: string;
  readonly since: number;
  until: number;
  expiry: Step | undefined;
  /** Whether its consumer was given another's handle. */
  isMisnamed?: boolean;
}

/** A record of a queue, and what has become of it. */
export interface LeasedRecord extends Publication {
  /** What a client has sent; undefined for a record of the workload, which alone has a ref. */
  readonly content: unknown;
  /** The record of the workload that it is a copy of. */
  readonly copyOf: string | undefined;
  /** Nobody gets it yet, as its sender wanted. */
  isDelayed: boolean;
  readonly sequence: number;
  readonly publishedAt: number;
  deliveries: number;
  failures: number;
  handle: string;
  lease: Lease | undefined;
  /** The consumer that acknowledged it; with order "key" not final until all earlier ones are. */
  acknowledgedBy: string | undefined;
  isDeferred: boolean;
  isGone: boolean;
}

/** What a client has sent is traced as the record of the workload that it is a copy of, if any. */
export function tracedRef({ ref, copyOf }: LeasedRecord): string | undefined {
  return ref === "" ? copyOf : ref;
}

/** Whether a record that is not ready blocks the later ones of its key. */
export function isBarrier(record: LeasedRecord, consumer: string, order: LeaseOrder): boolean {
  // What is kept back after a failure is before what came later, which a late sender's is not.
  if (record.isDeferred || (record.isDelayed && record.failures === 0)) return false;
  switch (order) {
    case "none":
    case "session":
      return false;
    case "group":
      return true;
    case "key":
      return record.acknowledgedBy === undefined && record.lease?.consumer !== consumer;
    default:
      return order satisfies never;
  }
}
