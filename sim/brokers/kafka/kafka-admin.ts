import { request, type RetryOptions, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";
import { KafkaJSError } from "./kafka-errors.ts";
import type { TopicOffsets } from "./kafka-payloads.ts";

export interface AdminConfig {
  readonly retry?: RetryOptions;
}

/** The part of kafkajs' admin client that a producer asks for offsets and topics. */
export class KafkaAdmin {
  readonly #parts: ClientParts;
  readonly #config: AdminConfig;
  #isConnected = false;

  constructor(parts: ClientParts, config: AdminConfig) {
    this.#parts = parts;
    this.#config = config;
  }

  get isOpen(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    await this.#ask(() => undefined);
    this.#isConnected = true;
  }

  async disconnect(): Promise<void> {
    await Promise.resolve();
    this.#isConnected = false;
  }

  listTopics(): Promise<string[]> {
    return this.#connected(() => [...this.#parts.log.topics()]);
  }

  createTopics({ topics }: { readonly topics: { readonly topic: string }[] }): Promise<boolean> {
    return this.#connected(() => {
      const { log } = this.#parts;
      const isNew = topics.some(({ topic }) => !log.topics().includes(topic));
      for (const { topic } of topics) log.partitionsOf(topic);
      return isNew;
    });
  }

  fetchTopicOffsets(
    topic: string,
  ): Promise<{ partition: number; offset: string; high: string; low: string }[]> {
    return this.#connected(() =>
      this.#parts.log.partitionsOf(topic).map(({ number, low, end }) => ({
        partition: number,
        offset: String(end),
        high: String(end),
        low: String(low),
      })),
    );
  }

  fetchOffsets(options: {
    readonly groupId: string;
    readonly topics?: string[];
  }): Promise<TopicOffsets[]> {
    const { log, groups } = this.#parts;
    return this.#connected(() =>
      (options.topics ?? log.topics()).map((topic) => ({
        topic,
        partitions: log.partitionsOf(topic).map(({ number }) => ({
          partition: number,
          offset: String(groups.committed(options.groupId, topic, number) ?? -1),
          metadata: null,
        })),
      })),
    );
  }

  async #connected<T>(effect: () => T): Promise<T> {
    if (!this.#isConnected) throw new KafkaJSError("The admin client is disconnected");
    return await this.#ask(effect);
  }

  #ask<T>(effect: () => T): Promise<T> {
    const { port, host } = this.#parts;
    return retried(port, this.#config.retry ?? {}, () =>
      request(port, "broker.fetch", host, effect),
    );
  }
}
