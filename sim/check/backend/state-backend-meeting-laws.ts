import { MemoryStateBackend, type StateBackend, UnreadableValue } from "../../../src/store/mod.ts";
import {
  type Bench,
  equal,
  essence,
  example,
  inWords,
  LawBroken,
  same,
  type StateBackendLaw,
  TASK,
} from "./state-backend-subject.ts";

/** What is there before two calls meet; a sweep takes it. */
const OLD = { value: '"old"', expiresAt: 10 } as const;
const NEVER = { expiresAt: null } as const;
const SWEPT_AT = 11;
/** Enough for a list that is not in order to show it. */
const KEYS = ["a", "b", "c", "d", "e", "f", "g"];

/** A call that changes the entry under "k"; undefined where a backend leaves its method out. */
interface Call {
  readonly words: string;
  readonly make: (by: StateBackend) => Promise<unknown> | undefined;
}

const COMPARE: Call = {
  words: "compareAndSet()",
  make: (by) =>
    by
      .compareAndSet?.(TASK, "k", { expected: OLD.value, value: '"exchanged"' }, NEVER)
      .catch(asNotWritten),
};

const SWEEP: Call = {
  words: "sweepExpired()",
  make: (by) => by.sweepExpired({ now: SWEPT_AT }),
};
/** A sweep that passes over what another call holds, such as a locked row: the next one takes it. */
const LEFT_ALONE: Call = { words: "", make: () => Promise.resolve() };

const CALLS: readonly Call[] = [
  { words: "set()", make: (by) => by.set(TASK, "k", '"set"', { expiresAt: 20 }) },
  { words: "setMany()", make: (by) => by.setMany?.(TASK, [["k", '"one of many"']], NEVER) },
  { words: "update()", make: (by) => by.update?.(TASK, "k", '"updated"', {}) },
  COMPARE,
  { words: "delete()", make: (by) => by.delete(TASK, "k") },
  { words: "clear()", make: (by) => by.clear(TASK) },
  { words: "clearRun()", make: (by) => by.clearRun?.(TASK) },
  SWEEP,
];

/** What is left where two calls meet, and in which order. */
export const MEETING_LAWS: readonly StateBackendLaw[] = [
  example("two calls that meet leave what one after the other would", async (bench) => {
    for (const first of CALLS) {
      for (const second of CALLS) await meet(bench, first, second);
    }
  }),
  example("list() is ordered by key, whatever was written or expires first", async ({ one }) => {
    for (const [at, key] of KEYS.entries()) {
      const last = KEYS.length - at;
      await one.set(TASK, key, "1", {
        expiresAt: 1_000 + ((at * 3) % KEYS.length),
        updatedAt: last,
      });
    }
    await one.set(TASK, "d", "2", { expiresAt: null, updatedAt: 1_000 });
    const { entries } = await one.list(TASK, { limit: KEYS.length, offset: 0 });
    same(
      "the keys, written with falling times,",
      entries.map(({ key }) => key),
      KEYS,
    );
    const page = await one.list(TASK, { limit: 2, offset: 3 });
    same(
      "the keys of a page",
      page.entries.map(({ key }) => key),
      KEYS.slice(3, 5),
    );
  }),
];

/**
 * Lets two clients each make a call at once, while both read; then looks whether what the calls
 * returned, and the entry that every client finds, are those of one order or the other.
 */
async function meet({ one, other }: Bench, first: Call, second: Call): Promise<void> {
  await one.clear(TASK);
  await begin(one, first === COMPARE || second === COMPARE);
  const [mine, theirs] = [first.make(one), second.make(other)];
  const reads = [isUnreadable(one), isUnreadable(other)];
  const returned = await Promise.all([mine, theirs]);
  await Promise.all(reads);
  if (mine === undefined || theirs === undefined) return;
  const forwards = await inTurn(first, second);
  const backwards = await inTurn(second, first);
  const expected = [forwards, { ...backwards, returned: backwards.returned.toReversed() }];
  if (first === SWEEP) expected.push(await inTurn(LEFT_ALONE, second));
  if (second === SWEEP) expected.push(await inTurn(first, LEFT_ALONE));
  for (const reader of [one, other]) {
    if (await isUnreadable(reader)) continue;
    const found = {
      returned: returned.map(verdictOf),
      entry: essence(await reader.get(TASK, "k")),
    };
    if (expected.some((outcome) => equal(outcome, found))) continue;
    const calls = `${first.words} and ${second.words}`;
    const words = expected.map(inWords).join(" or ");
    // Which two calls show it may differ from one time to the next.
    throw new LawBroken(
      `what ${calls} return and leave when they meet is ${inWords(found)}, expected ${words}`,
      { what: "what two calls return and leave when they meet" },
    );
  }
}

/** Writes the entry that two calls meet at. A store may compare only what it has exchanged. */
async function begin(one: StateBackend, isCompared: boolean): Promise<void> {
  if (!isCompared || one.compareAndSet === undefined) return one.set(TASK, "k", OLD.value, OLD);
  await one.compareAndSet(TASK, "k", { expected: null, value: OLD.value }, OLD);
}

/** What the two calls return and leave one after the other, as the reference has it. */
async function inTurn(
  first: Call,
  second: Call,
): Promise<{ readonly returned: unknown[]; readonly entry: unknown }> {
  const reference = new MemoryStateBackend();
  await begin(reference, false);
  const returned = [await first.make(reference), await second.make(reference)];
  return { returned: returned.map(verdictOf), entry: essence(await reference.get(TASK, "k")) };
}

/** Whether a call wrote, where it says so; how much a sweep counts as its own is left to it. */
function verdictOf(returned: unknown): boolean | "done" {
  return typeof returned === "boolean" ? returned : "done";
}

/**
 * Whether the store says itself that it has lost the value. (1) A store keeps values outside of its
 * database and asks for one writer at a time, as task state has. (2) One client deletes an entry,
 * and with it the value outside. (3) The other has just put a new one there. Nobody is misled.
 */
async function isUnreadable(reader: StateBackend): Promise<boolean> {
  try {
    await reader.get(TASK, "k");
    return false;
  } catch (error) {
    if (error instanceof UnreadableValue) return true;
    throw error;
  }
}

/** A store may refuse to compare what `compareAndSet` has not written. */
function asNotWritten(error: unknown): boolean {
  if (error instanceof RangeError) return false;
  throw error;
}
