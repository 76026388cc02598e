import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";
import type { RedisClientType } from "@redis/client";

type Fields = Readonly<Record<string, string>>;

interface Payload {
  readonly id: string;
  readonly fields: Fields;
}

interface Entry {
  readonly id: string;
  readonly message: Fields;
}

/** What the producer needs of a client of node-redis: the real one, or that of a check. */
export interface RedisPort extends Pick<RedisClientType, Commands> {
  duplicate(): RedisPort;
  connect(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

type Commands =
  | ("xAck" | "xAdd" | "xAutoClaim" | "xClaim" | "xClaimJustId" | "xPendingRange")
  | ("xReadGroup" | "close" | "destroy" | "isOpen");

const STREAM = "orders";
const GROUP = "triggerer";
/** The same after each restart, so that what was pending is found again. */
const CONSUMER = "triggerer-1";
const DEAD_LETTERS = "orders:dead";
const PAGE = 32;
const BACKOFF_MS = 1_000;
const REFRESH_MS = 3_000;
const CLAIM_EVERY_MS = 5_000;
/** What nobody refreshed for so long, five refreshes, is taken over. */
const CLAIM_IDLE_MS = 15_000;

/**
 * Orders from a Redis stream, in a consumer group, through node-redis. Repairs, against
 * naive-node-redis.ts:
 *
 * - What was pending before the start is read first; what failed is claimed again after a moment;
 *   what a dead consumer left is taken over when it has been idle for long enough (G8).
 * - What is outstanding is claimed again and again, so that no other consumer takes it over (G9).
 * - A rejected order that cannot be added to the dead-letter stream is held (G3).
 * - An acknowledgement that did not get through is sent again; meanwhile the entry counts as in
 *   hand, and no copy of it is handed out (G4, G10).
 * - What is pending is read by XPENDING and claimed: a deleted entry that is read as pending has no
 *   fields, over which the library stumbles; claimed, it is dropped by servers from version 7 on (G8).
 * - A read that the network failed is tried again; what the server refuses ends the stream (G10).
 * - Somebody listens to `error`: an event emitter throws one that nobody listens to, which ends
 *   the process, and a lost connection is one.
 * - The end waits for the refresh and the connection under way before it closes (G6).
 */
class Orders implements SharedStreamProducer<Fields, Payload> {
  readonly #client: RedisPort;
  /** In hand: handed out, being acknowledged, or to be acknowledged by the next refresh. */
  readonly #held = new Map<string, "out" | "acking" | "unacked">();
  /** Held back, to be claimed again at that time. */
  readonly #again = new Map<string, number>();
  #reader: RedisPort | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #connecting: Promise<unknown> = Promise.resolve();
  #refreshing: Promise<void> = Promise.resolve();
  #claimedAt = 0;

  constructor(client: RedisPort) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [Fields, Payload]> {
    // A connection of its own: a blocking read holds up whatever is sent behind it.
    this.#reader = this.#client.duplicate();
    for (const client of [this.#client, this.#reader]) {
      // The command that failed rejects, too; the library connects anew by itself.
      client.on("error", () => undefined);
      this.#connecting = client.connect();
      await this.#connecting;
      if (signal.aborted) return;
    }
    this.#timer = setInterval(() => {
      this.#refreshing = this.#refreshing.then(() => this.#refresh());
    }, REFRESH_MS);
    let isFirst = true;
    while (!signal.aborted) {
      let entries: readonly (Entry | null)[] = [];
      try {
        entries = await (isFirst ? this.#readPending(this.#reader) : this.#readNext(this.#reader));
        isFirst = false;
      } catch (error) {
        if (isFatal(error)) throw error;
        await pause(BACKOFF_MS, signal);
      }
      for (const payload of this.#fresh(entries)) {
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
    // The library does not close a connection that it has not made yet.
    await this.#connecting.catch(() => undefined);
    clearInterval(this.#timer);
    if (this.#reader?.isOpen === true) this.#reader.destroy();
    await this.#refreshing;
    if (this.#client.isOpen) await this.#client.close();
  }

  async #isDeadLettered({ id, fields }: Payload): Promise<boolean> {
    try {
      await this.#client.xAdd(DEAD_LETTERS, "*", { id, ...fields });
      return true;
    } catch {
      return false;
    }
  }

  async #acknowledge(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    for (const id of ids) this.#held.set(id, "acking");
    try {
      await this.#client.xAck(STREAM, GROUP, [...ids]);
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
      await this.#client.xClaimJustId(STREAM, GROUP, CONSUMER, 0, ids);
    } catch {
      // The next refresh does it: others may take over only after five.
    }
  }

  /** Returns all that has been pending for this consumer since before the start. */
  async #readPending(reader: RedisPort): Promise<readonly (Entry | null)[]> {
    const pending: (Entry | null)[] = [];
    for (let after = "-"; ;) {
      const of = { consumer: CONSUMER };
      const page = await reader.xPendingRange(STREAM, GROUP, after, "+", PAGE, of);
      const ids = page.map(({ id }) => id);
      const last = ids.at(-1);
      if (last === undefined) return pending;
      pending.push(...(await reader.xClaim(STREAM, GROUP, CONSUMER, 0, ids)));
      after = `(${last}`;
    }
  }

  /** Returns what is due to be claimed again, else what a dead consumer left, else what is new. */
  async #readNext(reader: RedisPort): Promise<readonly (Entry | null)[]> {
    const now = performance.now();
    const due = [...this.#again].flatMap(([id, at]) => (at <= now ? [id] : []));
    if (due.length > 0) {
      const entries = await reader.xClaim(STREAM, GROUP, CONSUMER, 0, due);
      for (const id of due) this.#again.delete(id);
      return entries;
    }
    if (now - this.#claimedAt >= CLAIM_EVERY_MS) {
      const range = { COUNT: PAGE };
      const { messages } = await reader.xAutoClaim(
        STREAM,
        GROUP,
        CONSUMER,
        CLAIM_IDLE_MS,
        "0",
        range,
      );
      this.#claimedAt = now;
      if (messages.length > 0) return messages;
    }
    const stream = { key: STREAM, id: ">" };
    const streams = await reader.xReadGroup(GROUP, CONSUMER, stream, { COUNT: PAGE, BLOCK: 1_000 });
    return (streams ?? []).flatMap(({ messages }) => messages);
  }

  /** Returns what is not in hand already. */
  #fresh(entries: readonly (Entry | null)[]): readonly Payload[] {
    const fresh: Payload[] = [];
    for (const entry of entries) {
      // What was deleted is gone, and pending no more.
      if (entry === null || this.#held.has(entry.id) || this.#again.has(entry.id)) continue;
      this.#held.set(entry.id, "out");
      fresh.push({ id: entry.id, fields: entry.message });
    }
    return fresh;
  }
}

/**
 * What the server itself refuses does not get better; what the network did does. A refusal begins
 * with its code, as NOGROUP. (`instanceof ErrorReply` says the same where the library is imported.)
 */
function isFatal(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]+ /.test(error.message);
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

export function createProducer({ client }: { readonly client: RedisPort }): Orders {
  return new Orders(client);
}
