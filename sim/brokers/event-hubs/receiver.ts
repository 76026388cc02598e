import { untilAborted } from "../library-call.ts";
import { type EventPosition, type ReceivedEventData, receivedFrom } from "./event.ts";
import type { LastEnqueuedEventProperties, ReceiverLink } from "./hub.ts";
import type { EventHubsLink } from "./link.ts";
import { operationAborted } from "../azure-abort-error.ts";

export interface ReceiverSource {
  readonly eventHub: string;
  readonly consumerGroup: string;
  readonly partitionId: string;
  readonly ownerLevel: number | undefined;
  /** How many events may be fetched ahead; default three times the batch. */
  readonly prefetchCount: number | undefined;
}

/** How long the library collects events once the first is there. */
const COLLECT_MS = 20;

/**
 * Receives from one partition in batches, over a link that is opened when it is needed.
 *
 * Holds: when the service ends the link during `receiveBatch`, that call rejects; in between nobody
 * hears of it, and the next call opens the link again behind what was received.
 *
 * Source: @azure/event-hubs 6, partitionReceiver.js: `_onError` is set only while a batch is awaited
 */
export class PartitionReceiver {
  readonly #link: EventHubsLink;
  readonly #consumer: string;
  readonly #source: ReceiverSource;
  readonly #queue: ReceivedEventData[] = [];
  #position: EventPosition;
  #attached: ReceiverLink | undefined;
  #awaited: AbortController | undefined;
  lastEnqueued: LastEnqueuedEventProperties | undefined;

  constructor(
    link: EventHubsLink,
    consumer: string,
    source: ReceiverSource,
    position: EventPosition,
  ) {
    this.#link = link;
    this.#consumer = consumer;
    this.#source = source;
    this.#position = position;
    link.port.onDeath(() => this.#drop());
  }

  /**
   * Resolves with at most `max` events: those that are there 20 ms after the first, or none after
   * `waitMs`.
   *
   * @throws {Error} an `AbortError` when `signal` aborts
   * @throws {MessagingError} when the service ends the link, or cannot be reached
   */
  async receiveBatch(
    max: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<readonly ReceivedEventData[]> {
    if (signal.aborted) throw operationAborted();
    if (this.#queue.length < max) {
      const ending = new AbortController();
      const end = (): void => ending.abort(operationAborted());
      signal.addEventListener("abort", end, { once: true });
      this.#awaited = ending;
      try {
        await this.#fill(max, waitMs, ending.signal);
      } catch (error) {
        this.#drop();
        throw error;
      } finally {
        this.#awaited = undefined;
        signal.removeEventListener("abort", end);
      }
    }
    return this.#queue.splice(0, max);
  }

  /** Closes the link; a service out of reach learns of it by itself. */
  async close(): Promise<void> {
    const attached = this.#attached;
    this.#attached = undefined;
    if (attached === undefined) return;
    const detach = (): void => this.#link.hub.detach(attached);
    await this.#link.call("broker.session", detach).catch(detach);
  }

  async #fill(max: number, waitMs: number, signal: AbortSignal): Promise<void> {
    const { port, hub } = this.#link;
    const until = port.clock.now() + waitMs;
    const credits = Math.max(this.#source.prefetchCount ?? 3 * max, max);
    for (;;) {
      const attached = this.#attached ?? (await this.#attach(signal));
      let version = -1;
      const read = (): ReturnType<typeof hub.read> => {
        ({ version } = hub.arrivals);
        return hub.read(attached, credits - this.#queue.length);
      };
      const reply = this.#link.call("broker.fetch", read, { signal });
      const { events, last } = await untilAborted(reply, signal, () => reasonOf(signal));
      this.lastEnqueued = last;
      const newest = events.at(-1);
      if (newest !== undefined) this.#position = { sequenceNumber: newest.sequenceNumber };
      this.#queue.push(...events.map(receivedFrom));
      if (this.#queue.length > 0) await this.#link.pause(COLLECT_MS, signal);
      const leftMs = until - port.clock.now();
      if (this.#queue.length > 0 || leftMs <= 0) return;
      await hub.arrivals.wait(port, leftMs, signal, version);
      if (signal.aborted) throw reasonOf(signal);
    }
  }

  async #attach(signal: AbortSignal): Promise<ReceiverLink> {
    const { port, hub } = this.#link;
    const { eventHub, consumerGroup, partitionId, ownerLevel: epoch } = this.#source;
    const attached: ReceiverLink = {
      consumer: this.#consumer,
      partitionId,
      epoch,
      next: 0,
      ended: undefined,
      onEnded: () => void port.after(1, () => this.#lose(attached)),
    };
    const position = this.#position;
    const attach = (): void => hub.attach(attached, eventHub, consumerGroup, position);
    this.#attached = attached;
    const reply = this.#link.call("broker.session", attach, { signal });
    await untilAborted(reply, signal, () => reasonOf(signal));
    return attached;
  }

  #lose(attached: ReceiverLink): void {
    if (this.#attached !== attached) return;
    this.#attached = undefined;
    this.#awaited?.abort(attached.ended);
  }

  /** The connection is gone, and with it the link. */
  #drop(): void {
    if (this.#attached !== undefined) this.#link.hub.detach(this.#attached);
    this.#attached = undefined;
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error;
}
