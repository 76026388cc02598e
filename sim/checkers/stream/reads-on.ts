import type { Checker } from "../checker.ts";

/** How long a record may wait for its broadcast beside a poll that broadcasts, in milliseconds. */
const WAITS_MS_MAX = 20_000;
/** A poll that broadcasts nothing for so long, with nothing outstanding, waits for its source. */
const IDLE_MS_MAX = 2_000;

/** What a poll has broadcast since the faults ended, or something befell it. */
interface Reading {
  readonly since: number;
  readonly emitted: Set<string>;
  readonly outstanding: Set<number>;
  /** How many events were outstanding at once, at most. */
  most: number;
  /** When the last event that was outstanding was advanced. */
  doneAt: number;
}

/**
 * reads-on: a poll pulls the next event while earlier ones are outstanding.
 *
 * A poll that waits for each event to be advanced loses nothing, and is as slow as the database. It
 * shows in the phase without faults: never are two of its events outstanding at once, while records
 * of the same partition wait for long. Whatever befalls hosts and polls begins the judgement anew.
 *
 * Not owed where a producer itself limits how many of its events are outstanding.
 */
export function pollsReadOn(): Checker {
  const owed = new Map<string, number>();
  const readings = new Map<number, Reading>();
  const readingOf = new Map<number, Reading>();
  let isCalm = false;
  let isReported = false;
  const beginAnew = (): void => {
    readings.clear();
    readingOf.clear();
  };
  return {
    id: "reads-on",
    promise: "a poll pulls the next event while earlier ones are outstanding",
    on: {
      phase({ phase }) {
        beginAnew();
        isCalm = phase === "liveness";
      },
      host: beginAnew,
      open: beginAnew,
      "poll-ended": beginAnew,
      "group-failed": beginAnew,
      aclose: beginAnew,
      "stop-all": beginAnew,
      published: ({ ref, at }) => void owed.set(ref, at),
      settled: ({ ref }) => void owed.delete(ref),
      emit({ poll, ref, copy, at }, _facts, report) {
        if (!isCalm) return;
        const known = readings.get(poll);
        const reading = known === undefined || isIdle(known, at) ? newReading(at) : known;
        readings.set(poll, reading);
        readingOf.set(copy, reading);
        reading.emitted.add(ref);
        reading.most = Math.max(reading.most, reading.outstanding.add(copy).size);
        if (isReported || reading.most > 1 || at - reading.since < WAITS_MS_MAX) return;
        const waiting = waitingBeside(ref, reading, owed);
        if (waiting === 0) return;
        isReported = true;
        const seconds = Math.floor((at - reading.since) / 1_000);
        report(
          "read-one-by-one",
          `${waiting} records beside ${ref} wait for ${seconds} s, in which no two events were outstanding at once`,
          ref,
        );
      },
      advance({ items, at }) {
        for (const [copy] of items) {
          const reading = readingOf.get(copy);
          if (reading === undefined) continue;
          reading.outstanding.delete(copy);
          reading.doneAt = at;
        }
      },
    },
  };
}

function newReading(since: number): Reading {
  return { since, emitted: new Set(), outstanding: new Set(), most: 0, doneAt: since };
}

function isIdle({ outstanding, doneAt }: Reading, at: number): boolean {
  return outstanding.size === 0 && at - doneAt > IDLE_MS_MAX;
}

/** Counts the records of a record's partition that were there all the while and not broadcast. */
function waitingBeside(
  ref: string,
  { since, emitted }: Reading,
  owed: ReadonlyMap<string, number>,
): number {
  const partition = ref.slice(0, ref.lastIndexOf("@") + 1);
  return [...owed].filter(
    ([other, publishedAt]) =>
      other.startsWith(partition) && publishedAt <= since && !emitted.has(other),
  ).length;
}
