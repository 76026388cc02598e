import type { Taken } from "./confluent-cache.ts";
import { type ConfluentCommits, placeOf } from "./confluent-commits.ts";
import { argumentError, notImplemented } from "./confluent-errors.ts";
import type { SoughtPartition, TopicPartitionAt } from "./confluent-fetcher.ts";
import {
  confluentBatch,
  type ConfluentEachBatchPayload,
  confluentMessage,
  type ConfluentRunConfig,
} from "./confluent-payloads.ts";
import type { KafkaLog, StoredRecord } from "./kafka-log.ts";

/** The last record of a partition that was handled. */
export interface Handled {
  readonly offset: number;
  readonly leaderEpoch: number;
}

export interface HandlerParts {
  readonly config: ConfluentRunConfig;
  readonly log: KafkaLog;
  readonly commits: ConfluentCommits;
  readonly handled: Map<string, Handled>;
  readonly isAutoCommit: boolean;
  readonly seek: (at: SoughtPartition) => void;
  readonly pause: (at: TopicPartitionAt) => () => void;
  /** Commits what was handled. */
  readonly commit: () => Promise<void>;
}

/** A batch that a handler has in hand. */
interface InHand {
  isStale: boolean;
  isSought: boolean;
  resolved: number;
  /** The epoch that was named with it; below 0 it names none. */
  leaderEpoch: number;
}

type EachMessage = NonNullable<ConfluentRunConfig["eachMessage"]>;
type EachBatch = NonNullable<ConfluentRunConfig["eachBatch"]>;

const NONE = -1;
/** The only broker has led its partitions from the beginning. */
const EPOCH = 0;

/**
 * Calls the user's handlers. What they throw is swallowed, and what they have not handled is read
 * again at once, as in the library.
 */
export class ConfluentHandlers {
  readonly #parts: HandlerParts;
  readonly #inHand = new Map<string, InHand>();

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  /** Whoever handles a batch of these partitions is told that it is out of date. */
  markStale(partitions: readonly TopicPartitionAt[], isSought = false): void {
    for (const at of partitions) {
      const batch = this.#inHand.get(placeOf(at));
      if (batch === undefined) continue;
      batch.isStale = true;
      if (isSought) batch.isSought = true;
    }
  }

  /** Returns whether what a handler threw could be logged: if not, the library lets it lie there. */
  async handOut({ records }: Taken): Promise<boolean> {
    return this.#parts.config.eachMessage
      ? await this.#message(records[0])
      : await this.#batch(records);
  }

  async #message(record: StoredRecord): Promise<boolean> {
    const { config, commits, handled, seek, pause } = this.#parts;
    const { topic, partition, offset } = record;
    const at = { topic, partition };
    try {
      await (config.eachMessage as EachMessage)({
        ...at,
        message: confluentMessage(record),
        heartbeat: () => Promise.resolve(),
        pause: () => pause(at),
      });
    } catch (error) {
      if (!isLoggable(error)) return false;
      seek({ ...at, offset, leaderEpoch: EPOCH });
      return true;
    }
    commits.store({ ...at, offset: offset + 1, leaderEpoch: EPOCH });
    handled.set(placeOf(at), { offset, leaderEpoch: EPOCH });
    return true;
  }

  async #batch(records: readonly [StoredRecord, ...StoredRecord[]]): Promise<boolean> {
    const { config, seek } = this.#parts;
    const [{ topic, partition, offset: first }] = records;
    const last = records.at(-1)?.offset ?? first;
    const inHand: InHand = { isStale: false, isSought: false, resolved: NONE, leaderEpoch: EPOCH };
    this.#inHand.set(placeOf({ topic, partition }), inHand);
    try {
      // Without a handler this fails each time, and the same records come again.
      await (config.eachBatch as EachBatch)(this.#payloadOf(records, inHand));
      if (config.eachBatchAutoResolve !== false && !inHand.isStale) {
        this.#resolve({ topic, partition }, inHand, last, EPOCH);
      }
    } catch (error) {
      if (!isLoggable(error)) return false;
      // What it has not resolved is read again.
    }
    this.#inHand.delete(placeOf({ topic, partition }));
    if (inHand.isSought || inHand.resolved === last) return true;
    const offset = inHand.resolved === NONE ? first : inHand.resolved + 1;
    seek({ topic, partition, offset, leaderEpoch: inHand.leaderEpoch });
    return true;
  }

  /** A lower offset than the last one changes nothing. */
  #resolve(at: TopicPartitionAt, inHand: InHand, offset: number, leaderEpoch: number): void {
    if (Number.isNaN(offset)) throw argumentError(`Invalid offset to resolve: ${offset}`);
    if (offset <= inHand.resolved) return;
    inHand.resolved = offset;
    inHand.leaderEpoch = leaderEpoch;
    const { commits, handled } = this.#parts;
    commits.store({ ...at, offset: offset + 1, leaderEpoch });
    handled.set(placeOf(at), { offset, leaderEpoch });
  }

  #payloadOf(
    records: readonly [StoredRecord, ...StoredRecord[]],
    inHand: InHand,
  ): ConfluentEachBatchPayload {
    const { log, pause, isAutoCommit, commit } = this.#parts;
    const [{ topic, partition }] = records;
    const at = { topic, partition };
    return {
      batch: confluentBatch(records, log.partition(topic, partition)?.end ?? 0),
      resolveOffset: (offset, leaderEpoch = -1) =>
        this.#resolve(at, inHand, Number(offset), leaderEpoch),
      heartbeat: () => Promise.resolve(),
      pause: () => pause(at),
      commitOffsetsIfNecessary: () => (isAutoCommit ? Promise.resolve() : commit()),
      // It never ends in the library, not even by disconnect().
      isRunning: () => true,
      isStale: () => inHand.isStale,
      uncommittedOffsets: () => {
        throw notImplemented();
      },
    };
  }
}

/** Whether the library can log what was thrown, which it does as a text and with its stack. */
function isLoggable(error: unknown): boolean {
  try {
    return `${error as string}: ${(error as Error).stack}` !== "";
  } catch {
    return false;
  }
}
