import type { SharedStream, SharedStreamTrigger, StreamKey } from "../../src/shared-stream/mod.ts";
import {
  type Clock,
  type DurationLike,
  type Logger,
  millisecondsFrom,
  silentLogger,
} from "../../src/time/mod.ts";
import type { ReferenceItem, ReferenceQueue } from "./entry.ts";
import { ReferenceGroup, type ReferencePolicy } from "./group.ts";

export interface ReferenceManagerOptions {
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly maxSubscriberQueue?: number;
  readonly ackTimeout?: DurationLike;
  readonly cohortGracePeriod?: DurationLike;
}

interface Place {
  readonly triggerId: number;
  readonly key: StreamKey;
}

/** Airflow's SharedStreamManager, written plainly, defects included. */
export class ReferenceSharedStreamManager {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #policy: ReferencePolicy;
  readonly #groups = new Map<string, ReferenceGroup>();
  #nextSeq = 0;

  constructor(options: ReferenceManagerOptions) {
    this.#clock = options.clock;
    this.#logger = options.logger ?? silentLogger;
    this.#policy = {
      maxSubscriberQueue: options.maxSubscriberQueue ?? 1_024,
      ackTimeoutMs: millisecondsFrom(options.ackTimeout ?? { seconds: 300 }, "ackTimeout"),
      cohortGraceMs: millisecondsFrom(options.cohortGracePeriod ?? { seconds: 0 }, "grace"),
    };
  }

  subscribe<Raw>(s: Place & { readonly trigger: SharedStreamTrigger<Raw> }): SharedStream<Raw> {
    const text = keyText(s.key);
    let group = this.#groups.get(text);
    if (group?.queues.has(s.triggerId) === true) {
      throw new Error(`Trigger ${s.triggerId} is already subscribed to ${text}`);
    }
    if (group === undefined) {
      const created: ReferenceGroup = new ReferenceGroup(
        this.#clock,
        this.#logger,
        s.trigger as SharedStreamTrigger<unknown>,
        {
          key: s.key,
          policy: this.#policy,
          evict: () => {
            if (this.#groups.get(text) === created) this.#groups.delete(text);
          },
          takeSeq: () => this.#nextSeq++,
        },
      );
      group = created;
      this.#groups.set(text, group);
      group.start();
    }
    const queue = group.join(s.triggerId);
    return new ReferenceStream(group, queue, s.triggerId, this.#logger) as SharedStream<unknown> as SharedStream<Raw>;
  }

  /** Found through the map: after an eviction nothing is bound, and nothing gated (E-02). */
  bindPendingEvent({ triggerId, key }: Place): number | null {
    return this.#groups.get(keyText(key))?.bind(triggerId) ?? null;
  }

  confirmPersisted(seqs: Iterable<number>): void {
    const list = [...seqs];
    for (const group of this.#groups.values()) group.confirm(list);
  }

  /** Addressed by bare id: a late call of an old subscription takes out the new one (E-08). */
  async unsubscribe({ triggerId, key }: Place): Promise<void> {
    const text = keyText(key);
    const group = this.#groups.get(text);
    if (group?.queues.has(triggerId) !== true) return;
    group.leave(triggerId);
    if (group.queues.size > 0) return;
    this.#groups.delete(text);
    await group.stop();
  }

  /** One after the other: a stuck group keeps the rest from being stopped (E-15). */
  async stopAll(): Promise<void> {
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    for (const group of groups) await group.stop();
  }

  groupKeys(): readonly StreamKey[] {
    return [...this.#groups.values()].map(({ key }) => key);
  }
}

/** What a subscriber iterates; its reject is about whatever this stream handed out last (E-09). */
class ReferenceStream implements SharedStream<unknown> {
  readonly #group: ReferenceGroup;
  readonly #queue: ReferenceQueue;
  readonly #triggerId: number;
  readonly #logger: Logger;
  #window: number | undefined;
  #isDone = false;

  constructor(group: ReferenceGroup, queue: ReferenceQueue, triggerId: number, logger: Logger) {
    this.#group = group;
    this.#queue = queue;
    this.#triggerId = triggerId;
    this.#logger = logger;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    this.#window = undefined;
    this.#group.closeWindow(this.#triggerId);
    if (this.#isDone) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#queue.take((item) => this.#read(item, resolve, reject));
    });
  }

  return(): Promise<IteratorResult<unknown>> {
    this.#isDone = true;
    return Promise.resolve({ done: true, value: undefined });
  }

  reject(): void {
    if (this.#window === undefined) {
      this.#logger.warn("Rejected outside an ack-mode binding window", {});
    } else {
      this.#group.reject(this.#triggerId, this.#window);
    }
  }

  #read(
    item: ReferenceItem,
    resolve: (result: IteratorResult<unknown>) => void,
    reject: (error: unknown) => void,
  ): void {
    if (item.kind === "failure") {
      this.#isDone = true;
      reject(item.error);
      return;
    }
    if (item.eventId !== undefined) {
      this.#window = item.eventId;
      this.#group.openWindows.set(this.#triggerId, item.eventId);
    }
    resolve({ done: false, value: item.raw });
  }
}

function keyText(key: StreamKey): string {
  if (key === null || key === undefined) throw new TypeError("The key must not be null");
  return typeof key === "bigint" ? `${key}n` : JSON.stringify(key);
}
