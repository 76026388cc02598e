import type { Step } from "../kernel/step.ts";
import type { Publication } from "./broker.ts";

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

/** What a client has sent is no record of the workload, and is not traced as one. */
export function tracedRef({ ref }: LeasedRecord): string | undefined {
  return ref === "" ? undefined : ref;
}
