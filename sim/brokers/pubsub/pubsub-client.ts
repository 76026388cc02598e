import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { callAsLibrary, type LibraryRetries } from "../library-call.ts";
import { NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import { clientClosed, pubsubErrorFrom } from "./pubsub-error.ts";
import type { PubSubServer } from "./pubsub-server.ts";
import {
  assertTopicOptions,
  type PubSubPublication,
  PubSubPublisher,
  type PubSubTopicOptions,
} from "./pubsub-publisher.ts";
import { PubSubTopic } from "./pubsub-topic.ts";
import { PubSubSubscription, type PubSubSubscriptionOptions } from "./pubsub-subscription.ts";

const SEE = "brokers.pubsub";
const PROJECT = "simulated-project";
const PUBLISH_RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 100 };

/**
 * The client of a Pub/Sub subscription, with the interface of `PubSub` of `@google-cloud/pubsub`.
 *
 * - `subscription()`: `on`, `removeListener`, `removeAllListeners`, `open`, `close`; its messages
 *   have `ack`, `nack`, `modAck` and, of each, the form with a response.
 * - `topic()`: `publishMessage` with and without batches and ordering keys, `flush`, `exists`.
 *
 * All its subscriptions read the one subscription of the model; what is published to its topic
 * comes to it, and all other topics are dead-letter topics. With the model's options `subscription`
 * and `deadLetterTopics` every other name is unknown. Types, defaults and errors are those of
 * `@google-cloud/pubsub` 5. What else the library
 * publishes is refused by name, as are options that would be ignored.
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
  static {
    Object.defineProperty(this, "name", { value: "PubSub" });
  }

  /** @internal */
  readonly projectId: string = PROJECT;
  /** @internal */
  readonly name: string = `projects/${PROJECT}`;
  /** @internal */
  readonly isEmulator: boolean = false;
  /** @internal */
  readonly isIdResolved: boolean = true;
  /** @internal */
  readonly options: { readonly projectId: string } = { projectId: PROJECT };
  /** @internal */
  readonly Promise: PromiseConstructor = Promise;
  /** @internal */
  readonly closeAllClients_: Refusing = refusing("PubSub.closeAllClients_()", SEE);
  /** @internal */
  readonly createSchema: Refusing = refusing("PubSub.createSchema()", SEE);
  /** @internal */
  readonly createSubscription: Refusing = refusing("PubSub.createSubscription()", SEE);
  /** @internal */
  readonly createTopic: Refusing = refusing("PubSub.createTopic()", SEE);
  /** @internal */
  readonly detachSubscription: Refusing = refusing("PubSub.detachSubscription()", SEE);
  /** @internal */
  readonly getClientConfig: Refusing = refusing("PubSub.getClientConfig()", SEE);
  /** @internal */
  readonly getSchemaClient: Refusing = refusing("PubSub.getSchemaClient()", SEE);
  /** @internal */
  readonly getSnapshots: Refusing = refusing("PubSub.getSnapshots()", SEE);
  /** @internal */
  readonly getSnapshotsStream: Refusing = refusing("PubSub.getSnapshotsStream()", SEE);
  /** @internal */
  readonly getSubscriptions: Refusing = refusing("PubSub.getSubscriptions()", SEE);
  /** @internal */
  readonly getSubscriptionsStream: Refusing = refusing("PubSub.getSubscriptionsStream()", SEE);
  /** @internal */
  readonly getTopics: Refusing = refusing("PubSub.getTopics()", SEE);
  /** @internal */
  readonly getTopicsStream: Refusing = refusing("PubSub.getTopicsStream()", SEE);
  /** @internal */
  readonly listSchemas: Refusing = refusing("PubSub.listSchemas()", SEE);
  /** @internal */
  readonly request: Refusing = refusing("PubSub.request()", SEE);
  /** @internal */
  readonly schema: Refusing = refusing("PubSub.schema()", SEE);
  /** @internal */
  readonly snapshot: Refusing = refusing("PubSub.snapshot()", SEE);
  /** @internal */
  readonly validateSchema: Refusing = refusing("PubSub.validateSchema()", SEE);
  readonly #port: ClientPort;
  readonly #host: string;
  readonly #server: PubSubServer;
  readonly #consumer: string;
  readonly #subscriptions: PubSubSubscription[] = [];
  #isOpen = true;

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
  subscription(
    name: string,
    options: PubSubSubscriptionOptions = {},
    topic?: PubSubTopic,
  ): PubSubSubscription {
    if (!name) throw new Error("A name must be specified for a subscription.");
    const consumer = `${this.#consumer}.${this.#subscriptions.length + 1}`;
    const names = { name, host: this.#host, consumer, client: this, topic };
    const subscription = new PubSubSubscription(this.#port, this.#server, names, options);
    this.#subscriptions.push(subscription);
    return subscription;
  }

  /**
   * Returns a topic: that of the subscription, or one for dead letters.
   *
   * @internal
   */
  topic(name: string, options: PubSubTopicOptions = {}): PubSubTopic {
    if (!name) throw new Error("A name must be specified for a topic.");
    assertTopicOptions(options);
    const path = name.includes("/") ? name : `projects/${PROJECT}/topics/${name}`;
    const send = (batch: readonly PubSubPublication[]) => this.#publish(path, batch);
    const publisher = new PubSubPublisher(this.#port.clock, send, options);
    return new PubSubTopic(this, path, publisher, () => this.#exists(path));
  }

  /** @internal */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** @internal */
  get auth(): never {
    throw new NotModelled("PubSub.auth", SEE);
  }

  /** @internal */
  get api(): never {
    throw new NotModelled("PubSub.api", SEE);
  }

  /** Nothing is published any more; subscriptions go on. Calls `done`, if there is one. */
  async close(done?: (error?: Error | null) => void): Promise<void> {
    this.#isOpen = false;
    await Promise.resolve();
    done?.(null);
  }

  /** Describes what this client has open. */
  openResources(): readonly string[] {
    return this.#subscriptions.flatMap((subscription) => subscription.openResources());
  }

  async #exists(topic: string): Promise<boolean> {
    const effect = (): boolean => this.#server.hasTopic(topic);
    return await this.#called({ site: "broker.session", effect });
  }

  async #publish(topic: string, batch: readonly PubSubPublication[]): Promise<readonly string[]> {
    if (!this.#isOpen) throw clientClosed();
    const effect = (): readonly string[] => this.#server.publish(topic, batch);
    return await this.#called({ site: "broker.produce", effect });
  }

  async #called<T>(call: { readonly site: SiteName; readonly effect: () => T }): Promise<T> {
    const request = { ...call, to: this.#host, isRepeatable: true };
    try {
      return await callAsLibrary(this.#port, request, PUBLISH_RETRIES);
    } catch (error) {
      throw pubsubErrorFrom(error);
    }
  }
}
