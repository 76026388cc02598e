import type { AdvanceItem, Lane, SharedStreamProducer } from "faultlane";
import type { KinesisRecord, KinesisWorker, ShardReader } from "faultlane/check";

/** Reading of one shard, for as long as its lease is held. */
interface Shard {
  readonly reader: ShardReader;
  iterator: string | undefined;
  /** The newest record that was read, or the one that is to be read again. */
  readFrom: { readonly record: KinesisRecord; readonly isDone: boolean } | undefined;
  /** Rises with each re-read: what was read in an older epoch is stale. */
  epoch: number;
  /** No reading before then. */
  notBefore: number;
  outstanding: number;
  /** Resolved, and not checkpointed yet. */
  unsaved: KinesisRecord | undefined;
  isAtEnd: boolean;
  /** The checkpoint under way. */
  saving: Promise<void>;
}

interface Payload {
  readonly record: KinesisRecord;
  readonly shard: Shard;
  readonly epoch: number;
}

const POLL_MS = 500;
const BACKOFF_MS = 1_000;

/**
 * Orders from the shards of a Kinesis stream. Repairs, against naive-kinesis.ts:
 *
 * - A checkpoint names the last record that is done with, and never passes one that is not (G2).
 *   Checkpoints of a shard go one after the other, so that none moves back (G5).
 * - From an order that failed on, its shard is read again after a moment (G8), and what was read of
 *   it before is ignored (G1).
 * - A rejected order that cannot be put into the dead-letter stream is held (G3).
 * - What was read under a lease that is lost is neither checkpointed nor dead-lettered (G4).
 * - The end of a shard is checkpointed when all before it is, so that its children may start.
 * - An expired iterator, a lost lease and a lease table out of reach do not end the stream (G10).
 * - The end waits for the call under way before it gives the leases back (G6).
 * - What is no JSON is handed out as text, for a filter to reject: an error of the parser would end
 *   the stream, whenever that order comes again (G10).
 */
class Orders implements SharedStreamProducer<unknown, Payload> {
  readonly #worker: KinesisWorker;
  readonly #shards = new Map<string, Shard>();
  /** The call under way; never rejects. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(worker: KinesisWorker) {
    this.#worker = worker;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, Payload]> {
    while (!signal.aborted) {
      await this.#while(this.#takeLeases()).catch(() => undefined);
      for (const shard of [...this.#shards.values()]) {
        if (signal.aborted) return;
        for (const payload of await this.#while(this.#lookAt(shard))) {
          if (signal.aborted) return;
          yield [orderFrom(new TextDecoder().decode(payload.record.data)), payload];
        }
      }
      await pause(POLL_MS, signal);
    }
  }

  getAdvanceLane({ shard }: Payload): Lane {
    return shard.reader.shardId;
  }

  async advance(batch: readonly AdvanceItem<Payload>[]): Promise<void> {
    for (const { brokerPayload: payload, outcome } of batch) {
      const { shard, record, epoch } = payload;
      if (shard.epoch !== epoch || shard.reader.leaseLost.aborted) continue;
      const mustHold = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      if (mustHold || (outcome.rejected > 0 && !(await this.#isDeadLettered(record)))) {
        readAgain(shard, record);
        break;
      }
      shard.unsaved = record;
      shard.outstanding -= 1;
    }
    const shard = batch[0]?.brokerPayload.shard;
    if (shard !== undefined) await this.#save(shard);
  }

  async aclose(): Promise<void> {
    await this.#working;
    await this.#worker.shutdown().catch(() => undefined);
  }

  async #isDeadLettered({ partitionKey, data }: KinesisRecord): Promise<boolean> {
    try {
      await this.#worker.putRecord({ streamName: "orders-dead", partitionKey, data });
      return true;
    } catch {
      return false;
    }
  }

  /** Checkpoints what is resolved; what does not get through goes with the next. */
  #save(shard: Shard): Promise<void> {
    shard.saving = shard.saving.then(async () => {
      const { unsaved } = shard;
      if (unsaved === undefined) return;
      try {
        const { sequenceNumber, subSequenceNumber } = unsaved;
        await shard.reader.checkpointer.checkpoint(sequenceNumber, subSequenceNumber);
        if (shard.unsaved === unsaved) shard.unsaved = undefined;
      } catch (error) {
        this.#forgive(shard, error);
      }
    });
    return shard.saving;
  }

  async #takeLeases(): Promise<void> {
    for (const reader of await this.#worker.takeLeases()) {
      const reading = {
        iterator: undefined,
        readFrom: undefined,
        unsaved: undefined,
        isAtEnd: false,
      };
      const counts = { epoch: 0, notBefore: 0, outstanding: 0 };
      this.#shards.set(reader.shardId, {
        reader,
        ...reading,
        ...counts,
        saving: Promise.resolve(),
      });
    }
  }

  /** Returns what a shard has for us; nothing while it rests, or when the service is out of reach. */
  async #lookAt(shard: Shard): Promise<readonly Payload[]> {
    if (shard.reader.leaseLost.aborted) this.#drop(shard);
    if (shard.reader.leaseLost.aborted || performance.now() < shard.notBefore) return [];
    try {
      const { isAtEnd, outstanding, unsaved } = shard;
      if (isAtEnd && outstanding === 0 && unsaved === undefined) {
        await shard.reader.checkpointer.checkpoint();
        this.#drop(shard);
        await this.#takeLeases();
      }
      await this.#save(shard);
      return shard.isAtEnd ? [] : await read(shard);
    } catch (error) {
      if (nameOf(error) === "ExpiredIteratorException") shard.iterator = undefined;
      else this.#forgive(shard, error);
      return [];
    }
  }

  /** A lost lease is nobody's fault, and a lease table out of reach comes back. */
  #forgive(shard: Shard, error: unknown): void {
    const name = nameOf(error);
    if (name === "ShutdownException") this.#drop(shard);
    else if (name !== "KinesisClientLibDependencyException" && name !== "TimeoutError") throw error;
  }

  #drop(shard: Shard): void {
    const { shardId } = shard.reader;
    if (this.#shards.get(shardId) === shard) this.#shards.delete(shardId);
  }

  #while<T>(work: Promise<T>): Promise<T> {
    this.#working = work.catch(() => undefined);
    return work;
  }
}

/** After a moment, so that a lasting failure does not become a hot loop. */
function readAgain(shard: Shard, record: KinesisRecord): void {
  shard.epoch += 1;
  shard.outstanding = 0;
  shard.iterator = undefined;
  shard.readFrom = { record, isDone: false };
  shard.isAtEnd = false;
  shard.notBefore = performance.now() + BACKOFF_MS;
}

async function read(shard: Shard): Promise<readonly Payload[]> {
  const { epoch, reader } = shard;
  const iterator = shard.iterator ?? (await iteratorFor(shard));
  const { records, nextShardIterator } = await reader.getRecords(iterator, 32);
  // An order may have failed while these were on their way.
  if (shard.epoch !== epoch) return [];
  shard.iterator = nextShardIterator;
  shard.isAtEnd = nextShardIterator === undefined;
  const last = records.at(-1);
  if (last !== undefined) shard.readFrom = { record: last, isDone: true };
  shard.outstanding += records.length;
  return records.map((record) => ({ record, shard, epoch }));
}

function iteratorFor({ reader, readFrom }: Shard): Promise<string> {
  if (readFrom === undefined) return reader.getShardIterator();
  const { record, isDone } = readFrom;
  return reader.getShardIterator({
    shardIteratorType: isDone ? "AFTER_SEQUENCE_NUMBER" : "AT_SEQUENCE_NUMBER",
    startingSequenceNumber: record.sequenceNumber,
    startingSubSequenceNumber: record.subSequenceNumber,
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Waits for `ms`, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

/** What is no JSON is handed out as it is: a filter rejects it. */
function orderFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function createProducer({ client }: { readonly client: KinesisWorker }): Orders {
  return new Orders(client);
}
