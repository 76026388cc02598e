import { bytesFrom } from "../text-bytes.ts";
import { assertModelled, NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import { iamOf, type PubSubIam } from "./pubsub-iam.ts";
import type { PubSubPublication, PubSubPublisher } from "./pubsub-publisher.ts";
import type { PubSubSubscription, PubSubSubscriptionOptions } from "./pubsub-subscription.ts";

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
  subscription(
    name: string,
    options?: PubSubSubscriptionOptions,
    topic?: PubSubTopic,
  ): PubSubSubscription;
}

type Published = (error: Error | null, id?: string | null) => void;
type Attributes = { readonly [key: string]: string };
type RefusedCall =
  | "create"
  | "createSubscription"
  | "delete"
  | "flowControlled"
  | "get"
  | "getMetadata"
  | "getPublishOptionDefaults"
  | "getSubscriptions"
  | "getSubscriptionsStream"
  | "request"
  | "setMetadata"
  | "setPublishOptions";

const SEE = "brokers.pubsub";

/** A `Topic` of `@google-cloud/pubsub`, which publishes; the rest is refused by name. */
export class PubSubTopic implements Readonly<Record<RefusedCall, Refusing>> {
  static {
    Object.defineProperty(this, "name", { value: "Topic" });
  }

  readonly name: string;
  readonly parent: PublishingClient;
  readonly metadata: undefined;
  readonly iam: PubSubIam = iamOf("topic");
  readonly create: Refusing = refusing("topic.create()", SEE);
  readonly createSubscription: Refusing = refusing("topic.createSubscription()", SEE);
  readonly delete: Refusing = refusing("topic.delete()", SEE);
  readonly flowControlled: Refusing = refusing("topic.flowControlled()", SEE);
  readonly get: Refusing = refusing("topic.get()", SEE);
  readonly getMetadata: Refusing = refusing("topic.getMetadata()", SEE);
  readonly getPublishOptionDefaults: Refusing = refusing("topic.getPublishOptionDefaults()", SEE);
  readonly getSubscriptions: Refusing = refusing("topic.getSubscriptions()", SEE);
  readonly getSubscriptionsStream: Refusing = refusing("topic.getSubscriptionsStream()", SEE);
  readonly request: Refusing = refusing("topic.request()", SEE);
  readonly setMetadata: Refusing = refusing("topic.setMetadata()", SEE);
  readonly setPublishOptions: Refusing = refusing("topic.setPublishOptions()", SEE);
  readonly #publisher: PubSubPublisher;
  readonly #exists: () => Promise<boolean>;

  constructor(
    client: PublishingClient,
    name: string,
    publisher: PubSubPublisher,
    exists: () => Promise<boolean>,
  ) {
    this.parent = client;
    this.name = name;
    this.#publisher = publisher;
    this.#exists = exists;
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

  async exists(done?: (error: Error | null, exists?: boolean) => void): Promise<[boolean]> {
    const exists = await this.#exists();
    done?.(null, exists);
    return [exists];
  }

  subscription(name: string, options?: PubSubSubscriptionOptions): PubSubSubscription {
    return this.parent.subscription(name, options, this);
  }

  async #published(message: PubSubOutgoing): Promise<string> {
    return await this.#publisher.publish(publicationFrom(message));
  }
}

/** Returns what is sent of a message, as the library judges it. */
function publicationFrom(given: PubSubOutgoing | null | undefined): PubSubPublication {
  // A caller without types may give nothing, as to the library, which copies it.
  const message: PubSubOutgoing = { ...given };
  assertModelled("publishMessage()", message, ["data", "json", "attributes", "orderingKey"], SEE);
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
