import { orderFrom } from "../order-from.ts";
import type { AdvanceItem, Lane, SharedStreamProducer } from "../../../../src/shared-stream/mod.ts";
import type {
  KinesisRecord,
  KinesisWorker,
  ShardReader,
} from "../../../../sim/brokers/kinesis/client.ts";
import { pause } from "../pause.ts";

export type KinesisPort = Pick<
  KinesisWorker,
  "takeLeases" | "putRecord" | "putRecords" | "shutdown"
>;

/** Reading of one shard, as long as its lease is held. */
export interface ShardState {
  readonly reader: ShardReader;
  /** Undefined: to be asked for. */
  iterator: string | undefined;
  /** The newest record that was read, or that is to be read again. */
  readFrom: { readonly record: KinesisRecord; readonly isDone: boolean } | undefined;
  /** Rises with each re-read: a copy of an older epoch is stale. */
  epoch: number;
  /** No reading before then. */
  notBefore: number;
  outstanding: number;
  /** Resolved and not checkpointed yet. */
  unsaved: KinesisRecord | undefined;
  isAtEnd: boolean;
  /** The checkpoint under way. */
  saving: Promise<void>;
}

export interface KinesisPayload {
  readonly record: KinesisRecord;
  readonly state: ShardState;
  readonly epoch: number;
}

const DEAD_LETTERS = "orders-dead";
const LIMIT = 32;
const POLL_MS = 500;
const BACKOFF_MS = 1_000;

/**
 * A shared-stream producer on the shards of a Kinesis stream.
 *
 * Holds: a checkpoint never passes a record that is held: its shard is read again from there, and
 * copies of the older reading are ignored; what was read under a lease that is lost is neither
 * checkpointed nor dead-lettered; the end of a shard is checkpointed when all before it is.
 */
export class KinesisProducer implements SharedStreamProducer<unknown, KinesisPayload> {
  readonly client: KinesisPort;
  readonly shards: Map<string, ShardState> = new Map();

  /** What the stream is doing at the broker; never rejects. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(client: KinesisPort) {
    this.client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, KinesisPayload]> {
    while (!signal.aborted) {
      await this.#working(this.#takeLeases()).catch(() => undefined);
      for (const state of [...this.shards.values()]) {
        if (signal.aborted) return;
        const payloads = await this.#working(this.#round(state));
        for (const payload of payloads) {
          if (signal.aborted) return;
          yield [bodyOf(payload), payload];
        }
      }
      await pause(POLL_MS, signal);
    }
  }

  getAdvanceLane({ state }: KinesisPayload): Lane {
    return state.reader.shardId;
  }

  async advance(batch: readonly AdvanceItem<KinesisPayload>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      const { state, record } = payload;
      if (!this.isCurrent(payload)) continue;
      const isHeld = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (isHeld || (outcome.rejected > 0 && !(await this.#isDeadLettered(payload)))) {
        this.readAgain(payload);
        break;
      }
      state.unsaved = record;
      state.outstanding -= 1;
    }
    const state = batch[0]?.brokerPayload.state;
    if (state !== undefined) await this.save(state);
  }

  async aclose(): Promise<void> {
    await this.#work;
    await this.client.shutdown().catch(() => undefined);
  }

  isCurrent({ state, epoch }: KinesisPayload): boolean {
    return state.epoch === epoch && !state.reader.leaseLost.aborted;
  }

  /** The shard is held for a moment, so that a lasting failure does not become a hot loop. */
  readAgain({ state, record }: KinesisPayload): void {
    state.epoch += 1;
    state.outstanding = 0;
    state.iterator = undefined;
    state.readFrom = { record, isDone: false };
    state.isAtEnd = false;
    state.notBefore = Date.now() + BACKOFF_MS;
  }

  async deadLetter({ record }: KinesisPayload): Promise<void> {
    const { partitionKey, data } = record;
    await this.client.putRecord({ streamName: DEAD_LETTERS, partitionKey, data });
  }

  async checkpoint({ reader }: ShardState, record: KinesisRecord): Promise<void> {
    await reader.checkpointer.checkpoint(record.sequenceNumber, record.subSequenceNumber);
  }

  /** Checkpoints what is resolved; what does not get through is tried again with the next. */
  save(state: ShardState): Promise<void> {
    // One after the other: an older position must not arrive behind a newer one.
    state.saving = state.saving.then(() => this.#saveNow(state));
    return state.saving;
  }

  async #saveNow(state: ShardState): Promise<void> {
    const { unsaved } = state;
    if (unsaved === undefined) return;
    try {
      await this.checkpoint(state, unsaved);
      if (state.unsaved === unsaved) state.unsaved = undefined;
    } catch (error) {
      this.forgive(state, error);
    }
  }

  /** Whether the children may start. */
  isFinished({ isAtEnd, outstanding, unsaved }: ShardState): boolean {
    return isAtEnd && outstanding === 0 && unsaved === undefined;
  }

  #working<T>(work: Promise<T>): Promise<T> {
    this.#work = work.catch(() => undefined);
    return work;
  }

  async #isDeadLettered(payload: KinesisPayload): Promise<boolean> {
    try {
      await this.deadLetter(payload);
      return true;
    } catch {
      return false;
    }
  }

  async #takeLeases(): Promise<void> {
    for (const reader of await this.client.takeLeases()) {
      this.shards.set(reader.shardId, {
        reader,
        iterator: undefined,
        readFrom: undefined,
        epoch: 0,
        notBefore: 0,
        outstanding: 0,
        unsaved: undefined,
        isAtEnd: false,
        saving: Promise.resolve(),
      });
    }
  }

  /** What one look at a shard brings; nothing while it rests, or when the broker does not answer. */
  async #round(state: ShardState): Promise<readonly KinesisPayload[]> {
    if (state.reader.leaseLost.aborted) {
      if (this.shards.get(state.reader.shardId) === state) this.shards.delete(state.reader.shardId);
      return [];
    }
    if (Date.now() < state.notBefore) return [];
    try {
      if (this.isFinished(state)) await this.#finish(state);
      await this.save(state);
      return state.isAtEnd ? [] : await this.read(state);
    } catch (error) {
      if (nameOf(error) === "ExpiredIteratorException") this.expired(state);
      else this.forgive(state, error);
      return [];
    }
  }

  async read(state: ShardState): Promise<readonly KinesisPayload[]> {
    const { epoch, reader } = state;
    const iterator = state.iterator ?? (await this.iteratorFor(state));
    const { records, nextShardIterator } = await reader.getRecords(iterator, LIMIT);
    // A hold may have come while the records were on their way.
    if (state.epoch !== epoch) return [];
    state.iterator = nextShardIterator;
    state.isAtEnd = nextShardIterator === undefined;
    const last = records.at(-1);
    if (last !== undefined) state.readFrom = { record: last, isDone: true };
    state.outstanding += records.length;
    return records.map((record) => ({ record, state, epoch }));
  }

  iteratorFor({ reader, readFrom }: ShardState): Promise<string> {
    if (readFrom === undefined) return reader.getShardIterator();
    const { record, isDone } = readFrom;
    return reader.getShardIterator({
      shardIteratorType: isDone ? "AFTER_SEQUENCE_NUMBER" : "AT_SEQUENCE_NUMBER",
      startingSequenceNumber: record.sequenceNumber,
      startingSubSequenceNumber: record.subSequenceNumber,
    });
  }

  async #finish(state: ShardState): Promise<void> {
    await state.reader.checkpointer.checkpoint();
    this.shards.delete(state.reader.shardId);
    await this.#takeLeases();
  }

  /** The next read asks for an iterator at the place that was reached. */
  expired(state: ShardState): void {
    state.iterator = undefined;
  }

  /** A lost lease is nobody's fault, and an absent lease table comes back. */
  forgive(state: ShardState, error: unknown): void {
    const name = nameOf(error);
    if (name === "ShutdownException") {
      if (this.shards.get(state.reader.shardId) === state) this.shards.delete(state.reader.shardId);
    } else if (name !== "KinesisClientLibDependencyException" && name !== "TimeoutError") {
      throw error;
    }
  }
}

function bodyOf({ record }: KinesisPayload): unknown {
  return orderFrom(new TextDecoder().decode(record.data));
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
