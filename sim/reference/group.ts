import {
  AckTimeout,
  type AdvanceItem,
  AdvanceOutcome,
  PollTerminated,
  SubscriberOverflow,
  type SharedStreamProducer,
  type SharedStreamTrigger,
  type StreamKey,
} from "../../src/shared-stream/mod.ts";
import type { Clock, Logger, TimerHandle } from "../../src/time/mod.ts";
import { type ReferenceEntry, ReferenceQueue } from "./entry.ts";

export interface ReferencePolicy {
  readonly maxSubscriberQueue: number;
  readonly ackTimeoutMs: number;
  readonly cohortGraceMs: number;
}

export interface ReferenceGroupOptions {
  readonly key: StreamKey;
  readonly policy: ReferencePolicy;
  readonly evict: () => void;
  readonly takeSeq: () => number;
}

type Fate = "acked" | "failed" | "rejected";

const SCAN_MS_MIN = 10;

/** In Python a cancellation is no ordinary exception, and handlers of those do not see it. */
function isCancellation(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** One key's poll, pump and scan, as Airflow writes them. The defects are named where they sit. */
export class ReferenceGroup {
  readonly key: StreamKey;
  readonly queues: Map<number, ReferenceQueue> = new Map();
  /** The event that each trigger id sits on; a stale stream of the id overwrites it (E-07). */
  readonly openWindows: Map<number, number> = new Map();
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #trigger: SharedStreamTrigger<unknown>;
  readonly #options: ReferenceGroupOptions;
  readonly #text: string;
  readonly #isAck: boolean;
  readonly #failed = new Set<number>();
  readonly #outstanding = new Map<number, ReferenceEntry>();
  readonly #lanes = new Map<string, number[]>();
  readonly #seqs = new Map<number, readonly [eventId: number, triggerId: number]>();
  readonly #abort = new AbortController();
  #nextEventId = 0;
  #wakeFlag = false;
  #wakePump: (() => void) | undefined;
  #isPumpStopping = false;
  #pump: Promise<void> | undefined;
  #producer: SharedStreamProducer<unknown> | undefined;
  #iterator: AsyncIterator<unknown> | undefined;
  #scanTimer: TimerHandle | undefined;
  #wakeFromGrace: (() => void) | undefined;
  #isCancelled = false;
  #hasBroadcastFailure = false;
  #isPollOver = false;
  #ending: Promise<void> | undefined;

  constructor(
    clock: Clock,
    logger: Logger,
    trigger: SharedStreamTrigger<unknown>,
    options: ReferenceGroupOptions,
  ) {
    this.#clock = clock;
    this.#logger = logger;
    this.#trigger = trigger;
    this.#options = options;
    this.key = options.key;
    this.#text = JSON.stringify(options.key);
    this.#isAck = typeof trigger.createSharedStreamProducer === "function";
  }

  start(): void {
    void this.#runPoll();
  }

  join(triggerId: number): ReferenceQueue {
    const queue = new ReferenceQueue(this.#options.policy.maxSubscriberQueue);
    this.queues.set(triggerId, queue);
    return queue;
  }

  bind(triggerId: number): number | null {
    const eventId = this.openWindows.get(triggerId);
    if (eventId === undefined) return null;
    const binding = this.#outstanding.get(eventId)?.pending.get(triggerId);
    if (binding === undefined) return null;
    const seq = this.#options.takeSeq();
    binding.seqs.add(seq);
    this.#seqs.set(seq, [eventId, triggerId]);
    return seq;
  }

  confirm(seqs: readonly number[]): void {
    for (const seq of seqs) {
      const owner = this.#seqs.get(seq);
      if (owner === undefined) continue;
      this.#seqs.delete(seq);
      const entry = this.#outstanding.get(owner[0]);
      const binding = entry?.pending.get(owner[1]);
      if (entry === undefined || binding === undefined) continue;
      binding.seqs.delete(seq);
      this.#complete(entry, owner[1]);
    }
  }

  closeWindow(triggerId: number): void {
    const eventId = this.openWindows.get(triggerId);
    if (eventId === undefined) return;
    this.openWindows.delete(triggerId);
    const entry = this.#outstanding.get(eventId);
    const binding = entry?.pending.get(triggerId);
    if (entry === undefined || binding === undefined) return;
    binding.isClosed = true;
    this.#complete(entry, triggerId);
  }

  reject(triggerId: number, eventId: number): void {
    const entry = this.#outstanding.get(eventId);
    if (entry?.pending.has(triggerId) !== true) return;
    this.#logger.info("A subscriber rejected a shared stream event", { triggerId, eventId });
    this.#resolve(entry, triggerId, "rejected");
  }

  /** Takes a trigger out; O(outstanding). Sitting on an event counts as having passed it (E-03). */
  leave(triggerId: number): void {
    if (!this.queues.delete(triggerId)) return;
    this.#failed.delete(triggerId);
    const open = this.openWindows.get(triggerId);
    this.openWindows.delete(triggerId);
    for (const entry of [...this.#outstanding.values()]) {
      const binding = entry.pending.get(triggerId);
      if (binding === undefined) continue;
      if (binding.isClosed || entry.eventId === open) {
        binding.isClosed = true;
        this.#complete(entry, triggerId);
      } else {
        this.#resolve(entry, triggerId, "failed");
      }
    }
  }

  /** Cancels the poll and waits for its exit; its caller has evicted the key already. */
  async stop(): Promise<void> {
    if (!this.#isPollOver && !this.#isCancelled) {
      this.#isCancelled = true;
      this.#abort.abort();
      this.#wakeFromGrace?.();
      void this.#iterator?.return?.().catch(() => undefined);
      this.#ending ??= this.#exitPoll();
    }
    await this.#ending;
  }

  async #runPoll(): Promise<void> {
    await Promise.resolve();
    try {
      await this.#waitForCohort();
      if (this.#isCancelled) return;
      await this.#readSource();
    } catch (error) {
      if (this.#isCancelled) return;
      // A cancellation raised by the source itself is taken for a stop: nobody is told (E-04).
      if (!isCancellation(error)) this.#failAll(error);
    }
    if (!this.#isCancelled) this.#ending ??= this.#exitPoll();
  }

  async #waitForCohort(): Promise<void> {
    const { cohortGraceMs } = this.#options.policy;
    if (cohortGraceMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimer(cohortGraceMs, resolve);
      this.#wakeFromGrace = () => {
        this.#clock.clearTimer(timer);
        resolve();
      };
    });
  }

  async #readSource(): Promise<void> {
    const { signal } = this.#abort;
    let source: AsyncIterable<unknown> | undefined;
    if (this.#isAck) {
      const producer = this.#trigger.createSharedStreamProducer?.();
      if (producer === undefined) throw new TypeError("The factory returned nothing");
      this.#producer = producer;
      this.#pump = this.#runPump();
      this.#scheduleScan();
      source = producer.openStream(signal);
    } else {
      source = this.#trigger.openSharedStream?.(signal);
    }
    this.#iterator = (source as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    for (;;) {
      const result = await this.#iterator.next();
      if (this.#isCancelled || this.#isPollOver) return;
      if (result.done === true) throw new PollTerminated(this.#text);
      if (this.#isAck) this.#fanOut(result.value);
      else this.#broadcast(result.value);
    }
  }

  #broadcast(raw: unknown): void {
    for (const [triggerId, queue] of [...this.queues]) {
      if (this.#failed.has(triggerId)) continue;
      if (queue.isFull) this.#overflow(triggerId);
      else queue.put({ kind: "event", raw, eventId: undefined });
    }
  }

  #fanOut(item: unknown): void {
    if (!Array.isArray(item) || item.length !== 2) throw new TypeError("Cannot unpack the item");
    const [raw, brokerPayload] = item as [unknown, unknown];
    const lane = laneText(this.#producer?.getAdvanceLane?.(brokerPayload));
    const members = [...this.queues].filter(([triggerId]) => !this.#failed.has(triggerId));
    const eventId = this.#nextEventId;
    this.#nextEventId += 1;
    const entry: ReferenceEntry = {
      eventId,
      brokerPayload,
      lane,
      createdAt: this.#clock.now(),
      pending: new Map(
        members.map(([triggerId]) => [triggerId, { isClosed: false, seqs: new Set<number>() }]),
      ),
      acked: 0,
      failed: 0,
      rejected: 0,
    };
    this.#outstanding.set(eventId, entry);
    const queueOfLane = this.#lanes.get(lane) ?? [];
    queueOfLane.push(eventId);
    this.#lanes.set(lane, queueOfLane);
    for (const [triggerId, queue] of members) {
      if (queue.isFull) this.#overflow(triggerId);
      else queue.put({ kind: "event", raw, eventId });
    }
    if (entry.pending.size === 0) this.#wake();
  }

  #overflow(triggerId: number): void {
    const { maxSubscriberQueue } = this.#options.policy;
    this.#forceFail(triggerId, new SubscriberOverflow(this.#text, triggerId, maxSubscriberQueue), {
      reason: "overflow",
    });
  }

  /** Fails a trigger in every outstanding event, one look at each of them. */
  #forceFail(triggerId: number, error: Error, fields: Record<string, unknown>): void {
    this.#logger.warn("A shared stream subscriber was force-failed", {
      key: this.key,
      triggerId,
      ...fields,
    });
    this.#failed.add(triggerId);
    this.queues.get(triggerId)?.fail(error);
    for (const entry of [...this.#outstanding.values()]) this.#resolve(entry, triggerId, "failed");
  }

  #scheduleScan(): void {
    const everyMs = Math.max(SCAN_MS_MIN, this.#options.policy.ackTimeoutMs / 10);
    this.#scanTimer = this.#clock.setTimer(everyMs, () => {
      this.#scheduleScan();
      this.#scan();
    });
  }

  /** Looks at everything outstanding, and again at all of it for each trigger that is late (E-13). */
  #scan(): void {
    const now = this.#clock.now();
    const { ackTimeoutMs } = this.#options.policy;
    const late = new Map<number, number>();
    for (const entry of this.#outstanding.values()) {
      if (now - entry.createdAt < ackTimeoutMs) continue;
      for (const triggerId of entry.pending.keys()) {
        if (!late.has(triggerId)) late.set(triggerId, entry.eventId);
      }
    }
    for (const [triggerId, eventId] of late) {
      // Found by bare id: it may be a new subscription that never got the event (E-06).
      if (this.queues.has(triggerId)) {
        const error = new AckTimeout(this.#text, triggerId, eventId, ackTimeoutMs);
        this.#forceFail(triggerId, error, { reason: "ackTimeout", eventId });
      } else {
        for (const entry of [...this.#outstanding.values()]) {
          this.#resolve(entry, triggerId, "failed");
        }
      }
    }
  }

  #complete(entry: ReferenceEntry, triggerId: number): void {
    const binding = entry.pending.get(triggerId);
    if (binding?.isClosed === true && binding.seqs.size === 0) {
      this.#resolve(entry, triggerId, "acked");
    }
  }

  #resolve(entry: ReferenceEntry, triggerId: number, fate: Fate): void {
    const binding = entry.pending.get(triggerId);
    if (binding === undefined) return;
    entry.pending.delete(triggerId);
    for (const seq of binding.seqs) this.#seqs.delete(seq);
    entry[fate] += 1;
    if (entry.pending.size === 0) this.#wake();
  }

  #wake(): void {
    this.#wakeFlag = true;
    this.#wakePump?.();
  }

  async #runPump(): Promise<void> {
    for (;;) {
      while (!this.#wakeFlag && !this.#isPumpStopping) {
        await new Promise<void>((resolve) => {
          this.#wakePump = resolve;
        });
      }
      this.#wakeFlag = false;
      if (!(await this.#passUntilQuiet())) return;
      if (this.#isPumpStopping && !this.#wakeFlag) return;
    }
  }

  /** Passes over all lanes until a pass makes no progress (E-12); false when the pump is dead. */
  async #passUntilQuiet(): Promise<boolean> {
    for (;;) {
      let hasProgress = false;
      for (const lane of [...this.#lanes.keys()]) {
        const batch = this.#harvest(lane);
        if (batch.length === 0) continue;
        hasProgress = true;
        try {
          await this.#producer?.advance(batch);
        } catch (error) {
          // Only ordinary exceptions are handled; a cancellation ends the pump silently (E-01).
          if (isCancellation(error)) return false;
          this.#failAfterAdvance(error);
          return false;
        }
      }
      if (!hasProgress) return true;
    }
  }

  #harvest(lane: string): AdvanceItem[] {
    const eventIds = this.#lanes.get(lane) ?? [];
    const batch: AdvanceItem[] = [];
    for (;;) {
      const entry = this.#outstanding.get(eventIds[0] ?? -1);
      if (entry === undefined || entry.pending.size > 0) break;
      eventIds.shift();
      this.#outstanding.delete(entry.eventId);
      batch.push({
        brokerPayload: entry.brokerPayload,
        outcome: new AdvanceOutcome(entry.acked, entry.failed, entry.rejected),
      });
    }
    if (eventIds.length === 0) this.#lanes.delete(lane);
    return batch;
  }

  #failAfterAdvance(error: unknown): void {
    this.#failAll(error);
    if (this.#isPollOver || this.#isCancelled) return;
    this.#abort.abort();
    void this.#iterator?.return?.().catch(() => undefined);
    this.#ending ??= this.#exitPoll();
  }

  #failAll(error: unknown): void {
    if (this.#hasBroadcastFailure) return;
    this.#hasBroadcastFailure = true;
    this.#logger.error("The shared stream failed", { key: this.key, error });
    this.#options.evict();
    for (const queue of [...this.queues.values()]) queue.fail(error);
  }

  async #exitPoll(): Promise<void> {
    this.#isPollOver = true;
    if (this.#scanTimer !== undefined) this.#clock.clearTimer(this.#scanTimer);
    this.#isPumpStopping = true;
    this.#wakePump?.();
    await this.#pump;
    try {
      await this.#producer?.aclose?.();
    } catch (error) {
      this.#logger.warn("The shared stream producer failed to close", { key: this.key, error });
    }
  }
}

function laneText(lane: unknown): string {
  if (lane === undefined) return "default";
  if (typeof lane === "object" && lane !== null && !Array.isArray(lane)) {
    throw new TypeError("Cannot use an object as a lane: it is not hashable");
  }
  return typeof lane === "bigint" ? `${lane}n` : JSON.stringify(lane);
}
