import type { Group } from "./group.ts";
import { isSameKey, type StreamKey } from "./key.ts";
import type { Subscription } from "./subscription.ts";

/** Who subscribed under a trigger id and has not unsubscribed, and the group in which he did. */
export interface Seat {
  readonly triggerId: number;
  readonly group: Group<unknown>;
  readonly subscription: Subscription<unknown>;
  /** What the same trigger id took before, and has not left. */
  older: Seat | undefined;
}

/** Of so many trigger ids in a row each has a place of its own among those at hand. */
const AT_HAND = 256;

/**
 * The seats of a manager by trigger id, newest first: one as a rule, more when an id shares several
 * streams, or when a group died and its trigger came back before the old one had left (spec E-08).
 *
 * Why some are at hand: a seat is sought for each trigger event, and to look into a map for it
 * costs as much as all the books of the event.
 */
export class Seats {
  readonly #newest = new Map<number, Seat>();
  /** Newest seats, at the remainder of their trigger id. */
  readonly #atHand: (Seat | undefined)[] = Array<undefined>(AT_HAND).fill(undefined);

  add(triggerId: number, group: Group<unknown>, subscription: Subscription<unknown>): void {
    const older = this.#newest.get(triggerId);
    this.#setNewest(triggerId, { triggerId, group, subscription, older });
  }

  /** Whether the trigger id has a seat in the group. */
  isIn(triggerId: number, group: Group<unknown>): boolean {
    for (let seat = this.#newest.get(triggerId); seat !== undefined; seat = seat.older) {
      if (seat.group === group) return true;
    }
    return false;
  }

  /** The newest seat that the trigger id took under the key. */
  find(triggerId: number, key: StreamKey): Seat | undefined {
    const near = this.#atHand[triggerId & (AT_HAND - 1)];
    let seat = near?.triggerId === triggerId ? near : this.#fetch(triggerId);
    while (seat !== undefined && !isSameKey(seat.group.key, key)) seat = seat.older;
    return seat;
  }

  /** Takes away the oldest seat that the trigger id took under the key. */
  takeOldest(triggerId: number, key: StreamKey): Seat | undefined {
    let found: Seat | undefined;
    let newer: Seat | undefined;
    let before: Seat | undefined;
    for (let seat = this.#newest.get(triggerId); seat !== undefined; seat = seat.older) {
      if (isSameKey(seat.group.key, key)) [found, newer] = [seat, before];
      before = seat;
    }
    if (found === undefined) return undefined;
    if (newer === undefined) this.#setNewest(triggerId, found.older);
    else newer.older = found.older;
    return found;
  }

  #setNewest(triggerId: number, seat: Seat | undefined): void {
    if (seat === undefined) this.#newest.delete(triggerId);
    else this.#newest.set(triggerId, seat);
    this.#atHand[triggerId & (AT_HAND - 1)] = seat;
  }

  /** Looks into the map, and puts what it finds at hand. */
  #fetch(triggerId: number): Seat | undefined {
    const seat = this.#newest.get(triggerId);
    if (seat !== undefined) this.#atHand[triggerId & (AT_HAND - 1)] = seat;
    return seat;
  }
}
