import { bytesFrom } from "../text-bytes.ts";
import { adoptClientClass } from "../library-clients.ts";
import { assertModelled, NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import type { PubSubAdmin } from "./pubsub-admin.ts";
import {
  answered,
  doneOf,
  isNotFound,
  isThere,
  optionsOf,
  type PubSubDone,
  withUnset,
} from "./pubsub-answers.ts";
import { iamOf, type PubSubIam } from "./pubsub-iam.ts";
import {
  assertTopicOptions,
  publishDefaults,
  type PubSubPublication,
  type PubSubPublisher,
  type PubSubTopicOptions,
} from "./pubsub-publisher.ts";
import {
  assertTopicSettings,
  type PubSubSubscriptionMetadata,
  type PubSubTopicMetadata,
  type PubSubTopicSettings,
} from "./pubsub-resources.ts";
import type { PubSubServer } from "./pubsub-server.ts";
import type {
  PubSubCreatedSubscription,
  PubSubSubscriptionOptions,
} from "./pubsub-named-subscription.ts";
import type { PubSubSubscription } from "./pubsub-subscription.ts";

/** A message for `publishMessage`; an object as `json` is serialised, `data` must be bytes. */
export interface PubSubOutgoing {
  readonly data?: Uint8Array | string | null;
  readonly json?: unknown;
  readonly attributes?: { readonly [key: string]: string } | null;
  /** Messages of one key are sent one after the other. */
  readonly orderingKey?: string | null;
}

/** What a topic needs from its client. */
interface PublishingClient {
  readonly projectId: string;
  readonly admin: PubSubAdmin;
  createTopic(name: string): Promise<[PubSubTopic, Metadata]>;
  createSubscription(
    topic: PubSubTopic,
    name: string,
    settings: PubSubCreatedSubscription,
  ): Promise<Subscribed>;
  subscription(
    name: string,
    options?: PubSubSubscriptionOptions | null,
    topic?: PubSubTopic,
  ): PubSubSubscription;
}

type Metadata = PubSubTopicMetadata;
type Got = [PubSubTopic, Metadata];
type Subscribed = [PubSubSubscription, PubSubSubscriptionMetadata];
type Listed = [PubSubSubscription[], object, object];
interface Creating {
  readonly autoCreate?: boolean;
}
type Published = (error: Error | null, id?: string | null) => void;
type Attributes = { readonly [key: string]: string };
type RefusedCall = "flowControlled" | "getSubscriptionsStream" | "request";

const SEE = "brokers.pubsub";

/** A `Topic` of `@google-cloud/pubsub`; what it does not have is refused by name. */
export class PubSubTopic implements Readonly<Record<RefusedCall, Refusing>> {
  static {
    Object.defineProperty(this, "name", { value: "Topic" });
  }

  readonly name: string;
  readonly parent: PublishingClient;
  metadata: PubSubTopicMetadata | undefined;
  readonly iam: PubSubIam = iamOf("topic");
  readonly flowControlled: Refusing = refusing("topic.flowControlled()", SEE);
  readonly getSubscriptionsStream: Refusing = refusing("topic.getSubscriptionsStream()", SEE);
  readonly request: Refusing = refusing("topic.request()", SEE);
  readonly #publisher: PubSubPublisher;
  readonly #server: PubSubServer;

  constructor(
    client: PublishingClient,
    name: string,
    publisher: PubSubPublisher,
    server: PubSubServer,
  ) {
    this.parent = client;
    this.name = name;
    this.#publisher = publisher;
    this.#server = server;
    adoptClientClass(this, "@google-cloud/pubsub", "Topic");
  }

  /** Whether it is one of this model; none is an instance of this class where it has the library's. */
  static isTopic(value: unknown): value is PubSubTopic {
    return typeof value === "object" && value !== null && #server in value;
  }

  get pubsub(): PublishingClient {
    return this.parent;
  }

  get publisher(): never {
    throw new NotModelled("topic.publisher", SEE);
  }

  publishMessage(message: PubSubOutgoing): Promise<string>;
  publishMessage(message: PubSubOutgoing, done: Published): void;
  publishMessage(message: PubSubOutgoing, done?: Published): Promise<string> | void;
  /**
   * Resolves with the id of the message, or calls `done` with it.
   *
   * @throws {TypeError} for a message that cannot be sent; without `done` it is a rejection
   */
  publishMessage(message: PubSubOutgoing, done?: Published): Promise<string> | void {
    if (done === undefined) return this.#published(message);
    const publishing = this.#publisher.publish(publicationFrom(message));
    publishing.then(
      (id) => done(null, id),
      (error: Error) => done(error),
    );
  }

  publish(data: Uint8Array, attributes?: Attributes): Promise<string>;
  publish(data: Uint8Array, done: Published): void;
  publish(data: Uint8Array, attributes: Attributes, done: Published): void;
  publish(
    data: Uint8Array,
    attributes?: Attributes | Published,
    done?: Published,
  ): Promise<string> | void {
    return this.publishMessage(...callOf({ data }, attributes, done));
  }

  publishJSON(json: object, attributes?: Attributes): Promise<string>;
  publishJSON(json: object, done: Published): void;
  publishJSON(json: object, attributes: Attributes, done: Published): void;
  publishJSON(
    json: object,
    attributes?: Attributes | Published,
    done?: Published,
  ): Promise<string> | void {
    if (!json || typeof json !== "object") throw new Error("First parameter should be an object.");
    return this.publishMessage(...callOf({ json }, attributes, done));
  }

  /** Resolves when all that was published has its answer. */
  async flush(done?: (error?: Error | null) => void): Promise<void> {
    await this.#publisher.flush();
    done?.(null);
  }

  /** Lets go on with a key that failed: as in the library, it does so by itself. */
  resumePublishing(orderingKey: string): void {
    void orderingKey;
  }

  exists(done?: PubSubDone<[boolean]>): Promise<[boolean]> {
    return answered(done, async () => [await isThere(this.#told())]);
  }

  /** Of what was made another object is given, as by the library. */
  create(options?: object | PubSubDone<Got>, done?: PubSubDone<Got>): Promise<Got> {
    return answered(doneOf(options, done), () => {
      optionsOf("topic.create()", options, []);
      return this.parent.createTopic(this.name);
    });
  }

  createSubscription(
    name: string,
    settings?: PubSubCreatedSubscription | PubSubDone<Subscribed>,
    done?: PubSubDone<Subscribed>,
  ): Promise<Subscribed> {
    return answered(doneOf(settings, done), () =>
      this.parent.createSubscription(this, name, typeof settings === "object" ? settings : {}),
    );
  }

  /** With `autoCreate` it is made where there is none. */
  get(options?: Creating | PubSubDone<Got>, done?: PubSubDone<Got>): Promise<Got> {
    return answered(doneOf(options, done), async () => {
      const { autoCreate } = optionsOf("topic.get()", options, ["autoCreate"]);
      try {
        return [this, await this.#told()];
      } catch (error) {
        if (!autoCreate || !isNotFound(error)) throw error;
        return await this.parent.createTopic(this.name);
      }
    });
  }

  getMetadata(
    options?: object | PubSubDone<[Metadata]>,
    done?: PubSubDone<[Metadata]>,
  ): Promise<[Metadata]> {
    return answered(doneOf(options, done), async () => {
      optionsOf("topic.getMetadata()", options, []);
      return [await this.#told()];
    });
  }

  setMetadata(
    settings: PubSubTopicSettings,
    options?: object | PubSubDone<[Metadata]>,
    done?: PubSubDone<[Metadata]>,
  ): Promise<[Metadata]> {
    return answered(doneOf(options, done), async () => {
      optionsOf("topic.setMetadata()", options, []);
      assertTopicSettings("topic.setMetadata()", settings);
      const update = (): Metadata => this.#server.updateTopic(this.name, settings);
      return withUnset(await this.parent.admin(update));
    });
  }

  delete(options?: object | PubSubDone<[object]>, done?: PubSubDone<[object]>): Promise<[object]> {
    return answered(doneOf(options, done), async () => {
      optionsOf("topic.delete()", options, []);
      await this.parent.admin(() => this.#server.deleteTopic(this.name));
      return withUnset({});
    });
  }

  getSubscriptions(
    options?: object | PubSubDone<Listed>,
    done?: PubSubDone<Listed>,
  ): Promise<Listed> {
    return answered(doneOf(options, done), async () => {
      optionsOf("topic.getSubscriptions()", options, []);
      const found = await this.parent.admin(() => this.#server.subscriptions(this.name));
      const names = found.map(({ name }) => name);
      const told = { subscriptions: names, nextPageToken: "" };
      return [names.map((name) => this.subscription(name)), {}, told];
    });
  }

  /** What was published before is sent as it was to be. */
  setPublishOptions(options: PubSubTopicOptions): void {
    assertTopicOptions(options);
    this.#publisher.setOptions(options);
  }

  /** The library's own. */
  getPublishOptionDefaults(): object {
    return {
      batching: publishDefaults(),
      messageOrdering: false,
      gaxOpts: { isBundling: false },
      flowControlOptions: { maxOutstandingBytes: undefined, maxOutstandingMessages: undefined },
    };
  }

  subscription(name: string, options?: PubSubSubscriptionOptions | null): PubSubSubscription {
    return this.parent.subscription(name, options, this);
  }

  async #told(): Promise<Metadata> {
    this.metadata = await this.parent.admin(() => this.#server.topic(this.name));
    return this.metadata;
  }

  async #published(message: PubSubOutgoing): Promise<string> {
    return await this.#publisher.publish(publicationFrom(message));
  }
}

/** Returns what is sent of a message, as the library judges it. */
function publicationFrom(given: PubSubOutgoing | null | undefined): PubSubPublication {
  // A caller without types may give nothing, as to the library, which copies it.
  const message: PubSubOutgoing = { ...given };
  const { json, attributes = {} } = message;
  const isObject = Boolean(json) && typeof json === "object";
  const data: unknown = isObject ? bytesFrom(JSON.stringify(json)) : message.data;
  if (data && !(data instanceof Uint8Array)) {
    throw new TypeError("Data must be in the form of a Buffer or Uint8Array.");
  }
  if (typeof attributes !== "object") throw new NotModelled("attributes that are no object", SEE);
  // As the library, it fails at null.
  const entries = Object.entries(attributes as Attributes);
  if (!data && entries.length === 0) {
    throw new TypeError("If data is undefined, at least one attribute must be present.");
  }
  assertModelled("publishMessage()", message, ["data", "json", "attributes", "orderingKey"], SEE);
  for (const [key, value] of entries as readonly [string, unknown][]) {
    if (typeof value === "string") continue;
    throw new TypeError(
      `All attributes must be in the form of a string.\n\nInvalid value of type "${typeof value}" provided for "${key}".`,
    );
  }
  const sent = data instanceof Uint8Array ? data : bytesFrom("");
  return {
    data: sent,
    attributes: attributes as Attributes,
    orderingKey: message.orderingKey ?? "",
  };
}

/** The library takes the callback in the place of the attributes, too. */
function callOf(
  message: PubSubOutgoing,
  attributes: Attributes | Published | undefined,
  done: Published | undefined,
): [PubSubOutgoing, Published | undefined] {
  if (typeof attributes === "function") return [message, attributes];
  return [attributes === undefined ? message : { ...message, attributes }, done];
}
