import { checkedOptions } from "../../../src/checked-options.ts";
import { FAULT_DETAILS } from "../../faults/fault-details.ts";
import type { World } from "../../kernel/world.ts";
import { brokerModel, type BrokerParts } from "../broker-shell.ts";
import type { BrokerLink, BrokerModel, ClientPort, Disturbance, Publication } from "../broker.ts";
import { refIn } from "../ref-in.ts";
import { Refusal } from "../refusal.ts";
import { confluentClient, type ConfluentKafkaClient } from "./confluent-client.ts";
import { type AdminConfig, KafkaAdmin } from "./kafka-admin.ts";
import type { ClusterParts } from "./kafka-cluster-parts.ts";
import { type ConsumerConfig, KafkaConsumer } from "./kafka-consumer.ts";
import { KafkaJSProtocolError } from "./kafka-errors.ts";
import { type KafkaLogger, SILENT_LOGGER } from "./kafka-events.ts";
import { isRival } from "./kafka-group.ts";
import { KafkaGroups } from "./kafka-groups.ts";
import { BrokerCrashes } from "./kafka-link.ts";
import { KafkaLog, type Partition } from "./kafka-log.ts";
import { type ProducedMessage, storedFrom } from "./kafka-message.ts";
import { KafkaProducer, type ProducerConfig, type RecordMetadata } from "./kafka-producer.ts";
import { KafkaRival } from "./kafka-rival.ts";

/** How a Kafka cluster is set up. */
export interface KafkaOptions {
  /** How many partitions each topic has; default 3. */
  readonly partitions?: number;
}

const OPTIONS: readonly (keyof KafkaOptions)[] = ["partitions"];

/**
 * The client of a Kafka cluster, with the interface of `Kafka` of kafkajs.
 *
 * - `consumer()`: `connect`, `subscribe`, `run` (`eachMessage`, `eachBatch`), `commitOffsets`,
 *   `seek`, `pause`, `resume`, `paused`, `on`, `stop`, `disconnect`.
 * - `producer()`: `connect`, `send`, `sendBatch`, `on`, `disconnect`. Records in another topic than
 *   the workload's are dead letters.
 * - `admin()`: `connect`, `listTopics`, `createTopics`, `fetchTopicMetadata`, `fetchTopicOffsets`
 *   (also by timestamp), `fetchOffsets`, `setOffsets`, `resetOffsets`, `listGroups`,
 *   `describeGroups`, `on`, `disconnect`.
 * - `logger()`: discards everything.
 *
 * Types, defaults and errors are those of kafkajs 2.
 */
export interface KafkaClient {
  /**
   * Creates a consumer of a group.
   *
   * @internal
   */
  consumer(config: ConsumerConfig): KafkaConsumer;
  /**
   * Creates a producer.
   *
   * @internal
   */
  producer(config?: ProducerConfig): KafkaProducer;
  /**
   * Creates an admin client.
   *
   * @internal
   */
  admin(config?: AdminConfig): KafkaAdmin;
  /**
   * Returns the logger, which discards everything.
   *
   * @internal
   */
  logger(): KafkaLogger;
}

const PARTITIONS_DEFAULT = 3;
/** A follower waits so long at most in each fetch, by default. */
const COPIED_AFTER_MS = 500;
const NO_ERROR = 0;
/** Of a topic whose records have the time of their producer, which is the default. */
const NO_APPEND_TIME = "-1";

/**
 * A Kafka cluster, for producers that use kafkajs.
 *
 * @throws {RangeError} when `partitions` is not a whole number from 1
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.kafka({ partitions: 6 });
 * console.log(broker.name); // => kafka
 * ```
 */
export function kafka(options: KafkaOptions = {}): BrokerModel<KafkaClient> {
  checkedOptions(options, OPTIONS, "brokers.kafka");
  const partitions = partitionsFrom(options);
  const names = { name: "kafka", spec: { kafka: options }, carriesText: true };
  return brokerModel(names, (world, host) => {
    const cluster = new KafkaCluster(world, host, partitions, kafkaJS);
    // The other library goes on by itself.
    const denied = "the user may not read the topics for a while";
    cluster.disturbances.push(cluster.log.denial.disturbance(denied, { isFatal: true }));
    return cluster;
  });
}

/**
 * The same cluster, for producers that use the KafkaJS face of `@confluentinc/kafka-javascript`.
 *
 * @throws {RangeError} when `partitions` is not a whole number from 1
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * console.log(brokers.confluentKafka().name); // => confluent-kafka
 * ```
 */
export function confluentKafka(options: KafkaOptions = {}): BrokerModel<ConfluentKafkaClient> {
  checkedOptions(options, OPTIONS, "brokers.confluentKafka");
  const partitions = partitionsFrom(options);
  const names = {
    name: "confluent-kafka",
    spec: { "confluent-kafka": options },
    carriesText: true,
  };
  return brokerModel(
    names,
    (world, host) => new KafkaCluster(world, host, partitions, confluentClient),
  );
}

function partitionsFrom({ partitions = PARTITIONS_DEFAULT }: KafkaOptions): number {
  if (Number.isInteger(partitions) && partitions >= 1) return partitions;
  throw new RangeError(`Cannot make a topic of ${partitions} partitions`);
}

/**
 * Has an object carry its methods itself, as those of the library do, which one may take out of it:
 * `const { send } = kafka.producer()`.
 */
function detachable<Part extends object>(part: Part): Part {
  const known = Object.getOwnPropertyDescriptors(part);
  const inherited = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(part) as object);
  for (const [name, { value }] of Object.entries({ ...inherited, ...known })) {
    if (typeof value !== "function" || name === "constructor") continue;
    const method = (value as (...given: unknown[]) => unknown).bind(part);
    Object.defineProperty(part, name, { value: method, enumerable: true, configurable: true });
  }
  // Those of the library are of no class.
  Object.defineProperty(part, "constructor", { value: Object });
  return part;
}

/** A client with the interface of kafkajs, whose own methods are those of its class. */
class Client implements KafkaClient {
  readonly #parts: ClusterParts;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  consumer(given: ConsumerConfig | undefined): KafkaConsumer {
    const { opened, nextName } = this.#parts;
    // A caller without types may give none, or null.
    const config = given === undefined ? { groupId: "" } : given;
    const name = `a consumer of group "${config.groupId}"`;
    return detachable(opened(name, new KafkaConsumer(this.#parts, nextName(), config)));
  }

  producer(config: ProducerConfig = {}): KafkaProducer {
    const { opened, target } = this.#parts;
    return detachable(opened("a producer", new KafkaProducer(this.#parts, target, config)));
  }

  admin(config: AdminConfig = {}): KafkaAdmin {
    const { opened } = this.#parts;
    return detachable(opened("an admin client", new KafkaAdmin(this.#parts, config)));
  }

  logger(): KafkaLogger {
    return SILENT_LOGGER;
  }
}

function kafkaJS(parts: ClusterParts): KafkaClient {
  return new Client(parts);
}

class KafkaCluster<Client> implements BrokerParts<Client> {
  readonly records: BrokerParts<Client>["records"] = this;
  readonly disturbances: Disturbance[];
  readonly #world: World;
  readonly #host: string;
  readonly log: KafkaLog;
  readonly #groups: KafkaGroups;
  readonly #rivals: KafkaRival[] = [];
  readonly #expired = new Set<string>();
  /** Partitions that some reader has started to read. */
  readonly #begun = new Set<string>();
  readonly #published: string[] = [];
  /** The group that reads the workload's records. */
  #group: string | undefined;
  readonly #refusal: Refusal;
  readonly #createClient: (parts: ClusterParts) => Client;
  #consumers = 0;
  readonly #crashes: BrokerCrashes;

  constructor(
    world: World,
    host: string,
    partitions: number,
    createClient: (parts: ClusterParts) => Client,
  ) {
    this.#createClient = createClient;
    this.#refusal = new Refusal(world);
    this.#world = world;
    this.#host = host;
    this.log = new KafkaLog(world, host, partitions);
    this.#groups = new KafkaGroups(world, host, this.log);
    this.#crashes = new BrokerCrashes(world, host);
    this.disturbances = [
      {
        name: "another consumer joins the group",
        takesOver: true,
        strike: () => this.#inviteRival(),
        end: () => this.#dismissRivals(),
      },
      {
        name: "the coordinator forgets its members",
        takesOver: true,
        strike: () => this.#evict(),
      },
      { name: "retention deletes the oldest records", strike: () => this.#trim() },
      this.#refusal.disturbance("other topics refuse what is sent"),
      {
        name: "a partition of a commit is refused",
        isRare: true,
        strike: () => {
          this.#groups.commitsToRefuse = 1;
        },
        end: () => {
          this.#groups.commitsToRefuse = 0;
        },
      },
    ];
  }

  publish(publication: Publication): void {
    this.#published.push(publication.ref);
    this.log.publish(publication);
  }

  owed(): readonly string[] {
    const group = this.#group;
    if (group === undefined) return this.#published;
    return (
      this.#sources()
        .flatMap((partition) => this.#groups.uncommitted(group, partition))
        .map(({ ref }) => ref)
        // A record that a client has sent has no ref, and is owed to nobody.
        .filter((ref) => ref !== "" && !this.#expired.has(ref))
    );
  }

  connect(port: ClientPort): BrokerLink<Client> {
    const opened: (readonly [name: string, part: { readonly isOpen: boolean }])[] = [];
    const client = this.#createClient({
      port,
      host: this.#host,
      log: this.log,
      groups: this.#groups,
      crashes: this.#crashes,
      onRun: (groupId) => {
        this.#group ??= groupId;
      },
      onStartAtEnd: (topic, partition) => this.#startAtEnd(topic, partition),
      nextName: () => {
        this.#consumers += 1;
        return `${port.name}/${port.incarnation}/consumer-${this.#consumers}`;
      },
      target: {
        partitionsOf: (topic) => this.log.partitionsOf(topic).length,
        append: (topic, partition, messages, isFull = true) => {
          const to = this.log.partitionsOf(topic)[partition] as Partition;
          return this.#append(to, messages, port, isFull);
        },
      },
      opened: (name, part) => {
        opened.push([name, part]);
        return part;
      },
    });
    const open = (): readonly string[] =>
      opened.filter(([, { isOpen }]) => isOpen).map(([name]) => name);
    return { client, open };
  }

  #sources(): readonly Partition[] {
    return this.log.sources.flatMap((topic) => this.log.partitionsOf(topic));
  }

  /** Appends messages to one partition: all of them, or none. */
  #append(
    { topic, number, end, low }: Partition,
    messages: readonly ProducedMessage[],
    { clock }: ClientPort,
    isFull: boolean,
  ): RecordMetadata {
    const isSource = this.log.sources.includes(topic);
    if (!isSource && this.#refusal.isOn) {
      throw new KafkaJSProtocolError("MESSAGE_TOO_LARGE");
    }
    for (const message of messages) {
      const stored = storedFrom(message, clock.wallNow());
      const sentWith = messages.length > 1 ? { sentWith: end } : {};
      const { value, key, headers } = stored;
      const ref = refIn([value, key, ...Object.values(headers).flat()].join("\n"));
      const copyOf = isSource ? this.log.copied(ref) : undefined;
      this.log.append(topic, number, { ...stored, ...sentWith, ref: copyOf ?? "" });
      if (ref === undefined || isSource) continue;
      if (isFull) this.#world.trace.emit(this.#host, { kind: "dead-lettered", ref });
      else this.#copyLater(ref);
    }
    return {
      ...{ topicName: topic, partition: number, errorCode: NO_ERROR, baseOffset: String(end) },
      ...{ logAppendTime: NO_APPEND_TIME, logStartOffset: String(low) },
    };
  }

  /** A dead letter that its leader alone has is lost when the leader crashes before it is copied. */
  #copyLater(ref: string): void {
    const crashes = this.#crashes.count;
    this.#world.trace.emit(this.#host, { kind: "on-leader-alone", ref });
    this.#world.schedule(COPIED_AFTER_MS, { lane: this.#host, hop: false }, () => {
      if (this.#crashes.count > crashes) return;
      this.#world.trace.emit(this.#host, { kind: "dead-lettered", ref });
    });
  }

  /**
   * The group's first reader of a partition starts at its end: the records before that count as
   * expired. A second start at the end is the producer's fault, and loses records.
   */
  #startAtEnd(topic: string, number: number): void {
    const place = `${topic}/${number}`;
    if (this.#begun.has(place)) return;
    this.#begun.add(place);
    for (const { ref } of this.log.partition(topic, number)?.records ?? []) this.#expire(ref);
  }

  #expire(ref: string): void {
    if (ref === "" || this.#expired.has(ref)) return;
    this.#expired.add(ref);
    this.#world.trace.emit(this.#host, { kind: "expired", ref });
  }

  #inviteRival(): void {
    if (this.#group === undefined) return;
    const rival = new KafkaRival(this.#world, this.#host, this.log, this.#groups, this.#group);
    this.#rivals.push(rival);
    rival.join();
  }

  #dismissRivals(): void {
    for (const rival of this.#rivals) rival.leave();
  }

  #evict(): void {
    if (this.#group === undefined) return;
    this.#groups.evict(this.#group, (id) => !isRival(id));
  }

  /** Deletes the records of one partition up to and including its first unsettled one. */
  #trim(): void {
    const group = this.#group;
    if (group === undefined) return;
    const chance = this.#world.choices.stream("fault", this.#host);
    const open = this.#sources().filter(
      (partition) => this.#groups.uncommitted(group, partition).length > 0,
    );
    if (open.length === 0) return;
    const partition = open[chance.choose(open.length, FAULT_DETAILS.partition)] as Partition;
    const [first] = this.#groups.uncommitted(group, partition);
    if (first === undefined) return;
    this.#expire(first.ref);
    this.log.trim(partition, first.offset + 1);
  }
}
