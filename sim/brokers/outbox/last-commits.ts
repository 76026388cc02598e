import type { RowChange, Table } from "./table.ts";

interface Commit {
  readonly at: number;
  readonly table: Table;
  readonly change: RowChange;
}

/**
 * What was committed in the last `keptMs` virtual milliseconds, so that a fail-over to a replica
 * which does not have it yet can undo it.
 */
export class LastCommits {
  readonly #keptMs: number;
  #commits: Commit[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  note(at: number, table: Table, change: RowChange): void {
    this.#commits = this.#commits.filter((commit) => commit.at >= at - this.#keptMs);
    this.#commits.push({ at, table, change });
  }

  /** Undoes what was committed since then, the newest first, and returns it in that order. */
  undoSince(since: number): readonly RowChange[] {
    const lost = this.#commits.filter((commit) => commit.at >= since).toReversed();
    this.#commits = [];
    for (const { table, change } of lost) {
      const { row, before, after } = change;
      row.committed = before;
      if (before === undefined) table.remove(row);
      else if (after === undefined) table.add(row);
    }
    return lost.map(({ change }) => change);
  }
}
