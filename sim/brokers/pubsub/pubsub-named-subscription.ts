import { Emitter, type ListenerWatch } from "../emitter.ts";
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
import {
  assertSubscriptionSettings,
  type PubSubSubscriptionMetadata,
  type PubSubSubscriptionSettings,
} from "./pubsub-resources.ts";
import type { PubSubServer } from "./pubsub-server.ts";

/** The part of a `Duration` of `@google-cloud/pubsub` that the model reads. */
export interface PubSubDuration {
  totalOf(unit: "millisecond"): number;
}

/** The library's `SubscriptionOptions` that the model supports. */
export interface PubSubSubscriptionOptions {
  readonly minAckDeadline?: PubSubDuration;
  /** How long the library extends the lease of one message; its default is an hour. */
  readonly maxExtensionTime?: PubSubDuration;
  readonly flowControl?: {
    readonly maxMessages?: number;
    /** Only false: the model's service sends no more than it is asked for. */
    readonly allowExcessMessages?: boolean;
  };
  readonly closeOptions?: {
    readonly behavior?: "NACK" | "WAIT";
    readonly timeout?: PubSubDuration;
  };
}

/** The library's `CreateSubscriptionOptions` that the model supports. */
export interface PubSubCreatedSubscription extends PubSubSubscriptionSettings {
  readonly flowControl?: PubSubSubscriptionOptions["flowControl"];
  /** Only without any. */
  readonly gaxOpts?: object;
}

/** What a subscription needs from its client. */
export interface SubscribingClient {
  readonly projectId: string;
  readonly admin: PubSubAdmin;
  createSubscription(
    topic: string,
    name: string,
    settings?: PubSubCreatedSubscription,
  ): Promise<[object, PubSubSubscriptionMetadata]>;
}

/** A topic that a subscription was got from. */
export interface SubscribedTopic {
  readonly name: string;
}

type Metadata = PubSubSubscriptionMetadata;
type Got<Subscription> = [Subscription, Metadata];
interface Creating {
  readonly autoCreate?: boolean;
}

/** How a subscription is called, and where it is. */
export interface SubscriptionNames {
  readonly client: SubscribingClient;
  readonly name: string;
  readonly host: string;
  readonly consumer: string;
  /** The topic that it was got from, if it was. */
  readonly topic: SubscribedTopic | undefined;
}

/** What is asked and told about a subscription at the service; of it a stream may be read. */
export abstract class PubSubNamedSubscription extends Emitter {
  readonly name: string;
  readonly pubsub: SubscribingClient;
  readonly topic: SubscribedTopic | undefined;
  metadata: PubSubSubscriptionMetadata | undefined;
  protected readonly server: PubSubServer;

  constructor(
    { name, client, topic }: SubscriptionNames,
    server: PubSubServer,
    watch: ListenerWatch,
  ) {
    super(watch);
    this.name = name.includes("/") ? name : `projects/${client.projectId}/subscriptions/${name}`;
    this.pubsub = client;
    this.topic = topic;
    this.server = server;
  }

  abstract get isOpen(): boolean;

  abstract close(): Promise<void>;

  exists(done?: PubSubDone<[boolean]>): Promise<[boolean]> {
    return answered(done, async () => [await isThere(this.#told())]);
  }

  /** @throws {Error} for one that was not got from a topic */
  create(
    settings?: PubSubCreatedSubscription | PubSubDone<Got<this>>,
    done?: PubSubDone<Got<this>>,
  ): Promise<Got<this>> {
    return answered(doneOf(settings, done), () => {
      if (this.topic === undefined) {
        throw new Error("Subscriptions can only be created when accessed through Topics");
      }
      return this.#create(this.topic, typeof settings === "object" ? settings : {});
    });
  }

  /** With `autoCreate` it is made where there is none; only if it was got from a topic. */
  get(
    options?: Creating | PubSubDone<Got<this>>,
    done?: PubSubDone<Got<this>>,
  ): Promise<Got<this>> {
    return answered(doneOf(options, done), async () => {
      const { autoCreate } = optionsOf("subscription.get()", options, ["autoCreate"]);
      try {
        return [this, await this.#told()];
      } catch (error) {
        const isMade = Boolean(autoCreate) && this.topic !== undefined;
        if (!isMade || !isNotFound(error)) throw error;
        return await this.#create(this.topic, {});
      }
    });
  }

  getMetadata(
    options?: object | PubSubDone<[Metadata]>,
    done?: PubSubDone<[Metadata]>,
  ): Promise<[Metadata]> {
    return answered(doneOf(options, done), async () => {
      optionsOf("subscription.getMetadata()", options, []);
      return [await this.#told()];
    });
  }

  setMetadata(
    settings: PubSubSubscriptionSettings,
    options?: object | PubSubDone<[Metadata]>,
    done?: PubSubDone<[Metadata]>,
  ): Promise<[Metadata]> {
    return answered(doneOf(options, done), async () => {
      optionsOf("subscription.setMetadata()", options, []);
      assertSubscriptionSettings("subscription.setMetadata()", settings, "changed");
      const changed = await this.pubsub.admin(() =>
        this.server.updateSubscription(this.name, settings),
      );
      return withUnset(changed);
    });
  }

  detached(done?: PubSubDone<[boolean]>): Promise<[boolean]> {
    return answered(done, async () => [(await this.#told()).detached]);
  }

  /** What this one has under way ends; the streams of others end with an error. */
  delete(options?: object | PubSubDone<[object]>, done?: PubSubDone<[object]>): Promise<[object]> {
    return answered(doneOf(options, done), async () => {
      optionsOf("subscription.delete()", options, []);
      if (this.isOpen) void this.close();
      await this.pubsub.admin(() => this.server.deleteSubscription(this.name));
      return withUnset({});
    });
  }

  async #told(): Promise<Metadata> {
    this.metadata = await this.pubsub.admin(() => this.server.subscription(this.name));
    return this.metadata;
  }

  async #create(
    topic: SubscribedTopic | undefined,
    settings: PubSubCreatedSubscription,
  ): Promise<Got<this>> {
    const name = this.name.split("/").at(-1) ?? this.name;
    const [, told] = await this.pubsub.createSubscription(topic?.name ?? "", name, settings);
    this.metadata = told;
    return [this, told];
  }
}
