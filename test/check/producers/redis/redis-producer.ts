import type { Redis } from "ioredis";
import type { AdvanceItem, Lane, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import { pause } from "../pause.ts";

/** What the producer needs of ioredis. */
export interface RedisPort extends Pick<
  Redis,
  "xreadgroup" | "xack" | "xautoclaim" | "xclaim" | "xadd" | "xdel" | "quit"
> {
  duplicate(): RedisPort;
  disconnect(): void;
}

export interface RedisPayload {
  readonly id: string;
  readonly fields: readonly string[];
}

type Entry = readonly [id: string, fields: string[] | null] | null;

export interface RedisProducerOptions {
  readonly stream: string;
  readonly group: string;
  /** The same after each restart, so that what was pending is found again. */
  readonly consumer: string;
  readonly deadLetters: string;
  /** What nobody refreshed for so long is taken over. */
  readonly claimIdleMs: number;
}

export const REDIS_OPTIONS: RedisProducerOptions = {
  stream: "orders",
  group: "triggerer",
  consumer: "triggerer-1",
  deadLetters: "orders:dead",
  claimIdleMs: 15_000,
};

const COUNT = 32;
const BLOCK_MS = 1_000;
const BACKOFF_MS = 1_000;
const REFRESH_MS = 3_000;
const CLAIM_EVERY_MS = 5_000;

/**
 * A shared-stream producer on a Redis consumer group.
 *
 * Holds: what is outstanding is refreshed, so that nobody takes it over; what was pending before
 * the start is read first; what a dead consumer left is taken over; a held entry is claimed again
 * after a moment; a rejected one is in the dead-letter stream before it is acknowledged.
 */
export class RedisProducer implements SharedStreamProducer<readonly string[], RedisPayload> {
  readonly client: RedisPort;
  readonly options: RedisProducerOptions;
  /** Handed out and not resolved. */
  readonly held: Map<string, RedisPayload> = new Map();
  /** Resolved, and being acknowledged. */
  readonly #acking = new Set<string>();
  /** Resolved, and the acknowledgement did not get through. */
  readonly #unacked = new Set<string>();
  /** Held back: to be claimed again at this time. */
  readonly #again = new Map<string, number>();
  readonly #closing = new AbortController();
  #reader: RedisPort | undefined;
  #refreshing: ReturnType<typeof setInterval> | undefined;
  #refresh: Promise<void> = Promise.resolve();
  #claimedAt = 0;

  constructor(client: RedisPort, options: RedisProducerOptions = REDIS_OPTIONS) {
    this.client = client;
    this.options = options;
  }

  async *openStream(
    signal: AbortSignal,
  ): AsyncGenerator<readonly [readonly string[], RedisPayload]> {
    // A connection of its own: a blocking read holds up whatever is sent behind it.
    this.#reader = this.client.duplicate();
    this.#refreshing = setInterval(() => {
      this.#refresh = this.#refresh.then(() => this.refresh());
    }, REFRESH_MS);
    let isFirst = true;
    while (!signal.aborted) {
      let entries: readonly Entry[] = [];
      try {
        entries = isFirst ? await this.readPending(this.#reader) : await this.#next(this.#reader);
        isFirst = false;
      } catch (error) {
        if (isFatal(error)) throw error;
        await pause(BACKOFF_MS, signal);
      }
      for (const payload of await this.#fresh(entries)) {
        if (signal.aborted) return;
        yield [payload.fields, payload];
      }
    }
  }

  getAdvanceLane({ id }: RedisPayload): Lane {
    return id;
  }

  async advance(batch: readonly AdvanceItem<RedisPayload>[]): Promise<void> {
    const done: string[] = [];
    for (const { brokerPayload: payload, outcome } of batch) {
      if (outcome.failed > 0 || outcome.acked + outcome.rejected === 0) this.hold(payload);
      else if (outcome.rejected === 0 || (await this.#isDeadLettered(payload)))
        done.push(payload.id);
      else this.hold(payload);
    }
    if (done.length > 0) await this.#acknowledge(done);
  }

  async aclose(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#refreshing);
    this.#reader?.disconnect();
    await this.#refresh;
    await this.client.quit();
  }

  /** All that is pending for this consumer since before the start. */
  async readPending(reader: RedisPort): Promise<readonly Entry[]> {
    const { group, consumer, stream } = this.options;
    const entries: Entry[] = [];
    for (let after = "0"; ;) {
      const args = ["GROUP", group, consumer, "COUNT", COUNT, "STREAMS", stream, after] as const;
      const page = entriesOf(await reader.xreadgroup(...args));
      entries.push(...page);
      const last = page.at(-1);
      if (last === undefined || last === null) return entries;
      after = last[0];
    }
  }

  async readNew(reader: RedisPort): Promise<readonly Entry[]> {
    const { group, consumer, stream } = this.options;
    return entriesOf(
      await reader.xreadgroup(
        "GROUP",
        group,
        consumer,
        "COUNT",
        COUNT,
        "BLOCK",
        BLOCK_MS,
        "STREAMS",
        stream,
        ">",
      ),
    );
  }

  /** What has been idle for too long: its consumer is dead, or its answer got lost. */
  async takeOver(reader: RedisPort): Promise<readonly Entry[]> {
    const { stream, group, consumer, claimIdleMs } = this.options;
    const reply = await reader.xautoclaim(
      stream,
      group,
      consumer,
      claimIdleMs,
      "0",
      "COUNT",
      COUNT,
    );
    return reply[1] as Entry[];
  }

  async refresh(): Promise<void> {
    const { stream, group, consumer } = this.options;
    const unacked = [...this.#unacked];
    try {
      if (unacked.length > 0) await this.#acknowledge(unacked);
      const ids = [...this.held.keys(), ...this.#unacked, ...this.#again.keys()];
      if (ids.length > 0) await this.client.xclaim(stream, group, consumer, 0, ...ids, "JUSTID");
    } catch {
      // The next round does it; the idle threshold is five rounds away.
    }
  }

  isInHand(id: string): boolean {
    return (
      this.held.has(id) || this.#acking.has(id) || this.#unacked.has(id) || this.#again.has(id)
    );
  }

  hold({ id }: RedisPayload): void {
    this.held.delete(id);
    this.#again.set(id, Date.now() + BACKOFF_MS);
  }

  async deadLetter({ id, fields }: RedisPayload): Promise<void> {
    await this.client.xadd(this.options.deadLetters, "*", "id", id, ...fields);
  }

  async ack(ids: readonly string[]): Promise<void> {
    const { stream, group } = this.options;
    await this.client.xack(stream, group, ...ids);
  }

  async #isDeadLettered(payload: RedisPayload): Promise<boolean> {
    try {
      await this.deadLetter(payload);
      return true;
    } catch {
      return false;
    }
  }

  async #acknowledge(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.held.delete(id);
      this.#unacked.delete(id);
      this.#acking.add(id);
    }
    try {
      await this.ack(ids);
    } catch (error) {
      for (const id of ids) this.#unacked.add(id);
      if (isFatal(error)) throw error;
    } finally {
      for (const id of ids) this.#acking.delete(id);
    }
  }

  async #next(reader: RedisPort): Promise<readonly Entry[]> {
    const now = Date.now();
    const due = [...this.#again].flatMap(([id, at]) => (at <= now ? [id] : []));
    if (due.length > 0) return this.#claimAgain(reader, due);
    if (now - this.#claimedAt >= CLAIM_EVERY_MS) {
      const entries = await this.takeOver(reader);
      this.#claimedAt = now;
      if (entries.length > 0) return entries;
    }
    return this.readNew(reader);
  }

  async #claimAgain(reader: RedisPort, ids: readonly string[]): Promise<readonly Entry[]> {
    const { stream, group, consumer } = this.options;
    const entries = (await reader.xclaim(stream, group, consumer, 0, ...ids)) as Entry[];
    for (const id of ids) this.#again.delete(id);
    return entries;
  }

  /** Leaves out what is in hand already; what has no body any more is only acknowledged. */
  async #fresh(entries: readonly Entry[]): Promise<readonly RedisPayload[]> {
    const gone: string[] = [];
    const fresh: RedisPayload[] = [];
    for (const entry of entries) {
      // What a server before Redis 7 answers for an entry that was deleted.
      if (entry === null) continue;
      const [id, fields] = entry;
      if (this.isInHand(id)) continue;
      if (fields === null) {
        gone.push(id);
        continue;
      }
      const payload = { id, fields };
      this.held.set(id, payload);
      fresh.push(payload);
    }
    if (gone.length > 0) await this.#acknowledge(gone);
    return fresh;
  }
}

function entriesOf(reply: unknown): readonly Entry[] {
  return ((reply ?? []) as [string, Entry[]][]).flatMap(([, entries]) => entries);
}

/** What the server itself refuses does not get better; what the network did does. */
function isFatal(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError";
}
