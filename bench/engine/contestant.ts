import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import type { Clock } from "../../src/time/mod.ts";
import { ReferenceSharedStreamManager } from "../../sim/reference/mod.ts";
import { FloorStreams } from "./floor-streams.ts";

/** The part of a shared-stream manager that the bench drives: all of its public face. */
export type Streams = Pick<
  SharedStreamManager,
  "subscribe" | "bindPendingEvent" | "confirmPersisted" | "unsubscribe" | "stopAll"
>;

/** What can be put to the same work as the kit. */
export interface Contestant {
  readonly name: string;
  /** Whether it keeps books, so that every event must come out of `advance`. */
  readonly settles: boolean;
  create(clock: Clock): Streams;
}

/** No subscriber is ever behind by more than what is outstanding, so no queue needs a bound. */
const OPTIONS = { maxSubscriberQueue: 0, ackTimeout: { seconds: 300 } } as const;

/** Past this much time everything outstanding is overdue. */
export const OVERDUE_MS = 301_000;

export const FAULTLANE: Contestant = Object.freeze({
  name: "faultlane",
  settles: true,
  create: (clock: Clock): Streams => new SharedStreamManager({ clock, ...OPTIONS }),
});

/** Airflow's own algorithm, written plainly. */
export const TEXTBOOK: Contestant = Object.freeze({
  name: "textbook",
  settles: true,
  create: (clock: Clock): Streams => new ReferenceSharedStreamManager({ clock, ...OPTIONS }),
});

/** The same source, filters and promises with no bookkeeping between them. */
export const FLOOR: Contestant = Object.freeze({
  name: "floor",
  settles: false,
  create: (): Streams => new FloorStreams(),
});
