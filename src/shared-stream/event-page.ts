import type { LaneKey } from "./key.ts";

/**
 * Events of a page. A page is what is allocated and let go of at once: small enough for a group
 * with a handful of events, large enough that its cost vanishes among them.
 */
export const PAGE_SIZE = 256;
/** The last so many binary digits of an event's number are its place in its page. */
export const PAGE_BITS = 8;
export const PAGE_MASK: number = PAGE_SIZE - 1;

/** Told when one of the things is settled that an event of a page waits for. */
export interface Gate {
  settle(page: EventPage, at: number): void;
}

/** The events of one lane that are not advanced yet: a chain through the pages. */
export interface LaneQueue {
  readonly key: LaneKey;
  /** Both are undefined while there is none. */
  headPage: EventPage | undefined;
  headAt: number;
  tailPage: EventPage | undefined;
  tailAt: number;
}

/**
 * A run of consecutive events of a group, column by column: what an event costs is a few numbers
 * and three references.
 */
export class EventPage {
  readonly firstId: number;
  /** Who is told what becomes of the numbers that are bound to its events. */
  readonly gate: Gate;
  readonly raws: unknown[] = [];
  readonly brokerPayloads: unknown[] = [];
  readonly lanes: (LaneQueue | undefined)[] = [];
  readonly createdAt: Float64Array = new Float64Array(PAGE_SIZE);
  /** How many were there at the broadcast. */
  readonly members: Int32Array = new Int32Array(PAGE_SIZE);
  /** What is missing: windows not closed, and bound sequence numbers not confirmed. */
  readonly pending: Int32Array = new Int32Array(PAGE_SIZE);
  /** How far on the next event of the lane is; 0 where there is none. */
  readonly nextInLane: Float64Array = new Float64Array(PAGE_SIZE);
  /** Who resolved it otherwise than by an ack; there once somebody did. */
  failed: Int32Array | undefined;
  rejected: Int32Array | undefined;
  /** The events that follow, once there are any. */
  next: EventPage | undefined;
  /** What its first event is called in the index of sequence numbers; the others follow. */
  firstWaiter = 0;
  size = 0;
  /** How many events somebody has not resolved. */
  unresolved = 0;
  /** All events before this one are resolved. */
  firstUnresolved = 0;
  advanced = 0;

  constructor(firstId: number, gate: Gate) {
    this.firstId = firstId;
    this.gate = gate;
  }

  countFailed(at: number): void {
    this.failed ??= new Int32Array(PAGE_SIZE);
    this.failed[at] = (this.failed[at] as number) + 1;
  }

  countRejected(at: number): void {
    this.rejected ??= new Int32Array(PAGE_SIZE);
    this.rejected[at] = (this.rejected[at] as number) + 1;
  }
}
