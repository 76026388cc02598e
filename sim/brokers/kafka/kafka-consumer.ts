import type { ClientPort } from "../broker.ts";
import { NotModelled } from "../not-modelled.ts";
import type { ReadingState } from "./kafka-batches.ts";
import { pause, RETRY_DEFAULT, type RetryOptions } from "./kafka-calls.ts";
import {
  isNamed,
  isOfNetwork,
  KafkaJSNonRetriableError,
  KafkaJSProtocolError,
  type Thrown,
} from "./kafka-errors.ts";
import {
  askedFrom,
  assertPausable,
  assertPlaces,
  commitFrom,
  type GivenPartitions,
  type GivenPlace,
  type Placed,
  seekFrom,
} from "./kafka-given.ts";
import {
  assertConsumerKinds,
  assertKinds,
  assertRunKinds,
  either,
  isText,
  isWhole,
  listOf,
  optional,
} from "./kafka-kinds.ts";
import { KafkaSubscriptions } from "./kafka-subscriptions.ts";
import {
  assertEventOf,
  CONSUMER_EVENTS,
  Instrumentation,
  type InstrumentationEvent,
  type KafkaLogger,
  SILENT_LOGGER,
} from "./kafka-events.ts";
import { descriptionOf, type GroupDescription } from "./kafka-group-facts.ts";
import type { KafkaGroups } from "./kafka-groups.ts";
import { type BrokerCrashes, KafkaLink } from "./kafka-link.ts";
import type { KafkaLog } from "./kafka-log.ts";
import { KafkaMembership } from "./kafka-membership.ts";
import type { RunConfig, TopicCommits } from "./kafka-payloads.ts";
import { KafkaRunner } from "./kafka-runner.ts";
import { isTopicName } from "./kafka-topic-name.ts";

export interface ConsumerConfig {
  readonly groupId: string;
  readonly sessionTimeout?: number;
  readonly rebalanceTimeout?: number;
  readonly heartbeatInterval?: number;
  readonly maxWaitTimeInMs?: number;
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly maxBytesPerPartition?: number;
  readonly allowAutoTopicCreation?: boolean;
  readonly readUncommitted?: boolean;
  readonly rackId?: string;
  readonly metadataMaxAge?: number;
  /** The model assigns partitions as the library's round robin does. */
  readonly partitionAssigners?: readonly unknown[];
  readonly retry?: RetryOptions;
}

export type TopicPartitionOffset = GivenPlace;

type Subscription = {
  readonly topic?: string | RegExp;
  readonly topics?: (string | RegExp)[];
  readonly fromBeginning?: boolean;
};

/** What a client's parts are made of. */
export interface ClientParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly log: KafkaLog;
  readonly groups: KafkaGroups;
  readonly crashes: BrokerCrashes;
  /** Called with the group of a consumer that starts to run. */
  readonly onRun: (groupId: string) => void;
  /** Called when a group without a committed offset starts at the end of a partition. */
  readonly onStartAtEnd: (topic: string, partition: number) => void;
}

const SESSION_MS_DEFAULT = 30_000;
const REBALANCE_MS_DEFAULT = 60_000;
const HEARTBEAT_MS_DEFAULT = 3_000;
const MAX_WAIT_MS_DEFAULT = 5_000;
const PARTITION_BYTES_DEFAULT = 1_048_576;
const NOT_RUNNING = "Consumer group was not initialized, consumer#run must be called first";

/** A consumer in the shape of kafkajs. */
export class KafkaConsumer {
  readonly events: typeof CONSUMER_EVENTS = CONSUMER_EVENTS;
  readonly #parts: ClientParts;
  readonly #link: KafkaLink;
  readonly #config: ConsumerConfig;
  readonly #name: string;
  readonly #instrumentation: Instrumentation;
  readonly #topics = new Map<string, boolean>();
  /** Belongs to the current run: a restart begins without pauses and seeks. */
  #state: ReadingState = { seeks: new Map(), paused: new KafkaSubscriptions() };
  #isConnected = false;
  #runner: KafkaRunner | undefined;
  /** Set by `disconnect` and `stop`: the consumer does not restart after a crash. */
  #isEnded = false;

  constructor(parts: ClientParts, name: string, config: ConsumerConfig) {
    if (!config.groupId) {
      throw new KafkaJSNonRetriableError("Consumer groupId must be a non-empty string.");
    }
    assertConsumerKinds(config);
    const { heartbeatInterval = HEARTBEAT_MS_DEFAULT, sessionTimeout = SESSION_MS_DEFAULT } =
      config;
    if (heartbeatInterval >= sessionTimeout) {
      throw new KafkaJSNonRetriableError(
        `Consumer heartbeatInterval (${heartbeatInterval}) must be lower than sessionTimeout (${sessionTimeout}). It is recommended to set heartbeatInterval to approximately a third of the sessionTimeout.`,
      );
    }
    if (config.partitionAssigners?.every(isRoundRobin) === false) {
      throw new NotModelled("a consumer with other partitionAssigners", "brokers.kafka");
    }
    this.#parts = parts;
    this.#link = new KafkaLink(parts.port, parts.host, parts.crashes);
    this.#name = name;
    this.#config = config;
    this.#instrumentation = new Instrumentation(() => parts.port.clock.wallNow());
  }

  get isOpen(): boolean {
    return this.#isConnected;
  }

  async connect(): Promise<void> {
    this.#isEnded = false;
    await this.#connect();
    this.#instrumentation.emit(CONSUMER_EVENTS.CONNECT, undefined);
  }

  async #connect(): Promise<void> {
    await this.#link.connect();
    this.#isConnected = true;
  }

  async disconnect(): Promise<void> {
    this.#isEnded = true;
    await this.#shutDown();
  }

  async #shutDown(): Promise<void> {
    await this.#stopRunner();
    this.#link.disconnect();
    this.#isConnected = false;
    this.#instrumentation.emit(CONSUMER_EVENTS.DISCONNECT, undefined);
  }

  async subscribe({ topic, topics, fromBeginning = false }: Subscription): Promise<void> {
    if (this.#runner !== undefined) {
      throw new KafkaJSNonRetriableError("Cannot subscribe to topic while consumer is running");
    }
    const asked = askedFrom(topic, topics);
    const { log } = this.#parts;
    const names = asked.flatMap((one) =>
      typeof one === "string" ? [one] : log.topics().filter((name) => one.test(name)),
    );
    // The library takes note of them before it asks its server.
    for (const name of names) this.#topics.set(name, Boolean(fromBeginning as unknown));
    await this.#link.ask("broker.session", () => {
      if (!names.every(isTopicName)) throw new KafkaJSProtocolError("INVALID_TOPIC_EXCEPTION");
      log.offer(names);
    });
  }

  async run(config: RunConfig = {}): Promise<void> {
    // What is left out has a preset, also of null.
    const { autoCommit = true, eachBatchAutoResolve = true, ...others } = config;
    if (this.#runner !== undefined) return;
    assertRunKinds(config);
    if (![...this.#topics.keys()].every(isTopicName)) {
      throw new NotModelled("kafka.consumer().run() with an invalid topic", "brokers.kafka");
    }
    this.#isEnded = false;
    this.#parts.onRun(this.#config.groupId);
    await this.#start({
      ...others,
      autoCommit: Boolean(autoCommit as unknown),
      eachBatchAutoResolve: Boolean(eachBatchAutoResolve as unknown),
    });
  }

  async stop(): Promise<void> {
    this.#isEnded = true;
    await this.#stopRunner();
  }

  async #stopRunner(): Promise<void> {
    const runner = this.#runner;
    if (runner === undefined) return;
    await runner.stop();
    this.#runner = undefined;
    this.#instrumentation.emit(CONSUMER_EVENTS.STOP, undefined);
  }

  async commitOffsets(topicPartitions: readonly TopicPartitionOffset[] = []): Promise<void> {
    const commits = topicPartitions.map(commitFrom);
    if (this.#runner === undefined) throw new KafkaJSNonRetriableError(NOT_RUNNING);
    assertPlaces("kafka.consumer().commitOffsets()", commits);
    await this.#runner.commit(byTopic(commits));
  }

  /** Offset "-2" is the beginning, and "-1" the end. */
  seek(place: TopicPartitionOffset): void {
    const { topic, partition, offset } = seekFrom(place);
    if (this.#runner === undefined) throw new KafkaJSNonRetriableError(NOT_RUNNING);
    assertKinds("kafka.consumer().seek()", { topic }, { topic: isText });
    // The library looks for the number among those that it is assigned.
    const at = { topic, partition, offset: Number(offset.value) };
    this.#state.seeks.set(`${topic}/${partition}`, at);
  }

  pause(topics: readonly GivenPartitions[] = []): void {
    this.#state.paused.pause(this.#pausable("pause", topics));
  }

  resume(topics: readonly GivenPartitions[] = []): void {
    this.#state.paused.resume(this.#pausable("resume", topics));
  }

  /** Of the partitions that are assigned, those that are paused. */
  paused(): { topic: string; partitions: number[] }[] {
    return [...(this.#runner?.assignment ?? [])].flatMap(([topic, assigned]) => {
      const partitions = assigned.filter((one) => this.#state.paused.isPaused(topic, one));
      return partitions.length === 0 ? [] : [{ topic, partitions: [...partitions] }];
    });
  }

  // The library's listeners take an event of their own shape each.
  // oxlint-disable-next-line typescript/no-explicit-any
  on(eventName: string, listener: (event: InstrumentationEvent<any>) => unknown): () => void {
    assertEventOf("consumer", CONSUMER_EVENTS, eventName);
    return this.#instrumentation.on(eventName, listener);
  }

  /** Resolves with what the coordinator says of the group. */
  describeGroup(): Promise<GroupDescription> {
    const { groups } = this.#parts;
    const { groupId } = this.#config;
    return this.#link.ask("broker.session", () => descriptionOf(groups, groupId));
  }

  logger(): KafkaLogger {
    return SILENT_LOGGER;
  }

  #pausable(
    call: "pause" | "resume",
    topics: readonly GivenPartitions[],
  ): readonly GivenPartitions[] {
    assertPausable(call, topics);
    if (this.#runner === undefined) throw new KafkaJSNonRetriableError(NOT_RUNNING);
    const kinds = { topic: isText, partitions: optional(listOf(either(isWhole, isText))) };
    for (const place of topics) assertKinds(`kafka.consumer().${call}()`, place, kinds);
    return topics;
  }

  async #start(config: RunConfig): Promise<void> {
    const { port, host, log, groups, onStartAtEnd } = this.#parts;
    const { groupId, retry = {}, sessionTimeout: sessionMs = SESSION_MS_DEFAULT } = this.#config;
    const { heartbeatInterval: heartbeatMs = HEARTBEAT_MS_DEFAULT } = this.#config;
    const { rebalanceTimeout: rebalanceMs = REBALANCE_MS_DEFAULT } = this.#config;
    const { maxWaitTimeInMs: maxWaitMs = MAX_WAIT_MS_DEFAULT } = this.#config;
    const { minBytes = 1, maxBytesPerPartition = PARTITION_BYTES_DEFAULT } = this.#config;
    const base = { port, link: this.#link, log, retry };
    const consumer = this.#name;
    this.#state = { seeks: new Map(), paused: new KafkaSubscriptions() };
    const topics = this.#topics;
    const runner: KafkaRunner = new KafkaRunner({
      ...base,
      host,
      membership: new KafkaMembership({
        ...base,
        ...{ groups, consumer, groupId, sessionMs, rebalanceMs, topics, onStartAtEnd },
      }),
      events: this.#instrumentation,
      state: this.#state,
      config,
      heartbeatMs,
      ...{ maxWaitMs, minBytes, maxBytesPerPartition },
      connect: async () => {
        if (!this.#isConnected) await this.#connect();
        this.#instrumentation.emit(CONSUMER_EVENTS.CONNECT, undefined);
      },
      onCrash: (error) => void this.#crash(runner, config, error),
    });
    this.#runner = runner;
    await runner.start();
  }

  /** Disconnects, notifies the listeners, and restarts if the error may be temporary. */
  async #crash(runner: KafkaRunner, config: RunConfig, error: Error): Promise<void> {
    const { port } = this.#parts;
    if (this.#runner !== runner) return;
    await this.#shutDown();
    const { groupId, retry } = this.#config;
    const mayPass = isNamed(error, "KafkaJSNumberOfRetriesExceeded") || isPassing(error);
    const asked = mayPass ? retry?.restartOnFailure?.(error) : undefined;
    const restart = mayPass && (asked === undefined || (await asked.catch(() => true)));
    this.#instrumentation.emit(CONSUMER_EVENTS.CRASH, { error, groupId, restart });
    if (!restart || this.#isEnded) return;
    const { retryTime } = error as { readonly retryTime?: number };
    await pause(port, retryTime || retry?.initialRetryTime || RETRY_DEFAULT.initialRetryTime);
    if (this.#isEnded) return;
    await this.#start(config);
  }
}

/** Whether the first cause of an error says that it may be tried again. */
function isPassing(error: Thrown): boolean {
  // What has broken a connection is the simulator's, no part of the library's error.
  if (!isOfNetwork(error) && error.cause) return isPassing(error.cause);
  return error.retriable === true;
}

/** Groups places as the library does before it commits them. */
function byTopic(places: readonly Placed[]): readonly TopicCommits[] {
  const topics = new Map<string, TopicCommits>();
  for (const { topic, ...place } of places) {
    const known = topics.get(topic) ?? { topic, partitions: [] };
    known.partitions.push(place);
    topics.set(topic, known);
  }
  return [...topics.values()];
}

/** Whether a partition assigner is the library's default. */
function isRoundRobin(assigner: unknown): boolean {
  if (typeof assigner !== "function") return false;
  const { name } = Reflect.apply(assigner, undefined, [{}]) as { readonly name?: unknown };
  return name === "RoundRobinAssigner";
}
