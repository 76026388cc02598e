import type { Group } from "./group.ts";
import { isSameKey, type StreamKey } from "./key.ts";
import type { Subscription } from "./subscription.ts";

/** A subscription that has not been unsubscribed, and its group. */
export interface Registration {
  readonly triggerId: number;
  readonly group: Group<unknown>;
  readonly subscription: Subscription<unknown>;
  /** The registration that the same trigger id made before this one, if it is still there. */
  older: Registration | undefined;
}

/** Slots of a direct-mapped cache, indexed by `triggerId % 256`. */
const CACHE_SLOTS = 256;

/**
 * The subscriptions of a manager by trigger id, newest first. An id mostly has one; it has more
 * when it shares several streams, or when a group died and the trigger subscribed again before the
 * old subscription was unsubscribed (E-08).
 *
 * Why there is a cache: a lookup is made for each trigger event, and one in a Map costs as much as
 * all the rest of the bookkeeping of that event.
 */
export class SubscriptionRegistry {
  readonly #newest = new Map<number, Registration>();
  /** Newest registrations. */
  readonly #cache: (Registration | undefined)[] = Array<undefined>(CACHE_SLOTS).fill(undefined);

  add(triggerId: number, group: Group<unknown>, subscription: Subscription<unknown>): void {
    const older = this.#newest.get(triggerId);
    this.#setNewest(triggerId, { triggerId, group, subscription, older });
  }

  /** Whether the trigger id has a subscription in the group. */
  isIn(triggerId: number, group: Group<unknown>): boolean {
    let registration = this.#newest.get(triggerId);
    for (; registration !== undefined; registration = registration.older) {
      if (registration.group === group) return true;
    }
    return false;
  }

  /** Returns the newest registration of the trigger id under the key. */
  find(triggerId: number, key: StreamKey): Registration | undefined {
    const cached = this.#cache[triggerId & (CACHE_SLOTS - 1)];
    let registration = cached?.triggerId === triggerId ? cached : this.#load(triggerId);
    while (registration !== undefined && !isSameKey(registration.group.key, key)) {
      registration = registration.older;
    }
    return registration;
  }

  /** Removes and returns the oldest registration of the trigger id under the key. */
  takeOldest(triggerId: number, key: StreamKey): Registration | undefined {
    let found: Registration | undefined;
    let newerThanFound: Registration | undefined;
    let previous: Registration | undefined;
    let registration = this.#newest.get(triggerId);
    for (; registration !== undefined; registration = registration.older) {
      if (isSameKey(registration.group.key, key)) {
        [found, newerThanFound] = [registration, previous];
      }
      previous = registration;
    }
    if (found === undefined) return undefined;
    if (newerThanFound === undefined) this.#setNewest(triggerId, found.older);
    else newerThanFound.older = found.older;
    return found;
  }

  #setNewest(triggerId: number, registration: Registration | undefined): void {
    if (registration === undefined) this.#newest.delete(triggerId);
    else this.#newest.set(triggerId, registration);
    this.#cache[triggerId & (CACHE_SLOTS - 1)] = registration;
  }

  /** Looks up the newest registration in the map and caches it. */
  #load(triggerId: number): Registration | undefined {
    const registration = this.#newest.get(triggerId);
    if (registration !== undefined) this.#cache[triggerId & (CACHE_SLOTS - 1)] = registration;
    return registration;
  }
}
