import { bytesFrom } from "../text-bytes.ts";
import { NotModelled, type Refusing, refusing } from "../not-modelled.ts";
import { iamOf, type PubSubIam } from "./pubsub-iam.ts";
import type { PubSubSubscription, PubSubSubscriptionOptions } from "./pubsub-subscription.ts";

/** A message for `publishMessage`; `json` is serialised, `data` must be bytes. */
export interface PubSubOutgoing {
  readonly data?: Uint8Array | string | null;
  readonly json?: unknown;
  readonly attributes?: { readonly [key: string]: string } | null;
  /** Is not modelled: a message with one is refused. */
  readonly orderingKey?: string | null;
}

/** What a topic needs from its client. */
interface PublishingClient {
  readonly projectId: string;
  subscription(name: string, options?: PubSubSubscriptionOptions): PubSubSubscription;
}

type Publish = (message: PubSubOutgoing) => Promise<string>;
type Published = (error: Error | null, id?: string | null) => void;
type Attributes = { readonly [key: string]: string };
type RefusedCall =
  | "create"
  | "createSubscription"
  | "delete"
  | "exists"
  | "flowControlled"
  | "get"
  | "getMetadata"
  | "getPublishOptionDefaults"
  | "getSubscriptions"
  | "getSubscriptionsStream"
  | "request"
  | "resumePublishing"
  | "setMetadata"
  | "setPublishOptions";

const SEE = "brokers.pubsub";

/** A `Topic` of `@google-cloud/pubsub`, which publishes; the rest is refused by name. */
export class PubSubTopic implements Readonly<Record<RefusedCall, Refusing>> {
  readonly name: string;
  readonly parent: PublishingClient;
  readonly metadata: undefined;
  readonly iam: PubSubIam = iamOf("topic");
  readonly create: Refusing = refusing("topic.create()", SEE);
  readonly createSubscription: Refusing = refusing("topic.createSubscription()", SEE);
  readonly delete: Refusing = refusing("topic.delete()", SEE);
  readonly exists: Refusing = refusing("topic.exists()", SEE);
  readonly flowControlled: Refusing = refusing("topic.flowControlled()", SEE);
  readonly get: Refusing = refusing("topic.get()", SEE);
  readonly getMetadata: Refusing = refusing("topic.getMetadata()", SEE);
  readonly getPublishOptionDefaults: Refusing = refusing("topic.getPublishOptionDefaults()", SEE);
  readonly getSubscriptions: Refusing = refusing("topic.getSubscriptions()", SEE);
  readonly getSubscriptionsStream: Refusing = refusing("topic.getSubscriptionsStream()", SEE);
  readonly request: Refusing = refusing("topic.request()", SEE);
  readonly resumePublishing: Refusing = refusing("topic.resumePublishing()", SEE);
  readonly setMetadata: Refusing = refusing("topic.setMetadata()", SEE);
  readonly setPublishOptions: Refusing = refusing("topic.setPublishOptions()", SEE);
  readonly #publish: Publish;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(client: PublishingClient, name: string, publish: Publish) {
    this.parent = client;
    this.name = name.includes("/") ? name : `projects/${client.projectId}/topics/${name}`;
    this.#publish = publish;
  }

  get pubsub(): PublishingClient {
    return this.parent;
  }

  get publisher(): never {
    throw new NotModelled("topic.publisher", SEE);
  }

  /** Resolves with the id of the message; `done`, if there is one, is called with it. */
  async publishMessage(message: PubSubOutgoing, done?: Published): Promise<string> {
    const publishing = this.#publish(message);
    this.#pending.add(publishing);
    try {
      const id = await publishing;
      done?.(null, id);
      return id;
    } catch (error) {
      if (done === undefined) throw error;
      done(error as Error);
      return "";
    } finally {
      this.#pending.delete(publishing);
    }
  }

  publish(
    data: Uint8Array,
    attributes?: Attributes | Published,
    done?: Published,
  ): Promise<string> {
    return this.publishMessage(...callOf({ data }, attributes, done));
  }

  publishJSON(
    json: object,
    attributes?: Attributes | Published,
    done?: Published,
  ): Promise<string> {
    const data = bytesFrom(JSON.stringify(json));
    return this.publishMessage(...callOf({ data }, attributes, done));
  }

  /** Resolves when all that was published has its answer. */
  async flush(done?: (error?: Error | null) => void): Promise<void> {
    await Promise.allSettled(this.#pending);
    done?.(null);
  }

  subscription(name: string, options?: PubSubSubscriptionOptions): PubSubSubscription {
    return this.parent.subscription(name, options);
  }
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
