import type { AdvanceItem, SharedStreamProducer } from "faultlane";

/** The part of `fetch` that is needed; the global one fits. */
type Fetch = (
  url: string,
  init?: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Reply>;
type Reply = Pick<Response, "status" | "ok" | "json" | "headers">;

/** An event between two cursors: a reader at `before` gets it next. */
interface Place {
  readonly before: string;
  readonly after: string;
  readonly data: unknown;
}

interface Page {
  readonly events: readonly { readonly cursor: string; readonly data: unknown }[];
}

const FEED = "https://feed.example";
const READER = `${FEED}/cursors/triggerer`;
const WAIT_SECONDS = 20;
/** No reply comes so late, if one comes at all. */
const GIVE_UP_MS = 25_000;
const RETRY_MS = 2_000;
const ATTEMPTS_MAX = 4;
const BACKOFF_MS = 1_000;

/**
 * Orders from a feed over HTTP. Repairs, against naive-http-feed.ts:
 *
 * - The cursor is stored behind what is done, never behind what was only read (G2), and never past an
 *   order that has to come again (G1): that one is read again after a moment.
 * - A rejected order is a dead letter before the cursor passes it; if that fails, it comes again (G3).
 * - The cursor is stored only if the one that it follows is stored still, so that a request that
 *   comes late, from a process that is gone, moves nothing back (G5).
 * - 204, 503, 504 and a lost connection are no reason to end the stream (G10); each is tried again
 *   after a moment, the poll with a time limit of its own.
 * - A cursor that retention has overtaken (410) begins anew at the oldest event; one that is stored
 *   only then does not move it back.
 * - What was read before an older order came again is not settled by its old outcome.
 * - The poll that waits is aborted at the end, and no timer is left (G6).
 */
class Feed implements SharedStreamProducer<unknown, Place> {
  readonly #fetch: Fetch;
  /** Where the next page begins; undefined: as far as the reader was stored. */
  #position: string | undefined;
  /** The cursor up to which all is done; undefined: as far as the reader was stored. */
  #done: string | undefined;
  /** The cursor that is stored; undefined: none. */
  #stored: string | undefined;
  /** From where to read again. */
  #again: { readonly from: string | undefined } | undefined;
  #poll = new AbortController();

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Place]> {
    const onAbort = (): void => this.#poll.abort();
    signal.addEventListener("abort", onAbort);
    while (!signal.aborted) {
      if (this.#again !== undefined) {
        await pause(RETRY_MS, signal);
        this.#position = this.#again.from;
        this.#again = undefined;
        continue;
      }
      const places = await this.#read().catch(() => undefined);
      if (places === undefined && this.#again === undefined) await pause(BACKOFF_MS, signal);
      for (const place of places ?? []) {
        if (signal.aborted || this.#again !== undefined) break;
        this.#position = place.after;
        yield [place.data, place];
      }
    }
    signal.removeEventListener("abort", onAbort);
  }

  /** The feed is one lane: its cursor passes one order after the other. */
  getAdvanceLane(): string {
    return FEED;
  }

  async advance(batch: readonly AdvanceItem<Place>[]): Promise<void> {
    let upTo: string | undefined;
    for (const { brokerPayload: place, outcome } of batch) {
      const { acked, failed, rejected } = outcome;
      if (place.before !== (upTo ?? this.#done)) continue;
      const isHeld = failed > 0 || acked + rejected === 0;
      if (isHeld || (rejected > 0 && !(await this.#isBuried(place)))) {
        this.#readAgain(place.before);
        break;
      }
      upTo = place.after;
    }
    if (upTo === undefined) return;
    const before = this.#done;
    const isStored = await this.#store(upTo);
    if (isStored === "elsewhere") this.#beginAnew();
    // Retention may have overtaken the cursor meanwhile: reading has begun anew, further on.
    else if (isStored) this.#done = this.#done === before ? upTo : this.#done;
    else if (before !== undefined) this.#readAgain(before);
  }

  /** Another process has stored a cursor: what was read here is of no use. */
  #beginAnew(): void {
    this.#done = undefined;
    this.#readAgain(undefined);
  }

  aclose(): Promise<void> {
    this.#poll.abort();
    return Promise.resolve();
  }

  #readAgain(from: string | undefined): void {
    this.#again = { from };
    this.#poll.abort();
  }

  /** Returns the next orders; none when there are none yet. */
  async #read(): Promise<readonly Place[]> {
    this.#poll = new AbortController();
    const { signal } = this.#poll;
    this.#position ??= await this.#storedPosition();
    this.#done ??= this.#position;
    const timer = setTimeout(() => this.#poll.abort(), GIVE_UP_MS);
    try {
      const query = `cursor=${this.#position}&limit=50&wait=${WAIT_SECONDS}`;
      const reply = await this.#fetch(`${FEED}/events?${query}`, { signal });
      if (reply.status === 204) return [];
      const body: unknown = await reply.json();
      if (reply.status === 410) {
        const { oldest } = body as { readonly oldest: string };
        [this.#position, this.#done] = [oldest, oldest];
        return [];
      }
      if (!reply.ok) throw new Error(`The feed replied with ${reply.status}`);
      return placesIn(body as Page, this.#position);
    } finally {
      clearTimeout(timer);
    }
  }

  async #storedPosition(): Promise<string> {
    const reply = await this.#fetch(READER, { signal: this.#poll.signal });
    if (!reply.ok && reply.status !== 404) throw new Error(`The feed replied with ${reply.status}`);
    const known = reply.ok
      ? ((await reply.json()) as { readonly cursor: string }).cursor
      : undefined;
    this.#stored = known;
    return known ?? "oldest";
  }

  /** Returns whether the cursor is stored, or another one than the one that it follows. */
  async #store(cursor: string): Promise<boolean | "elsewhere"> {
    const headers: Record<string, string> =
      this.#stored === undefined
        ? { "if-none-match": "*" }
        : { "if-match": JSON.stringify(this.#stored) };
    const reply = await this.#send(READER, {
      method: "PUT",
      headers,
      body: JSON.stringify({ cursor }),
    });
    if (reply?.status === 412) {
      const { cursor: stored } = (await reply.json()) as { readonly cursor: string };
      // The reply to an earlier attempt was lost.
      if (stored !== cursor) return "elsewhere";
    } else if (reply?.ok !== true) {
      return false;
    }
    this.#stored = cursor;
    return true;
  }

  async #isBuried({ data }: Place): Promise<boolean> {
    const body = JSON.stringify({ data, reason: "rejected" });
    const reply = await this.#send(`${FEED}/dead-letters`, { method: "POST", body });
    return reply?.ok === true;
  }

  /** Sends a request until it is taken, or refused for good; undefined when there is no reply. */
  async #send(url: string, init: Parameters<Fetch>[1]): Promise<Reply | undefined> {
    let last: Reply | undefined;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const reply = await this.#fetch(url, init).catch(() => undefined);
      last = reply;
      if (reply !== undefined && reply.status < 500) return reply;
      const seconds = Number(reply?.headers.get("retry-after") ?? 0);
      const ms = seconds > 0 ? 1_000 * seconds : attempt * BACKOFF_MS;
      if (attempt < ATTEMPTS_MAX) await new Promise((resolve) => setTimeout(resolve, ms));
    }
    return last;
  }
}

function placesIn({ events }: Page, from: string): readonly Place[] {
  let before = from;
  return events.map(({ cursor, data }) => {
    const place = { before, after: cursor, data };
    before = cursor;
    return place;
  });
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

export function createProducer({ client }: { readonly client: { readonly fetch: Fetch } }): Feed {
  return new Feed(client.fetch);
}
