import { invariant } from "../../src/invariant.ts";
import type { AdvanceOutcome, SharedStream } from "../../src/shared-stream/mod.ts";
import type { Clock } from "../../src/time/mod.ts";
import { drain } from "../../sim/realm/drain.ts";
import { type Contestant, OVERDUE_MS, type Streams } from "./contestant.ts";
import { ManualClock } from "./manual-clock.ts";
import { RecordingProducer } from "./recording-producer.ts";
import { ackedByAll, leaveAll } from "./stream-run.ts";
import type { Work } from "./work.ts";

const KEY = "bench";

/** How far the subscribers have come with what is outstanding. */
type Progress =
  /** Pulled, bound and passed; only the confirmations are missing. */
  | "bound"
  /** Everyone sits on the first event and has the others in its queue. */
  | "queued";

/** A manager with everything of a work outstanding. */
interface Standing {
  readonly streams: Streams;
  readonly producer: RecordingProducer;
  readonly drivers: readonly Promise<void>[];
  /** The numbers bound so far; the first `count` of them. */
  readonly seqs: Int32Array;
  readonly count: number;
}

/**
 * One scan after all that 100 subscribers have outstanding became overdue: the longest stretch in
 * which it keeps the event loop, in milliseconds.
 */
export async function runOverdue(
  clock: Clock,
  contestant: Contestant,
  work: Work,
): Promise<number> {
  const manual = new ManualClock(clock);
  const failed = failedByAll(work.subscribers);
  const { streams, producer, drivers } = await stand(manual, contestant, work, "bound", failed);
  const longestMs = manual.jump(OVERDUE_MS);
  await drain();
  await leaveAll(streams, work.subscribers);
  await Promise.all(drivers);
  producer.verify(contestant.name);
  return longestMs;
}

/** All subscribers leave at once: milliseconds from the first unsubscribe to the last advance. */
export async function runDeparture(
  clock: Clock,
  contestant: Contestant,
  work: Work,
): Promise<number> {
  const acked = ackedByAll(work.subscribers);
  const failed = failedByAll(work.subscribers);
  const { streams, producer } = await stand(
    new ManualClock(clock),
    contestant,
    work,
    "queued",
    (outcome, id) => (id === 0 ? acked(outcome) : failed(outcome)),
  );
  const startedAt = clock.now();
  await leaveAll(streams, work.subscribers);
  const spentMs = clock.now() - startedAt;
  producer.verify(contestant.name);
  return spentMs;
}

/**
 * Bytes that one outstanding (event, subscriber) pair holds, its payload (a small number) and the
 * bench's own list of sequence numbers not counted. `weigh` returns the live bytes of the process.
 */
export async function weighOutstanding(
  clock: Clock,
  contestant: Contestant,
  work: Work,
  progress: Progress,
  weigh: () => number,
): Promise<number> {
  const acked = ackedByAll(work.subscribers);
  const failed = failedByAll(work.subscribers);
  let before = 0;
  const subscribed = (): void => {
    before = weigh();
  };
  const manual = new ManualClock(clock);
  const isExpected = (outcome: AdvanceOutcome, id: number): boolean =>
    progress === "bound" || id === 0 ? acked(outcome) : failed(outcome);
  const standing = await stand(manual, contestant, work, progress, isExpected, subscribed);
  const bytes = weigh() - before;
  const { streams, producer, drivers, seqs, count } = standing;
  streams.confirmPersisted(seqs.subarray(0, count));
  await drain();
  await leaveAll(streams, work.subscribers);
  await Promise.all(drivers);
  producer.verify(contestant.name);
  return bytes / (work.events * work.subscribers);
}

async function stand(
  clock: Clock,
  contestant: Contestant,
  work: Work,
  progress: Progress,
  isExpected: (outcome: AdvanceOutcome, id: number) => boolean,
  subscribed?: () => void,
): Promise<Standing> {
  const streams = contestant.create(clock);
  const yielded = Promise.withResolvers<void>();
  const producer = new RecordingProducer(work, async () => yielded.resolve(), isExpected);
  const seqs = new Int32Array(progress === "bound" ? work.events * work.subscribers : 0);
  let count = 0;

  /** Passes every event with one number bound to it, by pulls of its own: no filter to hold. */
  async function pass(stream: SharedStream<number>, triggerId: number): Promise<void> {
    for await (const _ of stream) {
      const seq = streams.bindPendingEvent({ triggerId, key: KEY });
      invariant(seq !== null, `${contestant.name} gates what is bound`);
      seqs[count] = seq;
      count += 1;
    }
  }

  const { promise: begin, resolve: open } = Promise.withResolvers<void>();
  producer.begin = begin;
  const drivers = Array.from({ length: work.subscribers }, (_, triggerId) => {
    const trigger = { createSharedStreamProducer: () => producer };
    const stream = streams.subscribe<number>({ triggerId, key: KEY, trigger });
    return progress === "bound"
      ? pass(stream, triggerId).catch(ignore)
      : stream.next().then(ignore);
  });
  await drain();
  subscribed?.();
  open();
  await yielded.promise;
  await drain();
  return { streams, producer, drivers, seqs, count };
}

/** A subscriber that timed out gets an error, which is expected here. */
function ignore(): void {
  // The outcomes are checked at the producer.
}

function failedByAll(subscribers: number): (outcome: AdvanceOutcome) => boolean {
  return ({ acked, failed, rejected }) => failed === subscribers && acked === 0 && rejected === 0;
}
