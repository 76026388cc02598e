import { appendFileSync, existsSync, readFileSync } from "node:fs";

/**
 * What happened, in the order of its happening: a producer `broadcast` an order, a watcher `received` an order, `persisted` what
 * came of it, `rejected` it, or `failed`; something was `killed`, or began anew (`opened`).
 */
export interface Note {
  readonly kind:
    | "broadcast"
    | "received"
    | "persisted"
    | "rejected"
    | "failed"
    | "killed"
    | "opened";
  /** The watcher, or what was killed. */
  readonly who: string;
  /** The order; undefined where it is not about one. */
  readonly ref?: string;
}

/** A file that several processes write and that outlives each of them. */
export class Journal {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Returns when the operating system has it: a killed process takes nothing back. */
  add(note: Note): void {
    appendFileSync(this.path, `${JSON.stringify(note)}\n`);
  }

  read(): readonly Note[] {
    if (!existsSync(this.path)) return [];
    const lines = readFileSync(this.path, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Note);
  }
}

/**
 * Returns the orders whose promise is broken. It is kept when somebody persisted the order or
 * rejected it, when each watcher that received it did so in the end, and when it is among the dead
 * letters if it was rejected.
 */
export function brokenPromises(
  published: readonly string[],
  notes: readonly Note[],
  deadLetters: ReadonlySet<string>,
): readonly string[] {
  const settled = new Map<string, Map<string, Note["kind"]>>();
  for (const { kind, who, ref } of notes) {
    if (ref === undefined || kind === "broadcast") continue;
    const watchers = settled.get(ref) ?? new Map<string, Note["kind"]>();
    settled.set(ref, watchers);
    const isSettled = (watchers.get(who) ?? "received") !== "received";
    // Once persisted it stays so, also when the order comes again.
    if (!isSettled || kind === "rejected") watchers.set(who, kind);
  }
  return published.filter((ref) => {
    const ends = [...(settled.get(ref)?.values() ?? [])];
    if (ends.length === 0 || ends.includes("received")) return true;
    return ends.includes("rejected") && !deadLetters.has(ref);
  });
}

/** What makes a broker hand out again what was not settled. */
const DISTURBING: ReadonlySet<Note["kind"]> = new Set(["failed", "killed", "opened"]);

/** Returns the orders that were handed out again with no disturbance in between. */
export function unexplainedCopies(notes: readonly Note[]): readonly string[] {
  const handedOutAt = new Map<string, number>();
  const copies = new Set<string>();
  let disturbedAt = -1;
  for (const [at, { kind, ref }] of notes.entries()) {
    if (DISTURBING.has(kind)) disturbedAt = at;
    if (kind !== "broadcast" || ref === undefined) continue;
    const before = handedOutAt.get(ref);
    if (before !== undefined && before > disturbedAt) copies.add(ref);
    handedOutAt.set(ref, at);
  }
  return [...copies];
}
