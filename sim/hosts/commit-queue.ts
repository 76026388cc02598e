/**
 * The order in which a database makes its commits durable.
 *
 * Commits are written to one log, one after the other; so one that is slow holds up those behind
 * it, and reads, which see what is committed, go on meanwhile.
 */
export class CommitQueue {
  readonly #busyUntil = new Map<string, number>();

  /**
   * Returns when a commit that reaches `database` at `now` and itself takes `ms` is durable;
   * undefined when it is at once.
   */
  enter(database: string, now: number, ms: number): number | undefined {
    const busyUntil = this.#busyUntil.get(database) ?? -1;
    if (ms === 0 && busyUntil < now) return undefined;
    const until = Math.max(busyUntil, now) + ms;
    this.#busyUntil.set(database, until);
    return until;
  }
}
