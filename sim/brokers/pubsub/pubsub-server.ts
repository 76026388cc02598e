import type { World } from "../../kernel/world.ts";
import type { Publication } from "../broker.ts";
import type { DeadLetter } from "../lease.ts";
import type { LeasedQueue } from "../leased-queue.ts";
import { NotModelled } from "../not-modelled.ts";
import { Refusal } from "../refusal.ts";
import { storedDate } from "../stored-date.ts";
import { textOf } from "../ref-in.ts";
import {
  alreadyExists,
  notFound,
  permissionDenied,
  streamDenied,
  streamNotFound,
} from "./pubsub-error.ts";
import { assertPublishable } from "./pubsub-limits.ts";
import { type PubSubPublication, publicationOf } from "./pubsub-publisher.ts";
import { PubSubQueue, type PubSubStored } from "./pubsub-queue.ts";
import {
  deliveryOf,
  type PubSubSubscriptionMetadata,
  type PubSubSubscriptionSettings,
  type PubSubTopicMetadata,
  type PubSubTopicSettings,
  subscriptionMetadata,
  topicMetadata,
} from "./pubsub-resources.ts";

export interface PubSubServerOptions {
  readonly isOrdered: boolean;
  readonly isExactlyOnce: boolean;
  readonly maxDeliveryAttempts: number | undefined;
  /** Undefined: any name is that of the subscription. */
  readonly subscription: string | undefined;
  readonly topic: string;
  /** Undefined: any other topic is there. */
  readonly deadLetterTopics: readonly string[] | undefined;
}

/** A subscription that has a name. */
interface Subscribed {
  readonly queue: PubSubQueue;
  settings: PubSubSubscriptionSettings;
  metadata: PubSubSubscriptionMetadata;
}

export const PROJECT = "simulated-project";
const DELETED = "_deleted-topic_";

/**
 * The service: topics, and what their subscriptions hold.
 *
 * Holds: each subscription of a topic gets what is published while both are there. One of them is
 * the workload's, whose records are owed: that of the options or, without its name there, the first
 * that is made of the workload's topic. What the others get are copies, which are owed to nobody.
 */
export class PubSubServer {
  readonly leases: LeasedQueue;
  /** The wall time at which the world begins, in milliseconds since the Unix epoch. */
  readonly epochMs: number;
  readonly refusal: Refusal;
  /** While it is on, the clients may not consume the workload's subscription. */
  readonly denial: Refusal;
  readonly options: PubSubServerOptions;
  readonly #world: World;
  readonly #host: string;
  readonly #workload: PubSubQueue;
  readonly #topics = new Map<string, PubSubTopicMetadata>();
  readonly #subscriptions = new Map<string, Subscribed>();
  /** Also those of subscriptions that were deleted: the ids of their messages count on. */
  readonly #queues = new Map<string, PubSubQueue>();
  readonly #deleted = new Set<string>();
  readonly #names = new Map<string, string>();
  #workloadIsKept = true;
  /** How many messages there were in the topic of the workload, and in all others. */
  #inWorkload = 0;
  #elsewhere = 0;

  constructor(world: World, host: string, options: PubSubServerOptions) {
    this.options = options;
    this.#world = world;
    this.#host = host;
    this.refusal = new Refusal(world);
    this.denial = new Refusal(world);
    this.epochMs = world.epochMs;
    const { isOrdered, isExactlyOnce, maxDeliveryAttempts, topic, subscription } = options;
    const delivers = { isOrdered, isExactlyOnce, maxDeliveryAttempts, retry: undefined };
    const deadLettered = (letter: DeadLetter): void => this.#forward(this.#workload, letter);
    this.#workload = new PubSubQueue(world, host, delivers, { denial: this.denial, deadLettered });
    this.leases = this.#workload.leases;
    const topics = [topic, ...(options.deadLetterTopics ?? [])].map(topicPath);
    for (const path of topics) this.#topics.set(path, topicMetadata(path, {}));
    const subscriptions = subscription === undefined ? [] : [subscriptionPath(subscription)];
    const short = [topic, ...(options.deadLetterTopics ?? [])].filter(
      (name) => !name.includes("/"),
    );
    for (const name of short) this.#names.set(`topics/${name}`, topicPath(name));
    if (subscription?.includes("/") === false) {
      this.#names.set(`subscriptions/${subscription}`, subscriptionPath(subscription));
    }
    for (const path of subscriptions) {
      const settings = {
        enableMessageOrdering: isOrdered,
        enableExactlyOnceDelivery: isExactlyOnce,
      };
      const metadata = subscriptionMetadata(path, topicPath(topic), settings);
      this.#subscriptions.set(path, { queue: this.#workload, settings, metadata });
    }
  }

  get acksToRefuse(): number {
    return this.#workload.acksToRefuse;
  }

  set acksToRefuse(count: number) {
    this.#workload.acksToRefuse = count;
  }

  hasSubscription(path: string): boolean {
    return this.#queueOf(path) !== undefined;
  }

  /** @throws {PubSubServiceError} for a subscription that is none */
  queue(path: string): PubSubQueue {
    const queue = this.#queueOf(path);
    if (queue === undefined) throw notFound(path);
    return queue;
  }

  /** @throws {PubSubStreamEnd} for a subscription that is none, or that may not be consumed */
  consumed(path: string): PubSubQueue {
    const queue = this.#queueOf(path);
    if (queue === undefined) throw streamNotFound(path);
    if (queue === this.#workload && this.denial.isOn) throw streamDenied();
    return queue;
  }

  hasTopic(path: string): boolean {
    const name = this.#nameOf(path);
    if (this.#topics.has(name)) return true;
    return this.options.deadLetterTopics === undefined && !this.#deleted.has(name);
  }

  isWorkloadTopic(path: string): boolean {
    return this.#nameOf(path) === topicPath(this.options.topic);
  }

  /** Publishes a record of the workload. */
  publishRecord(publication: Publication): void {
    this.leases.publish(publication);
    this.#inWorkload += 1;
    if (!this.#workloadIsKept) this.leases.drop();
    const id = String(this.#inWorkload);
    this.#fanOut(topicPath(this.options.topic), {
      ...publicationOf(publication, this.options.isOrdered),
      id,
    });
  }

  /**
   * Publishes a batch, of which nothing is published if something is refused: what is published to
   * the workload's own topic is delivered, anything else is a dead letter too.
   *
   * @throws {PubSubServiceError} for a topic that is none, or what may not be published
   */
  publish(path: string, batch: readonly PubSubPublication[]): readonly string[] {
    if (!this.hasTopic(path)) throw notFound(path);
    assertPublishable(batch);
    if (this.isWorkloadTopic(path)) return batch.map((one) => this.#stored(path, one));
    if (this.refusal.isOn) throw permissionDenied();
    return batch.map((one) => {
      this.leases.deadLettered(textOf(one.data) + JSON.stringify(one.attributes));
      return this.#stored(path, one);
    });
  }

  /** @throws {PubSubServiceError} for a topic that is none */
  topic(path: string): PubSubTopicMetadata {
    if (!this.hasTopic(path)) throw notFound(path);
    const name = this.#nameOf(path);
    return this.#topics.get(name) ?? topicMetadata(name, {});
  }

  /** @throws {PubSubServiceError} for one that is there */
  createTopic(path: string, settings: PubSubTopicSettings): PubSubTopicMetadata {
    const name = this.#nameOf(path);
    if (this.#topics.has(name)) throw alreadyExists(path);
    return this.#setTopic(name, settings);
  }

  /** @throws {PubSubServiceError} for a topic that is none */
  updateTopic(path: string, settings: PubSubTopicSettings): PubSubTopicMetadata {
    const { labels, messageRetentionDuration } = this.topic(path);
    return this.#setTopic(this.#nameOf(path), { labels, messageRetentionDuration, ...settings });
  }

  /**
   * What was published stays with the subscriptions.
   *
   * @throws {PubSubServiceError} for a topic that is none
   */
  deleteTopic(path: string): void {
    if (!this.hasTopic(path)) throw notFound(path);
    const name = this.#nameOf(path);
    if (this.isWorkloadTopic(path)) {
      throw new NotModelled("deleting the topic of the workload", "brokers.pubsub");
    }
    this.#topics.delete(name);
    this.#deleted.add(name);
    for (const one of this.#subscriptions.values()) {
      if (one.metadata.topic === name) one.metadata = { ...one.metadata, topic: DELETED };
    }
  }

  /** Those that have been named so far. */
  topics(): readonly PubSubTopicMetadata[] {
    return sortedByName(this.#topics.values());
  }

  /** Those that have been named so far, or those of one topic. */
  subscriptions(topic?: string): readonly PubSubSubscriptionMetadata[] {
    const all = [...this.#subscriptions.values()].map(({ metadata }) => metadata);
    const name = topic === undefined ? undefined : this.#nameOf(topic);
    return sortedByName(all.filter((one) => name === undefined || one.topic === name));
  }

  /** @throws {PubSubServiceError} for a subscription that is none */
  subscription(path: string): PubSubSubscriptionMetadata {
    const queue = this.queue(path);
    const known = this.#subscriptions.get(this.#nameOf(path));
    if (known !== undefined) return known.metadata;
    const { isOrdered, isExactlyOnce } = queue.delivers;
    return subscriptionMetadata(path, topicPath(this.options.topic), {
      enableMessageOrdering: isOrdered,
      enableExactlyOnceDelivery: isExactlyOnce,
    });
  }

  /** @throws {PubSubServiceError} for one that is there, of a topic that is none, or as it may not be */
  createSubscription(
    topic: string,
    path: string,
    settings: PubSubSubscriptionSettings,
  ): PubSubSubscriptionMetadata {
    const name = this.#nameOf(path);
    if (this.#subscriptions.has(name)) throw alreadyExists(path);
    if (!this.hasTopic(topic)) throw notFound(topic);
    const metadata = subscriptionMetadata(name, this.#nameOf(topic), settings);
    const queue = this.isOfWorkload(topic, path) ? this.#workload : this.#ownQueue(name);
    const delivers = deliveryOf(metadata);
    if (queue === this.#workload) {
      const { isOrdered, isExactlyOnce, maxDeliveryAttempts } = this.options;
      if (delivers.isExactlyOnce !== isExactlyOnce) {
        const what = "enableExactlyOnceDelivery other than the option exactlyOnceDelivery";
        throw new NotModelled(`createSubscription() with ${what}`, "brokers.pubsub");
      }
      queue.delivers = {
        ...delivers,
        // Records without ordering keys are ordered with nothing.
        isOrdered: isOrdered && delivers.isOrdered,
        maxDeliveryAttempts: delivers.maxDeliveryAttempts ?? maxDeliveryAttempts,
      };
      this.#workloadIsKept = true;
    } else {
      queue.delivers = delivers;
    }
    this.#deleted.delete(name);
    this.#subscriptions.set(name, { queue, settings, metadata });
    return metadata;
  }

  /** Whether a subscription that is made of the topic has the records of the workload. */
  isOfWorkload(topic: string, path: string): boolean {
    const { subscription } = this.options;
    if (!this.isWorkloadTopic(topic)) return false;
    if (subscription !== undefined) return this.#nameOf(path) === subscriptionPath(subscription);
    return ![...this.#subscriptions.values()].some(({ queue }) => queue === this.#workload);
  }

  /** @throws {PubSubServiceError} for a subscription that is none, or as it may not be */
  updateSubscription(
    path: string,
    changed: PubSubSubscriptionSettings,
  ): PubSubSubscriptionMetadata {
    const before = this.subscription(path);
    const name = this.#nameOf(path);
    const known = this.#subscriptions.get(name);
    const queue = this.queue(path);
    const { enableMessageOrdering, enableExactlyOnceDelivery } = before;
    const kept = known?.settings ?? { enableMessageOrdering, enableExactlyOnceDelivery };
    const settings = { ...kept, ...changed };
    const metadata = subscriptionMetadata(name, before.topic, settings);
    const { maxDeliveryAttempts, retry } = deliveryOf(metadata);
    if (changed.deadLetterPolicy !== undefined) {
      queue.delivers = { ...queue.delivers, maxDeliveryAttempts };
    }
    if (changed.retryPolicy !== undefined) queue.delivers = { ...queue.delivers, retry };
    this.#subscriptions.set(name, { queue, settings, metadata });
    return metadata;
  }

  /**
   * What it holds is lost.
   *
   * @throws {PubSubServiceError} for a subscription that is none
   */
  deleteSubscription(path: string): void {
    const queue = this.queue(path);
    const name = this.#nameOf(path);
    this.#subscriptions.delete(name);
    this.#deleted.add(name);
    if (queue === this.#workload) this.#workloadIsKept = false;
    queue.leases.drop();
  }

  #queueOf(path: string): PubSubQueue | undefined {
    const name = this.#nameOf(path);
    const known = this.#subscriptions.get(name)?.queue;
    if (known !== undefined) return known;
    const isAny = this.options.subscription === undefined && !this.#deleted.has(name);
    return isAny ? this.#workload : undefined;
  }

  #ownQueue(name: string): PubSubQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const delivers = { isOrdered: false, isExactlyOnce: false, maxDeliveryAttempts: undefined };
    const queue: PubSubQueue = new PubSubQueue(
      this.#world,
      this.#host,
      { ...delivers, retry: undefined },
      { deadLettered: (letter) => this.#forward(queue, letter) },
    );
    this.#queues.set(name, queue);
    return queue;
  }

  #setTopic(name: string, settings: PubSubTopicSettings): PubSubTopicMetadata {
    const metadata = topicMetadata(name, settings);
    this.#topics.set(name, metadata);
    this.#deleted.delete(name);
    return metadata;
  }

  #stored(path: string, publication: PubSubPublication): string {
    const isOfWorkload = this.isWorkloadTopic(path);
    if (isOfWorkload) this.#inWorkload += 1;
    else this.#elsewhere += 1;
    const id = String(isOfWorkload ? this.#inWorkload : this.#elsewhere);
    if (isOfWorkload) this.#workload.send(publication, textOf(publication.data));
    if (isOfWorkload && !this.#workloadIsKept) this.leases.drop();
    this.#fanOut(this.#nameOf(path), { ...publication, id });
    return id;
  }

  /** To all subscriptions of the topic but that of the workload. */
  #fanOut(topic: string, stored: PubSubStored): void {
    for (const { queue, metadata } of this.#subscriptions.values()) {
      if (queue !== this.#workload && metadata.topic === topic) queue.send(stored);
    }
  }

  /** What a subscription gives up goes to its topic of dead letters, if that is there. */
  #forward(from: PubSubQueue, letter: DeadLetter): void {
    const found = [...this.#subscriptions.values()].find(({ queue }) => queue === from);
    const topic = found?.metadata.deadLetterPolicy?.deadLetterTopic;
    if (found === undefined || topic === undefined || !this.hasTopic(topic)) return;
    const { ref, content, failures, publishedAt } = letter;
    const prefix = "CloudPubSubDeadLetterSource";
    const { name } = found.metadata;
    const sent =
      ref === "" ? (content as PubSubPublication) : publicationOf(letter, this.options.isOrdered);
    const attributes = {
      ...sent.attributes,
      [`${prefix}DeliveryCount`]: String(failures),
      [`${prefix}Subscription`]: name.split("/").at(-1) ?? name,
      [`${prefix}SubscriptionProject`]: PROJECT,
      [`${prefix}TopicPublishTime`]: storedDate(this.epochMs + publishedAt).toISOString(),
    };
    this.#stored(topic, { ...sent, attributes });
  }

  /** A name without a project, as the options may have it, is that of any. */
  #nameOf(path: string): string {
    return this.#names.get(path.split("/").slice(-2).join("/")) ?? path;
  }
}

function topicPath(name: string): string {
  return name.includes("/") ? name : `projects/${PROJECT}/topics/${name}`;
}

function subscriptionPath(name: string): string {
  return name.includes("/") ? name : `projects/${PROJECT}/subscriptions/${name}`;
}

function sortedByName<T extends { readonly name: string }>(all: Iterable<T>): readonly T[] {
  return [...all].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
