import { invariant } from "../../src/invariant.ts";
import type {
  AdvanceOutcome,
  SharedStream,
  SharedStreamProducer,
} from "../../src/shared-stream/mod.ts";
import type { Clock } from "../../src/time/mod.ts";
import { type EventTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import { drain } from "../drain.ts";
import type { Contestant, Streams } from "./contestant.ts";
import { Outbox } from "./outbox.ts";
import { RecordingProducer } from "./recording-producer.ts";
import { CONFIRMED_AT_ONCE, shuffleInBlocks, type Work } from "./work.ts";

/** How long one run took. */
export interface RunTimes {
  /** From the first subscribe to the last advance. */
  readonly wholeMs: number;
  /** From the first confirmation of a fetch to its last advance, all fetches added up. */
  readonly resolvingMs: number;
}

const KEY = "bench";
/** Hops after which what was confirmed must have been advanced; one is enough. */
const HOPS_MAX = 100;

/**
 * One run from end to end: the source, S filters, bind, confirm in batches, advance; checked
 * afterwards.
 *
 * Each fetch of the source is pulled and bound by everyone, then confirmed batch by batch, with a
 * macrotask hop after each batch as between two heartbeats of a triggerer.
 */
export async function runStreams(
  clock: Clock,
  contestant: Contestant,
  work: Work,
): Promise<RunTimes> {
  const streams = contestant.create(clock);
  const finished = Promise.withResolvers<void>();
  const outbox = new Outbox(work.outstanding * work.subscribers);
  const atOnce = CONFIRMED_AT_ONCE * work.subscribers;
  let resolvingMs = 0;
  let settlingMs = 0;
  let pulled = 0;

  /** Whatever breaks here ends the run, and not the source, whose failure nobody might hear. */
  async function settle(yielded: number): Promise<void> {
    try {
      await settleFetch(yielded);
      if (yielded === work.events) finished.resolve();
    } catch (error) {
      finished.reject(error);
    }
  }

  async function settleFetch(yielded: number): Promise<void> {
    await drain();
    if (work.persisted === "shuffled") shuffleInBlocks(outbox.view(0, outbox.count));
    const { count } = outbox;
    const sampled = Math.min(count, (work.sampledEvents ?? Infinity) * work.subscribers);
    const from = Math.trunc((count - sampled) / 2);
    const end = from + sampled;
    const begunAt = clock.now();
    if (from > 0) await confirm(0, from);
    const sampledAt = clock.now();
    for (let at = from; at < end; at += atOnce) await confirm(at, Math.min(at + atOnce, end));
    const endedAt = clock.now();
    if (end < count) await confirm(end, count);
    for (let hop = 0; contestant.settles && producer.advanced < yielded; hop += 1) {
      invariant(hop < HOPS_MAX, `${contestant.name} holds back what is resolved`);
      await drain();
    }
    const isWhole = sampled === count;
    const spentMs = clock.now() - begunAt;
    resolvingMs += isWhole ? spentMs : ((endedAt - sampledAt) / sampled) * count;
    settlingMs += spentMs;
    pulled += count;
    outbox.count = 0;
  }

  async function confirm(from: number, end: number): Promise<void> {
    streams.confirmPersisted(outbox.view(from, end));
    await drain();
  }

  const producer = new RecordingProducer(work, settle, ackedByAll(work.subscribers));
  const startedAt = clock.now();
  const drivers = Array.from({ length: work.subscribers }, (_, triggerId) => {
    const trigger =
      work.filter === "fires" ? new FiringTrigger(producer) : new DroppingTrigger(producer);
    const stream = streams.subscribe({ triggerId, key: KEY, trigger });
    if (work.form === "sync" && stream.visit !== undefined) {
      return stream.visit((raw, window) => {
        if (trigger.filterSharedEvent(raw) !== undefined) outbox.put(window.bind());
      });
    }
    return drive(streams, triggerId, trigger.filterSharedStream(stream), outbox);
  });
  try {
    // A driver ends before the run is finished only when its stream failed.
    await Promise.race([finished.promise, Promise.all(drivers)]);
  } catch (error) {
    void streams.stopAll();
    throw error;
  }
  const wholeMs = clock.now() - startedAt - settlingMs + resolvingMs;
  await leaveAll(streams, work.subscribers);
  await Promise.all(drivers);
  const due = work.filter === "fires" ? work.events * work.subscribers : 0;
  invariant(pulled === due, `${contestant.name} bound ${pulled} of ${due} derived events`);
  if (contestant.settles) producer.verify(contestant.name);
  return { wholeMs, resolvingMs };
}

export function ackedByAll(subscribers: number): (outcome: AdvanceOutcome) => boolean {
  return ({ acked, failed, rejected }) => acked === subscribers && failed === 0 && rejected === 0;
}

export async function leaveAll(streams: Streams, subscribers: number): Promise<void> {
  const leaving: Promise<void>[] = [];
  for (let triggerId = 0; triggerId < subscribers; triggerId += 1) {
    leaving.push(streams.unsubscribe({ triggerId, key: KEY }));
  }
  await Promise.all(leaving);
}

/** What the runner of a triggerer does: take each derived event, bind it, put it aside. */
async function drive(
  streams: Streams,
  triggerId: number,
  events: AsyncIterable<TriggerEvent>,
  outbox: Outbox,
): Promise<void> {
  const place = { triggerId, key: KEY };
  for await (const _ of events) outbox.put(streams.bindPendingEvent(place));
}

/** Derives one trigger event from each raw event. */
class FiringTrigger implements EventTrigger<number, number> {
  readonly #producer: SharedStreamProducer<number, number>;

  constructor(producer: SharedStreamProducer<number, number>) {
    this.#producer = producer;
  }

  sharedStreamKey(): string {
    return KEY;
  }

  createSharedStreamProducer(): SharedStreamProducer<number, number> {
    return this.#producer;
  }

  async *filterSharedStream(stream: SharedStream<number>): AsyncGenerator<TriggerEvent> {
    for await (const raw of stream) yield new TriggerEvent(raw);
  }

  filterSharedEvent(raw: number): TriggerEvent | undefined {
    return new TriggerEvent(raw);
  }
}

/** Derives none; it looks at each raw event, though. */
class DroppingTrigger extends FiringTrigger {
  override async *filterSharedStream(stream: SharedStream<number>): AsyncGenerator<TriggerEvent> {
    for await (const raw of stream) if (raw < 0) yield new TriggerEvent(raw);
  }

  override filterSharedEvent(raw: number): TriggerEvent | undefined {
    return raw < 0 ? new TriggerEvent(raw) : undefined;
  }
}
