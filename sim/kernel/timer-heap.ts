/** The heap's order: by due time, then by sequence number. Sequence numbers must be unique. */
export interface Due {
  readonly dueAt: number;
  readonly sequence: number;
}

function isBefore(a: Due, b: Due): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence);
}

/**
 * A binary heap of entries with a due time.
 *
 * Holds: entries with equal due times come out in the order of their sequence numbers.
 */
export class TimerHeap<T extends Due> {
  readonly #entries: T[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): T | undefined {
    return this.#entries[0];
  }

  push(entry: T): void {
    const entries = this.#entries;
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = entries[parentAt] as T;
      if (!isBefore(entry, parent)) break;
      entries[at] = parent;
      at = parentAt;
    }
    entries[at] = entry;
  }

  pop(): T | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined || entries.length === 0) return first;
    this.#sink(last);
    return first;
  }

  /** Restores the order after due times or sequence numbers of entries have changed. */
  reorder(): void {
    this.#entries.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  #sink(entry: T): void {
    const entries = this.#entries;
    const size = entries.length;
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      if (childAt >= size) break;
      const right = childAt + 1;
      if (right < size && isBefore(entries[right] as T, entries[childAt] as T)) childAt = right;
      const child = entries[childAt] as T;
      if (!isBefore(child, entry)) break;
      entries[at] = child;
      at = childAt;
    }
    entries[at] = entry;
  }
}
