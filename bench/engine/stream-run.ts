import { invariant } from "../../src/invariant.ts";
import type {
  AdvanceOutcome,
  SharedStream,
  SharedStreamProducer,
} from "../../src/shared-stream/mod.ts";
import type { Clock } from "../../src/time/mod.ts";
import { type EventTrigger, TriggerEvent } from "../../src/triggerer/mod.ts";
import { drain } from "../../sim/realm/drain.ts";
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
export function runStreams(clock: Clock, contestant: Contestant, work: Work): Promise<RunTimes> {
  return new StreamRun(clock, contestant, work).run();
}

class StreamRun {
  readonly #clock: Clock;
  readonly #contestant: Contestant;
  readonly #work: Work;
  readonly #streams: Streams;
  readonly #producer: RecordingProducer;
  readonly #outbox: Outbox;
  readonly #finished = Promise.withResolvers<void>();
  #boundEver = 0;
  #resolvingMs = 0;
  /** What settling really took, the parts that no sample is made of included. */
  #settlingMs = 0;

  constructor(clock: Clock, contestant: Contestant, work: Work) {
    this.#clock = clock;
    this.#contestant = contestant;
    this.#work = work;
    this.#streams = contestant.create(clock);
    const settle = (yielded: number): Promise<void> => this.#settle(yielded);
    this.#producer = new RecordingProducer(work, settle, ackedByAll(work.subscribers));
    this.#outbox = new Outbox(work.outstanding * work.subscribers);
  }

  async run(): Promise<RunTimes> {
    const { subscribers, events, filter } = this.#work;
    const startedAt = this.#clock.now();
    const drivers = Array.from({ length: subscribers }, (_, at) => this.#subscribe(at));
    try {
      // A driver ends before the run is finished only when its stream failed.
      await Promise.race([this.#finished.promise, Promise.all(drivers)]);
    } catch (error) {
      void this.#streams.stopAll();
      throw error;
    }
    const resolvingMs = this.#resolvingMs;
    const wholeMs = this.#clock.now() - startedAt - this.#settlingMs + resolvingMs;
    await leaveAll(this.#streams, subscribers);
    await Promise.all(drivers);
    const { name, settles } = this.#contestant;
    const due = filter === "fires" ? events * subscribers : 0;
    invariant(this.#boundEver === due, `${name} bound ${this.#boundEver} of ${due} derived events`);
    if (settles) this.#producer.verify(name);
    return { wholeMs, resolvingMs };
  }

  /** Resolves when the subscriber's stream has ended. */
  #subscribe(triggerId: number): Promise<void> {
    const outbox = this.#outbox;
    const { filter, form } = this.#work;
    const trigger = new (filter === "fires" ? FiringTrigger : DroppingTrigger)(this.#producer);
    const stream = this.#streams.subscribe({ triggerId, key: KEY, trigger });
    if (form === "sync" && stream.visit !== undefined) {
      return stream.visit((raw, window) => {
        if (trigger.filterSharedEvent(raw) !== undefined) outbox.put(window.bind());
      });
    }
    return drive(this.#streams, triggerId, trigger.filterSharedStream(stream), outbox);
  }

  /** An error here ends the run, and not the source, whose failure might not be reported. */
  async #settle(yielded: number): Promise<void> {
    try {
      await drain();
      if (this.#work.persisted === "shuffled") {
        shuffleInBlocks(this.#outbox.view(0, this.#outbox.count));
      }
      await this.#confirmFetch(yielded);
      if (yielded === this.#work.events) this.#finished.resolve();
    } catch (error) {
      this.#finished.reject(error);
    }
  }

  async #confirmFetch(yielded: number): Promise<void> {
    const { subscribers, sampledEvents = Infinity } = this.#work;
    const { count } = this.#outbox;
    const atOnce = CONFIRMED_AT_ONCE * subscribers;
    const sampled = Math.min(count, sampledEvents * subscribers);
    const from = Math.trunc((count - sampled) / 2);
    const end = from + sampled;
    const begunAt = this.#clock.now();
    if (from > 0) await this.#confirm(0, from);
    const sampledAt = this.#clock.now();
    for (let at = from; at < end; at += atOnce) await this.#confirm(at, Math.min(at + atOnce, end));
    const sampledMs = this.#clock.now() - sampledAt;
    if (end < count) await this.#confirm(end, count);
    if (this.#contestant.settles) await this.#advanced(yielded);
    const spentMs = this.#clock.now() - begunAt;
    this.#resolvingMs += sampled === count ? spentMs : (sampledMs / sampled) * count;
    this.#settlingMs += spentMs;
    this.#boundEver += count;
    this.#outbox.count = 0;
  }

  async #advanced(events: number): Promise<void> {
    for (let hop = 0; this.#producer.advanced < events; hop += 1) {
      invariant(hop < HOPS_MAX, `${this.#contestant.name} holds back what is resolved`);
      await drain();
    }
  }

  async #confirm(from: number, end: number): Promise<void> {
    this.#streams.confirmPersisted(this.#outbox.view(from, end));
    await drain();
  }
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
