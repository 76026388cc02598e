import type { AdvanceItem, SharedStreamProducer } from "faultlane";

/** The part of `fetch` that is needed; the global one fits. */
type Fetch = (
  url: string,
  init?: { method?: string; body?: string; signal?: AbortSignal },
) => Promise<Pick<Response, "status" | "json">>;

interface Event {
  readonly cursor: string;
  readonly data: unknown;
}

const FEED = "https://feed.example";

/**
 * Orders from a feed over HTTP as one writes it first: the cursor of each order that comes to
 * `advance` is stored. It passes what failed, which never comes again (G1), and what was rejected is
 * kept by nobody (G3).
 */
class NaiveFeed implements SharedStreamProducer<unknown, Event> {
  readonly #fetch: Fetch;
  #cursor = "oldest";

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Event]> {
    const stored = await this.#fetch(`${FEED}/cursors/triggerer`, { signal });
    if (stored.status === 200) this.#cursor = ((await stored.json()) as Event).cursor;
    while (!signal.aborted) {
      const url = `${FEED}/events?cursor=${this.#cursor}&wait=20`;
      const reply = await this.#fetch(url, { signal });
      if (reply.status !== 200) continue;
      const { events } = (await reply.json()) as { readonly events: readonly Event[] };
      for (const event of events) {
        this.#cursor = event.cursor;
        yield [event.data, event];
      }
    }
  }

  async advance(batch: readonly AdvanceItem<Event>[]): Promise<void> {
    for (const { brokerPayload } of batch) {
      const body = JSON.stringify({ cursor: brokerPayload.cursor });
      await this.#fetch(`${FEED}/cursors/triggerer`, { method: "PUT", body });
    }
  }
}

export function createProducer({
  client,
}: {
  readonly client: { readonly fetch: Fetch };
}): NaiveFeed {
  return new NaiveFeed(client.fetch);
}
