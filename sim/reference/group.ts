import {
  AckTimeout,
  type ForceFailure,
  type GroupFailure,
  PollTerminated,
  type SharedStreamObserver,
  type SharedStreamProducer,
  type SharedStreamTrigger,
  type StreamKey,
  SubscriberOverflow,
} from "../../src/shared-stream/mod.ts";
import { type Clock, type Logger, sleep, type TimerHandle } from "../../src/time/mod.ts";
import { CancelledError, isCancelled } from "./cancelled-error.ts";
import { textFromHashable } from "./equality.ts";
import { EventQueue } from "./event-queue.ts";
import { Pump } from "./pump.ts";
import { Resolution, type ResolutionOwner } from "./resolution.ts";

export interface GroupPolicy {
  readonly maxSubscriberQueue: number;
  readonly ackTimeoutMs: number;
  readonly cohortGraceMs: number;
}

/** What a group is created with, besides its ports. */
export interface GroupOptions {
  readonly key: StreamKey;
  /** The key as text. */
  readonly text: string;
  readonly policy: GroupPolicy;
  readonly observer: SharedStreamObserver;
}

/** What a group needs from its manager. */
export interface GroupOwner {
  /** Takes the key out of the map if it maps to this group. */
  evict(): void;
  takeSeq(): number;
}

const SCAN_MS_MIN = 10;
const SCANS_PER_TIMEOUT = 10;
/** How many microtask turns a cancelled source gets to clean up before it is left behind. */
const CANCELLATION_TURNS = 32;

/** The subscribers of one key, and the three tasks that serve them: poll, pump, timeout scan. */
export class ReferenceGroup implements ResolutionOwner {
  readonly key: StreamKey;
  /** The subscribers' queues, by bare trigger id. */
  readonly queues: Map<number, EventQueue> = new Map();
  /** Absent on the fast path. */
  readonly resolution: Resolution | undefined;
  readonly #text: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #observer: SharedStreamObserver;
  readonly #policy: GroupPolicy;
  readonly #owner: GroupOwner;
  /** The trigger that subscribed first; its stream serves all subscribers of the key (E-23). */
  readonly #trigger: SharedStreamTrigger<unknown>;
  readonly #abort = new AbortController();
  readonly #failed = new Set<number>();
  #poll: Promise<void> = Promise.resolve();
  #pump: Pump | undefined;
  #producer: SharedStreamProducer<unknown> | undefined;
  #source: AsyncIterator<unknown> | undefined;
  #scanTimer: TimerHandle | undefined;
  #isCancelled = false;
  #throwIntoPoll: ((error: CancelledError) => void) | undefined;
  #hasBroadcastFailure = false;

  constructor(
    clock: Clock,
    logger: Logger,
    trigger: SharedStreamTrigger<unknown>,
    owner: GroupOwner,
    options: GroupOptions,
  ) {
    this.#clock = clock;
    this.#logger = logger;
    this.#trigger = trigger;
    this.#owner = owner;
    this.#observer = options.observer;
    this.key = options.key;
    this.#text = options.text;
    this.#policy = options.policy;
    if (trigger.createSharedStreamProducer !== undefined) this.resolution = new Resolution(this);
  }

  start(): void {
    this.#poll = this.#runPoll();
  }

  add(triggerId: number): EventQueue {
    const queue = new EventQueue(this.#policy.maxSubscriberQueue);
    this.queues.set(triggerId, queue);
    return queue;
  }

  /**
   * Removes a subscriber. Its id may subscribe again at once and is then not failed (C-164).
   */
  remove(triggerId: number): void {
    this.queues.delete(triggerId);
    this.#failed.delete(triggerId);
    this.resolution?.leave(triggerId);
  }

  /**
   * Cancels the poll and waits until it has drained and closed, however long that takes (E-15).
   */
  async stop(): Promise<void> {
    this.#cancelPoll();
    await this.#poll;
  }

  takeSeq(): number {
    return this.#owner.takeSeq();
  }

  wakePump(): void {
    this.#pump?.wake();
  }

  isSubscribed(triggerId: number): boolean {
    return this.queues.has(triggerId);
  }

  timeOut(triggerId: number, eventId: number): void {
    const { ackTimeoutMs } = this.#policy;
    const error = new AckTimeout(this.#text, triggerId, eventId, ackTimeoutMs);
    this.#forceFail({ reason: "ackTimeout", key: this.key, triggerId, eventId, error });
  }

  /** Runs the poll to its end. An ordinary failure is broadcast, a cancellation is not. */
  async #runPoll(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    try {
      // That a source returned is told to its subscribers, and not logged.
      failure = { error: await this.#unlessCancelled(this.#readSource()) };
    } catch (error) {
      // Every cancellation counts as a stop, even one that the source threw on its own: the key
      // stays and nothing is broadcast (E-04). Another error of a stopped source is (E-20).
      if (!isCancelled(error)) {
        this.#logger.error("The shared stream poll failed", { key: this.key, error });
        failure = { error };
      }
    }
    if (failure !== undefined) this.#broadcastFailure("poll", failure.error);
    if (this.#scanTimer !== undefined) this.#clock.clearTimer(this.#scanTimer);
    await this.#pump?.drain();
    await this.#closeProducer();
  }

  /** Reads until the source fails or is cancelled, or returns: then returns what is wrong with that. */
  async #readSource(): Promise<PollTerminated> {
    await Promise.resolve();
    const { signal } = this.#abort;
    const { cohortGraceMs } = this.#policy;
    signal.throwIfAborted();
    if (cohortGraceMs > 0) await sleep(this.#clock, cohortGraceMs, signal);
    const source = this.#openSource(signal);
    this.#source = source;
    for (;;) {
      const result = await source.next();
      if (this.#isCancelled) throw new CancelledError();
      if (result.done === true) return new PollTerminated(this.#text);
      // If this throws, the source stays suspended and is not closed (E-11).
      if (this.resolution === undefined) this.#broadcast(result.value);
      else this.#fanOut(this.resolution, result.value);
    }
  }

  #openSource(signal: AbortSignal): AsyncIterator<unknown> {
    const { resolution } = this;
    if (resolution === undefined) {
      const source = this.#trigger.openSharedStream?.(signal) as AsyncIterable<unknown>;
      return source[Symbol.asyncIterator]();
    }
    const producer = this.#trigger.createSharedStreamProducer?.();
    if (typeof producer?.openStream !== "function") {
      throw new TypeError(`Cannot poll shared stream ${this.#text}: its factory gave no producer`);
    }
    this.#producer = producer;
    this.#pump = new Pump(
      resolution,
      (batch) => producer.advance(batch),
      (error, lane, batchSize) => this.#failOnAdvance(error, lane, batchSize),
    );
    this.#scheduleScan(resolution);
    return producer.openStream(signal)[Symbol.asyncIterator]();
  }

  #broadcast(raw: unknown): void {
    for (const [triggerId, queue] of this.queues) {
      if (!this.#failed.has(triggerId)) this.#deliver(triggerId, queue, raw, undefined);
    }
  }

  /** Lane, snapshot, entry and delivery, without an await in between (C-032). */
  #fanOut(resolution: Resolution, item: unknown): void {
    if (!Array.isArray(item) || item.length !== 2) {
      throw new TypeError(`Cannot unpack an item of shared stream ${this.#text}: it is no pair`);
    }
    const [raw, brokerPayload] = item as [unknown, unknown];
    const lane = textFromHashable(this.#producer?.getAdvanceLane?.(brokerPayload));
    const members = [...this.queues].filter(([triggerId]) => !this.#failed.has(triggerId));
    const eventId = resolution.add(
      { brokerPayload, lane, createdAt: this.#clock.now() },
      members.map(([triggerId]) => triggerId),
    );
    for (const [triggerId, queue] of members) this.#deliver(triggerId, queue, raw, eventId);
    if (members.length === 0) this.wakePump();
  }

  #deliver(triggerId: number, queue: EventQueue, raw: unknown, eventId: number | undefined): void {
    if (!queue.isFull) {
      queue.put({ kind: "event", raw, eventId });
      return;
    }
    const { maxSubscriberQueue } = this.#policy;
    const error = new SubscriberOverflow(this.#text, triggerId, maxSubscriberQueue);
    this.#forceFail({ reason: "overflow", key: this.key, triggerId, eventId, error });
    this.resolution?.failAll(triggerId);
  }

  #forceFail(failure: ForceFailure): void {
    const { key, triggerId, reason, eventId, error } = failure;
    const fields = { key, triggerId, reason, eventId };
    this.#logger.warn("A shared stream subscriber was force-failed", fields);
    this.#failed.add(triggerId);
    this.queues.get(triggerId)?.putFailure(error);
    this.#observer.onForceFailed?.(failure);
  }

  #scheduleScan(resolution: Resolution): void {
    const { ackTimeoutMs } = this.#policy;
    const everyMs = Math.max(SCAN_MS_MIN, ackTimeoutMs / SCANS_PER_TIMEOUT);
    this.#scanTimer = this.#clock.setTimer(everyMs, () => {
      resolution.scan(this.#clock.now(), ackTimeoutMs);
      this.#scheduleScan(resolution);
    });
  }

  #failOnAdvance(error: unknown, lane: string, batchSize: number): void {
    const fields = { key: this.key, lane, batchSize, error };
    this.#logger.error("The shared stream advance failed", fields);
    this.#observer.onAdvanceFailed?.(fields);
    this.#broadcastFailure("advance", error);
    this.#cancelPoll();
  }

  /** Delivers a failure, once per group, with one error object for all (E-27). */
  #broadcastFailure(cause: GroupFailure["cause"], error: unknown): void {
    if (this.#hasBroadcastFailure) return;
    this.#hasBroadcastFailure = true;
    this.#owner.evict();
    for (const queue of this.queues.values()) queue.putFailure(error);
    this.#observer.onGroupFailed?.({ key: this.key, cause, error });
  }

  /**
   * Cancels the poll, once. asyncio throws into the await of the source. That is impossible for a
   * promise, so the source gets an aborted signal and a `return()`, and some turns to clean up.
   */
  #cancelPoll(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#abort.abort(new CancelledError());
    this.#source?.return?.().catch(() => undefined);
    void this.#cutOffPoll();
  }

  async #cutOffPoll(): Promise<void> {
    for (let turn = 0; turn < CANCELLATION_TURNS; turn += 1) await Promise.resolve();
    this.#throwIntoPoll?.(new CancelledError());
  }

  #unlessCancelled<T>(task: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#throwIntoPoll = reject;
      task.then(resolve, reject);
    });
  }

  async #closeProducer(): Promise<void> {
    try {
      await this.#producer?.aclose?.();
    } catch (error) {
      this.#logger.warn("The shared stream producer failed to close", { key: this.key, error });
      this.#observer.onCloseFailed?.({ key: this.key, part: "producer", error });
    }
  }
}
