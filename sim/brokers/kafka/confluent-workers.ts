import type { ClientPort } from "../broker.ts";
import { ConfluentCache, type CachedPartition, type Taken } from "./confluent-cache.ts";
import { placeOf } from "./confluent-commits.ts";
import type { ConfluentHandle } from "./confluent-handle.ts";
import type { ConfluentRunConfig } from "./confluent-payloads.ts";
import type { ConsumerSettings } from "./confluent-settings.ts";

/** What the loop needs of its consumer. */
export interface WorkerParts {
  readonly port: ClientPort;
  readonly handle: ConfluentHandle;
  readonly settings: ConsumerSettings;
  readonly config: ConfluentRunConfig;
  /** Calls the user's handler, and returns whether it came to an end; never rejects. */
  readonly handOut: (taken: Taken) => Promise<boolean>;
  /** Answers a rebalance. */
  readonly rebalance: (event: NonNullable<ReturnType<ConfluentHandle["poll"]>>) => Promise<void>;
}

/** The consumer asks again after so long, also if nothing has come. */
const POLL_MS = 1_000;

/**
 * The consumer's loop: workers take records and hand them out, until something has to be done
 * between two records, such as a seek: then all of them end, it is done, and new ones begin.
 *
 * Source: `@confluentinc/kafka-javascript` 1.10.1, lib/kafkajs/_consumer.js
 */
export class ConfluentWorkers {
  readonly cache: ConfluentCache = new ConfluentCache();
  readonly #parts: WorkerParts;
  readonly #operations: (() => Promise<void> | void)[] = [];
  readonly #loop: Promise<void>;
  #isEnding = false;
  #isStopped = false;
  #count = 0;
  #cacheMax = 1;
  #fetchedAt = 0;
  #fetched = { count: 0, partitions: 1 };
  #fetching: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    if (parts.settings.batchMax === -1) this.#cacheMax = Number.MAX_SAFE_INTEGER;
    this.#loop = this.#run();
  }

  /** Has it done once all workers have handed out what they have in hand. */
  between(operation: () => Promise<void> | void): void {
    this.#operations.push(operation);
    this.#end();
  }

  /** Resolves once no handler runs any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    await this.#loop;
  }

  /** Has a waiting worker look again. */
  notify(): void {
    this.#wake?.();
    this.cache.notify();
  }

  /** Has so many workers as there are partitions, if they may be handled at the same time. */
  adapt(): void {
    if (this.#wanted() !== this.#count) this.#end();
  }

  #end(): void {
    this.#isEnding = true;
    this.notify();
  }

  #wanted(): number {
    const { partitionsConsumedConcurrently: most = 1 } = this.#parts.config;
    return Math.max(1, Math.min(most, this.#parts.handle.assignment.length));
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isEnding = false;
      this.#fetched = { count: 0, partitions: 1 };
      if (this.#operations.length === 0) {
        this.#count = this.#wanted();
        await Promise.all(Array.from({ length: this.#count }, () => this.#work()));
      }
      for (let next = this.#operations.shift(); next; next = this.#operations.shift()) await next();
    }
  }

  async #work(): Promise<void> {
    let held: CachedPartition | undefined;
    while (!this.#isEnding) {
      const taken = await this.#next(held);
      if (taken === undefined) continue;
      // What has to be done first may throw these away.
      const isFirst = this.#operations.length === 0;
      if (!isFirst) this.cache.putBack(taken.records);
      // What came to no end stays taken by nobody: the cache gives no more of that partition.
      if (!isFirst || (await this.#parts.handOut(taken))) held = taken.partition;
    }
    this.cache.giveBack(held);
  }

  /** Returns undefined where the worker has to ask again. */
  async #next(held: CachedPartition | undefined): Promise<Taken | undefined> {
    const { config, settings } = this.#parts;
    const max = config.eachMessage ? 1 : settings.batchMax;
    const taken = this.cache.take(held, max);
    if (taken !== undefined) return taken;
    if (this.cache.isTaken) {
      await this.cache.changed();
      return undefined;
    }
    if (this.#fetching !== undefined) {
      await this.#fetching;
      return undefined;
    }
    this.#fetching = this.#fetch();
    try {
      await this.#fetching;
    } finally {
      this.#fetching = undefined;
    }
    return this.cache.take(undefined, max);
  }

  async #fetch(): Promise<void> {
    const { handle, rebalance } = this.#parts;
    if (handle.fetcher.isEmpty && !handle.hasEvent) await this.#untilAvailable();
    if (this.#isEnding) return;
    const event = handle.poll();
    if (event !== undefined) {
      await rebalance(event);
      return;
    }
    // What is measured now counts from the next time on.
    const max = this.#cacheMax;
    this.#adaptCache();
    const records = handle.fetcher.take(max);
    this.cache.add(records);
    this.#fetchedAt = this.#parts.port.clock.now();
    const partitions = new Set(records.map(placeOf)).size;
    const { partitionsConsumedConcurrently: most = 1 } = this.#parts.config;
    this.#fetched = { count: records.length, partitions: Math.min(partitions, most) };
  }

  /** Takes as much at once as was handled in a while, by the last measurement. */
  #adaptCache(): void {
    const { settings, config, port } = this.#parts;
    const { count, partitions } = this.#fetched;
    if (settings.batchMax === -1 || count === 0) return;
    const { partitionsConsumedConcurrently: concurrency = 1 } = config;
    const ms = Math.max(1, port.clock.now() - this.#fetchedAt);
    const wanted = Math.ceil((settings.cacheMs * count) / (partitions * ms)) * concurrency;
    const unit = (config.eachMessage ? 1 : settings.batchMax) * concurrency;
    this.#cacheMax = Math.ceil(wanted / unit) * unit;
  }

  #untilAvailable(): Promise<void> {
    const { port } = this.#parts;
    return new Promise((resolve) => {
      const done = (): void => {
        port.clock.clearTimer(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = port.clock.setTimer(POLL_MS, done);
      this.#wake = done;
    });
  }
}
