import { NotModelled } from "../not-modelled.ts";
import { ConfluentAdmin } from "./confluent-admin.ts";
import type { Taken } from "./confluent-cache.ts";
import { placeOf } from "./confluent-commits.ts";
import { settingsToConnect, throwsUncaught, withoutClient } from "./confluent-connecting.ts";
import {
  argumentError,
  ConfluentError,
  confluentErrorFrom,
  errorOfCall,
  LibrdKafkaError,
  notImplemented,
  stateError,
} from "./confluent-errors.ts";
import type { SoughtPartition, TopicPartitionAt } from "./confluent-fetcher.ts";
import { ConfluentHandle, type RebalanceEvent } from "./confluent-handle.ts";
import { tellOf } from "./confluent-rebalance.ts";
import {
  commitFrom,
  type ConfluentOffset,
  type ConfluentTopicPartition,
  isSubscription,
  partitionsFrom,
  patternFrom,
  type Topics,
} from "./confluent-arguments.ts";
import { ConfluentHandlers, type Handled } from "./confluent-handlers.ts";
import { ConfluentLogger } from "./confluent-logger.ts";
import { type ConfluentRunConfig, runRefusal } from "./confluent-payloads.ts";
import { type ConfluentConfig, consumerSettings } from "./confluent-settings.ts";
import { ConfluentWorkers } from "./confluent-workers.ts";
import { pause as passTime, request, retried } from "./kafka-calls.ts";
import type { ClientParts } from "./kafka-consumer.ts";

interface Subscription {
  readonly topic?: string | RegExp;
  readonly topics?: (string | RegExp)[];
  readonly replace?: boolean;
}

type State = "new" | "connecting" | "broken" | "connected" | "disconnecting" | "disconnected";

/** The lowest offset that a seek may name, and the other special one. */
const SPECIAL = [-2, -3];
const NOT_MODELLED = "brokers.confluentKafka";

/**
 * A consumer in the shape of the KafkaJS face of `@confluentinc/kafka-javascript`.
 *
 * Holds, as in the library: it connects once; `run` returns at once; what a handler throws is
 * logged, and its messages are read again at once; `seek`, `pause` and `resume` are done between two
 * handlers; `commitOffsets` resolves when the commit is queued, and nobody is told what came of it.
 */
export class ConfluentConsumer {
  readonly #parts: ClientParts;
  readonly #name: string;
  readonly #config: ConfluentConfig;
  readonly #logger = new ConfluentLogger();
  #state: State = "new";
  #handle: ConfluentHandle | undefined;
  #workers: ConfluentWorkers | undefined;
  #handlers: ConfluentHandlers | undefined;
  /** What has to be done as soon as it runs. */
  readonly #early: (() => Promise<void> | void)[] = [];
  #subscriptions: readonly string[] = [];
  /** Set for good when the user's callback has failed to say what is assigned. */
  readonly #pausedPartitions = new Map<string, TopicPartitionAt>();
  readonly #pendingSeeks = new Map<string, SoughtPartition>();
  /** The last record of each partition that was handled. */
  readonly #handled = new Map<string, Handled>();

  constructor(parts: ClientParts, name: string, config: ConfluentConfig) {
    this.#parts = parts;
    this.#name = name;
    this.#config = config;
  }

  get isOpen(): boolean {
    return this.#state === "connected" || this.#state === "disconnecting";
  }

  async connect(): Promise<void> {
    if (this.#state !== "new") throw stateError("Connect has already been called elsewhere.");
    const settings = settingsToConnect(consumerSettings, this.#config, (why) => {
      if (why !== "a setting") this.#state = why === "a value" ? "broken" : "disconnected";
    });
    const { port, host } = this.#parts;
    this.#state = "connecting";
    if (settings.groupId === "") {
      throw new ConfluentError('"group.id" must be configured', "ERR_UNKNOWN");
    }
    try {
      // The library looks for the cluster until it has found it, for half a minute.
      await retried(port, {}, () => request(port, "broker.session", host, () => undefined));
    } catch (error) {
      this.#state = "disconnected";
      throw confluentErrorFrom((error as Error).cause ?? error);
    }
    if (!this.#isConnecting) return await throwsUncaught(port);
    this.#handle = new ConfluentHandle({
      ...{ ...this.#parts, name: this.#name, settings },
      onAvailable: () => this.#workers?.notify(),
    });
    this.#state = "connected";
  }

  /** False if it was disconnected meanwhile. */
  get #isConnecting(): boolean {
    return this.#state === "connecting";
  }

  async subscribe(subscription: Subscription): Promise<void> {
    const handle = this.#connected("Subscribe can only be called while connected.");
    const { topic, topics, replace = false } = subscription;
    if (typeof (subscription as { fromBeginning?: unknown }).fromBeginning === "boolean") {
      throw argumentError(
        "'fromBeginning' is not supported as a property to 'subscribe', but must be passed to the consumer during creation.",
      );
    }
    const asked = topic ? [topic] : topics;
    if (!Array.isArray(asked)) {
      throw argumentError("The argument passed to subscribe must contain 'topics' or 'topic'.");
    }
    const patterns = asked.map(patternFrom);
    this.#subscriptions = replace ? patterns : [...this.#subscriptions, ...patterns];
    // What is refused is remembered all the same.
    if (!isSubscription(this.#subscriptions)) {
      throw new LibrdKafkaError("ERR__INVALID_ARG", "Local: Invalid argument or configuration");
    }
    handle.subscribe(this.#subscriptions);
    await Promise.resolve();
  }

  /** Returns at once; what a handler throws is logged, and its messages come again. */
  async run(config: ConfluentRunConfig): Promise<void> {
    const handle = this.#connected("Run must be called after a successful connect().");
    const refusal = runRefusal(config);
    if (refusal !== undefined) throw refusal;
    if (Object.hasOwn(config, "autoCommitThreshold")) {
      throw notImplemented("The property 'autoCommitThreshold' is not supported by run.");
    }
    if (this.#workers !== undefined) throw stateError("Consumer is already running.");
    const settings = consumerSettings(this.#config);
    const { port } = this.#parts;
    this.#parts.onRun(settings.groupId);
    const handlers = new ConfluentHandlers({
      ...{ config, log: this.#parts.log, commits: handle.commits, handled: this.#handled },
      isAutoCommit: settings.isAutoCommit,
      seek: (at) => this.#seekBetween(at),
      pause: (at) => this.pause([{ topic: at.topic, partitions: [at.partition] }]),
      commit: () => this.commitOffsets(),
    });
    this.#handlers = handlers;
    this.#workers = new ConfluentWorkers({
      ...{ port, handle, settings, config },
      handOut: (taken: Taken) => handlers.handOut(taken),
      rebalance: (event) => this.#rebalance(handle, event),
    });
    for (const operation of this.#early.splice(0)) this.#workers.between(operation);
    await Promise.resolve();
  }

  /**
   * Queues a commit of these offsets, or of what was handled. It resolves before the broker has
   * answered, and also if the broker then refuses it.
   */
  async commitOffsets(offsets: readonly ConfluentOffset[] | null = null): Promise<void> {
    const { commits } = this.#connected("Commit can only be called while connected.");
    try {
      // A caller without types may give 0 or an empty text, which is none.
      if (!offsets) commits.commitStored();
      else commits.commit(offsets.map(commitFrom).flat());
    } catch (error) {
      throw errorOfCall(error);
    }
    await passTime(this.#parts.port, 1);
  }

  /** Asks the broker for the committed offsets, of all assigned partitions by default. */
  async committed(
    partitions: readonly ConfluentTopicPartition[] | null = null,
    _timeout = -1,
  ): Promise<
    {
      topic: string;
      partition: number;
      offset: string | null;
      metadata: string | undefined;
      leaderEpoch: number | undefined;
    }[]
  > {
    const handle = this.#connected("Committed can only be called while connected.");
    const isMissing = partitions?.some(
      (one) => (one.topic as unknown) === undefined || (one.partition as unknown) === undefined,
    );
    if (isMissing)
      throw new NotModelled("committed() without a topic or a partition", NOT_MODELLED);
    const asked = (partitions || this.assignment()).map(({ topic, partition }) => ({
      ...{ topic, partition },
    }));
    const { port } = this.#parts;
    try {
      const found = await retried(port, {}, () => handle.committed(asked));
      return asked.map(({ topic, partition }, at) => ({
        ...{ topic, partition, leaderEpoch: handle.leaderEpochOf({ topic, partition }) },
        // The library takes the first offset for none.
        offset: found[at] ? String(found[at]) : null,
        metadata: handle.metadataOf({ topic, partition }) ?? undefined,
      }));
    } catch (error) {
      throw confluentErrorFrom((error as Error).cause ?? error);
    }
  }

  /** Reads the partition from there, once no handler works; "-2" is its beginning. */
  seek(at: ConfluentOffset): void {
    this.#connected("Seek can only be called while connected.");
    const { topic, partition, leaderEpoch = null } = at;
    const offset = Number(at.offset);
    if (typeof topic !== "string") throw argumentError("Topic must be a string.");
    if (Number.isNaN(offset) || (offset < 0 && !SPECIAL.includes(offset))) {
      throw argumentError("Offset must be >= 0, or a special value.");
    }
    if (typeof partition !== "number") {
      throw new NotModelled("a seek whose partition is no number", NOT_MODELLED);
    }
    this.#seekBetween({ topic, partition, offset, leaderEpoch });
  }

  /** Returns what resumes these partitions; nothing, if there are none. */
  pause(topics: Topics): () => void {
    const { assignment } = this.#connected("Pause can only be called while connected.");
    const paused = partitionsFrom(topics, assignment);
    if (paused.length === 0) return undefined as unknown as () => void;
    for (const at of paused) this.#pausedPartitions.set(placeOf(at), at);
    this.#handlers?.markStale(paused);
    this.#between(() => this.#pauseNow(paused));
    const again = paused.map(({ topic, partition }) => ({ topic, partitions: [partition] }));
    return () => this.resume(again);
  }

  resume(topics: Topics): void {
    const handle = this.#connected("Resume can only be called while connected.");
    const resumed = partitionsFrom(topics, handle.assignment);
    if (resumed.length === 0) return;
    for (const at of resumed) this.#pausedPartitions.delete(placeOf(at));
    this.#between(() => handle.fetcher.setPaused(resumed, false));
  }

  paused(): { topic: string; partitions: number[] }[] {
    const found = new Map<string, number[]>();
    for (const { topic, partition } of this.#pausedPartitions.values()) {
      found.set(topic, [...(found.get(topic) ?? []), partition]);
    }
    return [...found].map(([topic, partitions]) => ({ topic, partitions }));
  }

  assignment(): { topic: string; partition: number }[] {
    const { assignment } = this.#connected("Assignment can only be called while connected.");
    return assignment.map(({ topic, partition }) => ({ topic, partition }));
  }

  rebalanceProtocol(): string {
    return this.#state === "connected" && this.#subscriptions.length > 0 ? "EAGER" : "NONE";
  }

  /** An admin client that shares this consumer's connection. */
  dependentAdmin(): ConfluentAdmin {
    return new ConfluentAdmin(this.#parts, {}, () => this.isOpen);
  }

  /** Waits for the handlers that work; so none of them may wait for it. */
  async disconnect(): Promise<void> {
    if (this.#state === "broken") {
      this.#state = "disconnecting";
      throw withoutClient("unsubscribe");
    }
    if (this.#isConnecting) this.#state = "disconnected";
    if (this.#state !== "connected" || this.#handle === undefined) return;
    const handle = this.#handle;
    await this.#workers?.stop();
    this.#state = "disconnecting";
    const assignment = handle.unanswered ?? handle.assignment;
    const { rebalanceCb } = consumerSettings(this.#config);
    if (assignment.length > 0) {
      const partitions = assignment.map(({ topic, partition }) => ({ topic, partition }));
      await tellOf(rebalanceCb, { kind: "revoke", partitions, isLost: false }, () => false);
      handle.unassign(false);
    }
    await handle.close();
    // As the library's, which waits for an answer.
    if (handle.unanswered !== undefined) await new Promise<never>(() => undefined);
    this.#state = "disconnected";
  }

  async stop(): Promise<never> {
    await Promise.resolve();
    throw notImplemented();
  }

  async describeGroup(): Promise<never> {
    await Promise.resolve();
    throw notImplemented();
  }

  on(): never {
    throw notImplemented();
  }

  get events(): never {
    throw notImplemented();
  }

  /** The library's types have it, the library itself has not. */
  storeOffsets(): never {
    throw new NotModelled("consumer.storeOffsets()", NOT_MODELLED);
  }

  setSaslCredentialProvider(): never {
    throw new NotModelled("consumer.setSaslCredentialProvider()", NOT_MODELLED);
  }

  logger(): ConfluentLogger {
    return this.#logger;
  }

  #connected(refusal: string): ConfluentHandle {
    if (this.#state !== "connected" || this.#handle === undefined) throw stateError(refusal);
    return this.#handle;
  }

  #between(operation: () => Promise<void> | void): void {
    if (this.#workers === undefined) this.#early.push(operation);
    else this.#workers.between(operation);
  }

  #seekBetween(at: SoughtPartition): void {
    this.#handlers?.markStale([at], true);
    this.#between(() => this.#seekNow([at]));
  }

  async #seekNow(wanted: readonly SoughtPartition[]): Promise<void> {
    const handle = this.#handle as ConfluentHandle;
    const sought = wanted.filter((at) => {
      const isHere = handle.fetcher.seek(at);
      if (isHere) this.#pendingSeeks.delete(placeOf(at));
      else this.#pendingSeeks.set(placeOf(at), at);
      return isHere;
    });
    for (const at of sought) this.#handled.delete(placeOf(at));
    this.#workers?.cache.forget(sought);
    const { isAutoCommit } = consumerSettings(this.#config);
    if (isAutoCommit && sought.length > 0) {
      handle.commits.commit(sought.filter(({ offset }) => offset >= 0));
      await passTime(this.#parts.port, 1);
    }
  }

  async #pauseNow(partitions: readonly TopicPartitionAt[]): Promise<void> {
    const handle = this.#handle as ConfluentHandle;
    this.#workers?.cache.forget(partitions);
    handle.fetcher.setPaused(partitions, true);
    const seeks = partitions.flatMap(({ topic, partition }) => {
      const last = this.#handled.get(placeOf({ topic, partition }));
      if (last === undefined) return [];
      return [{ topic, partition, offset: last.offset + 1, leaderEpoch: last.leaderEpoch }];
    });
    await this.#seekNow(seeks);
  }

  /** Answers a rebalance: as the user's callback says, or as usual. */
  async #rebalance(handle: ConfluentHandle, event: RebalanceEvent): Promise<void> {
    const { rebalanceCb } = consumerSettings(this.#config);
    const give = (): void => {
      this.#workers?.between(() => {
        handle.unassign(event.isLost);
        this.#workers?.cache.clear();
      });
    };
    const answer = await tellOf(rebalanceCb, event, (partitions) => {
      if (event.kind === "assign") handle.assign(partitions);
      else give();
      return true;
    });
    if (answer === "not at all") handle.unanswered = event.partitions;
    if (answer !== "as usual") return;
    if (event.kind === "assign") handle.assign(event.partitions.map((at) => this.#sought(at)));
    else give();
    this.#workers?.adapt();
  }

  /** Where a seek wants the partition to begin, if there was one before it was assigned. */
  #sought(at: TopicPartitionAt): TopicPartitionAt {
    const sought = this.#pendingSeeks.get(placeOf(at));
    this.#pendingSeeks.delete(placeOf(at));
    return sought ?? at;
  }
}
