import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";
import type { Redis } from "ioredis";

interface Payload {
  readonly id: string;
  readonly fields: readonly string[];
}

/** An entry without fields was deleted; null is what servers before Redis 7 reply for one. */
type Entry = readonly [id: string, fields: readonly string[] | null] | null;

const STREAM = "orders";
const GROUP = "triggerer";
/** The same after each restart, so that what was pending is found again. */
const CONSUMER = "triggerer-1";
const DEAD_LETTERS = "orders:dead";
const BACKOFF_MS = 1_000;
const REFRESH_MS = 3_000;
const CLAIM_EVERY_MS = 5_000;
/** What nobody refreshed for so long, five refreshes, is taken over. */
const CLAIM_IDLE_MS = 15_000;

/**
 * Orders from a Redis stream, in a consumer group. Repairs, against naive-redis.ts:
 *
 * - What was pending before the start is read first; what failed is claimed again after a moment;
 *   what a dead consumer left is taken over when it has been idle for long enough (G8).
 * - What is outstanding is claimed again and again, so that no other consumer takes it over (G9).
 * - A rejected order that cannot be added to the dead-letter stream is held (G3).
 * - An acknowledgement that did not get through is sent again; meanwhile the entry counts as in
 *   hand, and no copy of it is handed out (G4, G10).
 * - Entries that were deleted from the stream have no fields, and are only acknowledged.
 * - A read that the network failed is tried again; what the server refuses ends the stream (G10).
 * - The end waits for the refresh under way before it quits (G6).
 */
class Orders implements SharedStreamProducer<readonly string[], Payload> {
  readonly #client: Redis;
  /** In hand: handed out, being acknowledged, or to be acknowledged by the next refresh. */
  readonly #held = new Map<string, "out" | "acking" | "unacked">();
  /** Held back, to be claimed again at that time. */
  readonly #again = new Map<string, number>();
  #reader: Redis | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #claimedAt = 0;

  constructor(client: Redis) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [readonly string[], Payload]> {
    // A connection of its own: a blocking read holds up whatever is sent behind it.
    this.#reader = this.#client.duplicate();
    this.#timer = setInterval(() => {
      this.#refreshing = this.#refreshing.then(() => this.#refresh());
    }, REFRESH_MS);
    let isFirst = true;
    while (!signal.aborted) {
      let entries: readonly Entry[] = [];
      try {
        entries = await (isFirst ? this.#readPending(this.#reader) : this.#readNext(this.#reader));
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

  getAdvanceLane({ id }: Payload): Lane {
    return id;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    const done: string[] = [];
    for (const { brokerPayload: payload, outcome } of batch) {
      const mustHold = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (mustHold || (outcome.rejected > 0 && !(await this.#isDeadLettered(payload)))) {
        this.#held.delete(payload.id);
        this.#again.set(payload.id, performance.now() + BACKOFF_MS);
      } else done.push(payload.id);
    }
    await this.#acknowledge(done);
  }

  async aclose(): Promise<void> {
    clearInterval(this.#timer);
    this.#reader?.disconnect();
    await this.#refreshing;
    await this.#client.quit();
  }

  async #isDeadLettered({ id, fields }: Payload): Promise<boolean> {
    try {
      await this.#client.xadd(DEAD_LETTERS, "*", "id", id, ...fields);
      return true;
    } catch {
      return false;
    }
  }

  async #acknowledge(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of ids) this.#held.set(id, "acking");
    try {
      await this.#client.xack(STREAM, GROUP, ...ids);
      for (const id of ids) this.#held.delete(id);
    } catch (error) {
      for (const id of ids) this.#held.set(id, "unacked");
      if (isFatal(error)) throw error;
    }
  }

  async #refresh(): Promise<void> {
    const unacked = [...this.#held].flatMap(([id, state]) => (state === "unacked" ? [id] : []));
    try {
      await this.#acknowledge(unacked);
      const outstanding = [...this.#held].flatMap(([id, is]) => (is === "acking" ? [] : [id]));
      const ids = [...outstanding, ...this.#again.keys()];
      if (ids.length === 0) return;
      await this.#client.xclaim(STREAM, GROUP, CONSUMER, 0, ...ids, "JUSTID");
    } catch {
      // The next refresh does it: others may take over only after five.
    }
  }

  /** Returns all that has been pending for this consumer since before the start. */
  async #readPending(reader: Redis): Promise<readonly Entry[]> {
    const pending: Entry[] = [];
    for (let after = "0"; ;) {
      const range = ["COUNT", 32, "STREAMS", STREAM, after] as const;
      const page = entriesOf(await reader.xreadgroup("GROUP", GROUP, CONSUMER, ...range));
      pending.push(...page);
      const last = page.at(-1);
      if (last === undefined || last === null) return pending;
      after = last[0];
    }
  }

  /** Returns what is due to be claimed again, else what a dead consumer left, else what is new. */
  async #readNext(reader: Redis): Promise<readonly Entry[]> {
    const now = performance.now();
    const due = [...this.#again].flatMap(([id, at]) => (at <= now ? [id] : []));
    if (due.length > 0) {
      const entries = await reader.xclaim(STREAM, GROUP, CONSUMER, 0, ...due);
      for (const id of due) this.#again.delete(id);
      return entries as Entry[];
    }
    if (now - this.#claimedAt >= CLAIM_EVERY_MS) {
      const range = ["0", "COUNT", 32] as const;
      const reply = await reader.xautoclaim(STREAM, GROUP, CONSUMER, CLAIM_IDLE_MS, ...range);
      this.#claimedAt = now;
      const entries = reply[1] as Entry[];
      if (entries.length > 0) return entries;
    }
    const range = ["COUNT", 32, "BLOCK", 1_000, "STREAMS", STREAM, ">"] as const;
    return entriesOf(await reader.xreadgroup("GROUP", GROUP, CONSUMER, ...range));
  }

  /** Returns what is not in hand already; what has no fields any more is acknowledged. */
  async #fresh(entries: readonly Entry[]): Promise<readonly Payload[]> {
    const deleted: string[] = [];
    const fresh: Payload[] = [];
    for (const entry of entries) {
      if (entry === null) continue;
      const [id, fields] = entry;
      if (this.#held.has(id) || this.#again.has(id)) continue;
      if (fields === null) {
        deleted.push(id);
        continue;
      }
      this.#held.set(id, "out");
      fresh.push({ id, fields });
    }
    await this.#acknowledge(deleted);
    return fresh;
  }
}

function entriesOf(reply: unknown): readonly Entry[] {
  return ((reply ?? []) as [stream: string, entries: Entry[]][]).flatMap(([, entries]) => entries);
}

/** What the server itself refuses does not get better; what the network did does. */
function isFatal(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError";
}

/** Waits for `ms`, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

export function createProducer({ client }: { readonly client: Redis }): Orders {
  return new Orders(client);
}
