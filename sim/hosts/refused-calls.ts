import type { SiteName } from "../faults/site.ts";

/** What comes so soon after a refusal was not waited for. */
const AT_ONCE_MS = 10;
/** A batch that is settled one by one while the callee is down asks as often as it is long. */
const TIMES_MAX = 200;

interface Refusals {
  readonly last: number;
  /** How many calls have followed a refusal at once. */
  readonly times: number;
  /** Whether one has followed the last refusal: of several at a time one counts. */
  readonly isFollowed: boolean;
}

/** Watches how soon the code on a host calls again where it was refused, site by site. */
export class RefusedCalls {
  readonly #sites = new Map<SiteName, Refusals>();

  refused(site: SiteName, now: number): void {
    const times = this.#sites.get(site)?.times ?? 0;
    this.#sites.set(site, { last: now, times, isFollowed: false });
  }

  /** Counts a call; returns how often in a row, where that is too often for the first time. */
  called(site: SiteName, now: number): number | undefined {
    const refusals = this.#sites.get(site);
    if (refusals === undefined || refusals.isFollowed) return undefined;
    if (now - refusals.last >= AT_ONCE_MS) {
      this.#sites.delete(site);
      return undefined;
    }
    const times = refusals.times + 1;
    this.#sites.set(site, { ...refusals, times, isFollowed: true });
    return times === TIMES_MAX ? times : undefined;
  }
}
