import type { ClientPort } from "../broker.ts";
import { callAsLibrary, type LibraryRetries } from "../library-call.ts";
import { textOf } from "../ref-in.ts";
import { permissionDenied, pubsubErrorFrom } from "./pubsub-error.ts";
import type { PubSubServer } from "./pubsub-server.ts";
import { PubSubSubscription, type PubSubSubscriptionOptions } from "./pubsub-subscription.ts";

/** A message for `publishMessage`; `json` is serialised, `data` must be bytes. */
export interface PubSubOutgoing {
  readonly data?: Uint8Array | string | null;
  readonly json?: unknown;
  readonly attributes?: { readonly [key: string]: string } | null;
  readonly orderingKey?: string | null;
}

export interface PubSubTopic {
  readonly name: string;
  publishMessage(message: PubSubOutgoing): Promise<string>;
}

const PUBLISH_RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 100 };

/**
 * The client of a Pub/Sub subscription, with the interface of `PubSub` of `@google-cloud/pubsub`.
 *
 * - `subscription()`: `on`, `removeListener`, `removeAllListeners`, `open`, `close`; its messages
 *   have `ack`, `nack`, `modAck` and, of each, the form with a response.
 * - `topic()`: `publishMessage`.
 *
 * All its subscriptions read the one subscription of the model; all its topics are dead-letter
 * topics. Types, defaults and errors are those of `@google-cloud/pubsub` 5.
 *
 * @example A producer gets it from `checkProducer`
 * ```ts
 * import type { PubSubClient } from "faultlane/check";
 *
 * function ordersFrom(client: PubSubClient) {
 *   return client.subscription("orders", { flowControl: { maxMessages: 10 } });
 * }
 * console.log(ordersFrom.length); // => 1
 * ```
 */
export class PubSubClient {
  readonly #port: ClientPort;
  readonly #host: string;
  readonly #server: PubSubServer;
  readonly #consumer: string;
  readonly #subscriptions: PubSubSubscription[] = [];
  #published = 0;

  /** @internal */
  constructor(port: ClientPort, host: string, server: PubSubServer, consumer: string) {
    this.#port = port;
    this.#host = host;
    this.#server = server;
    this.#consumer = consumer;
  }

  /**
   * Returns a subscription, which pulls messages while it has a listener for them.
   *
   * @internal
   */
  subscription(name: string, options: PubSubSubscriptionOptions = {}): PubSubSubscription {
    const consumer = `${this.#consumer}.${this.#subscriptions.length + 1}`;
    const names = { name, host: this.#host, consumer };
    const subscription = new PubSubSubscription(this.#port, this.#server, names, options);
    this.#subscriptions.push(subscription);
    return subscription;
  }

  /**
   * Returns a dead-letter topic.
   *
   * @internal
   */
  topic(name: string): PubSubTopic {
    return { name, publishMessage: (message) => this.#publish(message) };
  }

  /** Closes all subscriptions. */
  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) await subscription.close();
  }

  /** Describes what this client has open. */
  openResources(): readonly string[] {
    return this.#subscriptions.flatMap((subscription) => subscription.openResources());
  }

  async #publish({ data, json, attributes }: PubSubOutgoing): Promise<string> {
    if (json === undefined && !(data instanceof Uint8Array)) {
      throw new TypeError("Data must be in the form of a Buffer or Uint8Array.");
    }
    const body = data instanceof Uint8Array ? textOf(data) : JSON.stringify(json);
    const text = body + JSON.stringify(attributes ?? {});
    const effect = (): string => {
      if (this.#server.refusal.isOn) throw permissionDenied();
      this.#server.leases.deadLettered(text);
      this.#published += 1;
      return String(this.#published);
    };
    const request = { site: "broker.produce", to: this.#host, effect, isRepeatable: true } as const;
    try {
      return await callAsLibrary(this.#port, request, PUBLISH_RETRIES);
    } catch (error) {
      throw pubsubErrorFrom(error);
    }
  }
}
