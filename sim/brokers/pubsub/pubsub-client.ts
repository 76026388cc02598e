import type { SiteName } from "../../faults/site.ts";
import type { ClientPort } from "../broker.ts";
import { adoptClientClass } from "../library-clients.ts";
import { callAsLibrary, type LibraryRetries } from "../library-call.ts";
import { assertModelled, NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import type { PubSubAdmin } from "./pubsub-admin.ts";
import { answered, doneOf, optionsOf, type PubSubDone } from "./pubsub-answers.ts";
import {
  assertSubscriptionSettings,
  assertTopicSettings,
  type PubSubNamedTopic,
  type PubSubSubscriptionMetadata,
  type PubSubSubscriptionSettings,
  type PubSubTopicMetadata,
  type PubSubTopicSettings,
} from "./pubsub-resources.ts";
import { clientClosed, pubsubErrorFrom } from "./pubsub-error.ts";
import { PROJECT, type PubSubServer } from "./pubsub-server.ts";
import {
  assertTopicOptions,
  type PubSubPublication,
  PubSubPublisher,
  type PubSubTopicOptions,
} from "./pubsub-publisher.ts";
import { PubSubTopic } from "./pubsub-topic.ts";
import type {
  PubSubCreatedSubscription,
  PubSubSubscriptionOptions,
} from "./pubsub-named-subscription.ts";
import { PubSubSubscription } from "./pubsub-subscription.ts";

type MadeTopic = [PubSubTopic, PubSubTopicMetadata];
type MadeSubscription = [PubSubSubscription, PubSubSubscriptionMetadata];
type ListedTopics = [PubSubTopic[], object, object];
type ListedSubscriptions = [PubSubSubscription[], object, object];
interface ListedOf {
  readonly topic?: PubSubTopic | string;
}

const SEE = "brokers.pubsub";
const PUBLISH_RETRIES: LibraryRetries = { attemptsMax: 3, firstDelayMs: 100 };

/**
 * The client of a Pub/Sub subscription, with the interface of `PubSub` of `@google-cloud/pubsub`.
 *
 * - `subscription()`: `on`, `removeListener`, `removeAllListeners`, `open`, `close`; its messages
 *   have `ack`, `nack`, `modAck` and, of each, the form with a response.
 * - `topic()`: `publishMessage` with and without batches and ordering keys, `flush`.
 * - Of both: `create`, `get`, `exists`, `delete`, `getMetadata`, `setMetadata` and lists.
 *
 * Each subscription of a topic gets what is published to it. That of the options has the records of
 * the workload; without its name there, that is the first that is made of the workload's topic, and
 * any name that was not made reads it, too. All other topics take dead letters. With the model's
 * options `subscription` and `deadLetterTopics` names that are not made are unknown. Types, defaults and errors are those of
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
  readonly getSubscriptionsStream: Refusing = refusing("PubSub.getSubscriptionsStream()", SEE);
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
    adoptClientClass(this, "@google-cloud/pubsub", "PubSub");
  }

  /**
   * Returns a subscription, which pulls messages while it has a listener for them.
   *
   * @internal
   */
  subscription(
    name: string,
    options?: PubSubSubscriptionOptions | null,
    topic?: PubSubTopic,
  ): PubSubSubscription {
    if (!name) throw new Error("A name must be specified for a subscription.");
    const consumer = `${this.#consumer}.${this.#subscriptions.length + 1}`;
    const names = { name, host: this.#host, consumer, client: this, topic };
    const subscription = new PubSubSubscription(this.#port, this.#server, names, options ?? {});
    this.#subscriptions.push(subscription);
    return subscription;
  }

  /**
   * Returns a topic: that of the subscription, or one for dead letters.
   *
   * @internal
   */
  topic(name: string, given?: PubSubTopicOptions | null): PubSubTopic {
    if (!name) throw new Error("A name must be specified for a topic.");
    const options = given ?? {};
    assertTopicOptions(options);
    const path = name.includes("/") ? name : `projects/${PROJECT}/topics/${name}`;
    const send = (batch: readonly PubSubPublication[]) => this.#publish(path, batch);
    const publisher = new PubSubPublisher(this.#port.clock, send, options);
    return new PubSubTopic(this, path, publisher, this.#server);
  }

  /**
   * Makes a topic, by its name or with settings.
   *
   * @internal
   */
  createTopic(
    named: string | PubSubNamedTopic,
    options?: object | PubSubDone<MadeTopic>,
    done?: PubSubDone<MadeTopic>,
  ): Promise<MadeTopic> {
    return answered(doneOf(options, done), () => {
      optionsOf("PubSub.createTopic()", options, []);
      const { name, ...settings } = typeof named === "object" ? named : { name: named };
      const topic = this.topic(typeof name === "string" ? name : "");
      assertTopicSettings("PubSub.createTopic()", settings);
      return this.#madeTopic(topic, settings);
    });
  }

  /**
   * Makes a subscription of a topic.
   *
   * @internal
   */
  createSubscription(
    topic: PubSubTopic | string,
    name: string,
    options?: PubSubCreatedSubscription | PubSubDone<MadeSubscription>,
    done?: PubSubDone<MadeSubscription>,
  ): Promise<MadeSubscription> {
    return answered(doneOf(options, done), () => {
      if (typeof topic !== "string" && !PubSubTopic.isTopic(topic)) {
        throw new Error("A Topic is required for a new subscription.");
      }
      if (typeof name !== "string") throw new Error("A subscription name is required.");
      const of = typeof topic === "string" ? this.topic(topic).name : topic.name;
      const { flowControl, gaxOpts, ...settings } = typeof options === "object" ? options : {};
      assertModelled("createSubscription() with gaxOpts", gaxOpts ?? {}, [], SEE);
      const subscription = this.subscription(name, flowControl ? { flowControl } : {});
      assertSubscriptionSettings("createSubscription()", settings, "made");
      return this.#madeSubscription(of, subscription, settings);
    });
  }

  /**
   * Lists the topics that have been named: those of the options, and those that were made.
   *
   * @internal
   */
  getTopics(
    options?: object | PubSubDone<ListedTopics>,
    done?: PubSubDone<ListedTopics>,
  ): Promise<ListedTopics> {
    return answered(doneOf(options, done), async () => {
      optionsOf("PubSub.getTopics()", options, []);
      const topics = await this.admin(() => this.#server.topics());
      const found = topics.map((metadata) => {
        const topic = this.topic(metadata.name);
        topic.metadata = metadata;
        return topic;
      });
      return [found, {}, { topics, nextPageToken: "" }];
    });
  }

  /**
   * Lists the subscriptions that have been named, of one topic or of all.
   *
   * @internal
   */
  getSubscriptions(
    options?: ListedOf | PubSubDone<ListedSubscriptions>,
    done?: PubSubDone<ListedSubscriptions>,
  ): Promise<ListedSubscriptions> {
    return answered(doneOf(options, done), async () => {
      const { topic } = optionsOf("PubSub.getSubscriptions()", options, ["topic"]);
      if (topic) {
        const of = typeof topic === "string" ? this.topic(topic) : topic;
        return await of.getSubscriptions();
      }
      const subscriptions = await this.admin(() => this.#server.subscriptions());
      const found = subscriptions.map((metadata) => {
        const subscription = this.subscription(metadata.name);
        subscription.metadata = metadata;
        return subscription;
      });
      return [found, {}, { subscriptions, nextPageToken: "" }];
    });
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

  /**
   * What was made comes twice to a service that answered in vain.
   *
   * @internal
   */
  readonly admin: PubSubAdmin = async (effect) => {
    if (!this.#isOpen) throw clientClosed();
    return await this.#called({ site: "broker.session", effect, isRepeatable: false });
  };

  /** Describes what this client has open. */
  openResources(): readonly string[] {
    return this.#subscriptions.flatMap((subscription) => subscription.openResources());
  }

  async #madeTopic(topic: PubSubTopic, settings: PubSubTopicSettings): Promise<MadeTopic> {
    topic.metadata = await this.admin(() => this.#server.createTopic(topic.name, settings));
    return [topic, topic.metadata];
  }

  async #madeSubscription(
    topic: string,
    subscription: PubSubSubscription,
    settings: PubSubSubscriptionSettings,
  ): Promise<MadeSubscription> {
    const make = (): PubSubSubscriptionMetadata =>
      this.#server.createSubscription(topic, subscription.name, settings);
    subscription.metadata = await this.admin(make);
    return [subscription, subscription.metadata];
  }

  async #publish(topic: string, batch: readonly PubSubPublication[]): Promise<readonly string[]> {
    if (!this.#isOpen) throw clientClosed();
    const effect = (): readonly string[] => this.#server.publish(topic, batch);
    return await this.#called({ site: "broker.produce", effect, isRepeatable: true });
  }

  async #called<T>(call: {
    readonly site: SiteName;
    readonly effect: () => T;
    readonly isRepeatable: boolean;
  }): Promise<T> {
    const request = { ...call, to: this.#host };
    try {
      return await callAsLibrary(this.#port, request, PUBLISH_RETRIES);
    } catch (error) {
      throw pubsubErrorFrom(error);
    }
  }
}
