import { expect, test } from "vitest";
import type { AdvanceItem, SharedStreamProducer } from "../../src/mod.ts";
import {
  brokerModel,
  type ClientPort,
  FencedMember,
  type LogRecord,
  PartitionLog,
  SettlementLog,
} from "../../sim/brokers/mod.ts";
import { checkProducer, PropertyViolation } from "../../sim/check/mod.ts";

const TOPIC = "orders";
const GROUP = "triggerer";
const PARTITIONS = 2;

/** A log's client that joins, reads and commits, without any help. */
interface LogClient {
  readonly me: string;
  readonly log: PartitionLog;
  call<T>(site: "broker.fetch" | "broker.settle" | "broker.produce", effect: () => T): Promise<T>;
  bury(ref: string): void;
}

const broker = brokerModel<LogClient>({ name: "own-log" }, (world, host) => {
  const settlements = new SettlementLog(world, host);
  const log = new PartitionLog(world, host, { sessionTimeoutMs: 20_000, settlements });
  log.createTopic(TOPIC, PARTITIONS);
  return {
    records: {
      publish(publication) {
        settlements.published(publication);
        const partition = publication.key.charCodeAt(publication.key.length - 1) % PARTITIONS;
        log.produce(TOPIC, partition, () => publication);
      },
      owed: () => settlements.owed(),
    },
    disturbances: [
      { name: "a rebalance", strike: () => log.forceRebalance(GROUP) },
      { name: "all sessions end", strike: () => log.expireAll(GROUP) },
    ],
    connect(port: ClientPort, number) {
      const client: LogClient = {
        me: `${port.name}/${number}`,
        log,
        call: (site, effect) => port.call(site, host, effect),
        bury: (ref) => settlements.deadLettered(ref),
      };
      return { client, open: () => [] };
    },
  };
});

/** Reads its partitions, and reads again from what has to come again. */
class LogProducer implements SharedStreamProducer<unknown, LogRecord> {
  readonly #client: LogClient;
  /** The next offset to read of each partition, and the next one to commit. */
  readonly #read = new Map<number, number>();
  readonly #next = new Map<number, number>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #generation = -1;

  constructor(client: LogClient) {
    this.#client = client;
  }

  async *openStream(signal: AbortSignal): AsyncGenerator<readonly [unknown, LogRecord]> {
    while (!signal.aborted) {
      const records = await this.#fetch().catch(() => []);
      for (const record of records) {
        if (signal.aborted) return;
        const at = this.#read.get(record.partition);
        if (at !== record.offset) continue;
        this.#read.set(record.partition, at + 1);
        yield [record.value, { ...record }];
      }
      if (records.length === 0) await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  getAdvanceLane({ partition }: LogRecord): number {
    return partition;
  }

  async advance(batch: readonly AdvanceItem<LogRecord>[]): Promise<void> {
    for (const { brokerPayload: record, outcome } of batch) {
      const { partition, offset } = record;
      if (this.#next.get(partition) !== offset) continue;
      const isHeld = outcome.failed > 0 || outcome.acked + outcome.rejected === 0;
      try {
        if (isHeld) throw new Error("It has to come again");
        if (outcome.rejected > 0) await this.#bury(record);
        await this.#commit(partition, offset + 1);
      } catch {
        if (this.#next.get(partition) === offset) this.#readAgain(partition, offset);
      }
    }
  }

  async aclose(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const { log, me, call } = this.#client;
    await call("broker.settle", () => log.leave(GROUP, me)).catch(() => undefined);
  }

  /** After a moment, in which nothing of the partition is read. */
  #readAgain(partition: number, offset: number): void {
    this.#read.delete(partition);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const isNext = this.#next.get(partition) === offset;
      if (isNext && !this.#read.has(partition)) this.#read.set(partition, offset);
    }, 1_000);
    this.#timers.add(timer);
  }

  protected async commit(partition: number, offset: number): Promise<void> {
    const { log, me, call } = this.#client;
    const generation = this.#generation;
    await call("broker.settle", () => log.commit(GROUP, me, generation, partition, offset));
  }

  async #commit(partition: number, offset: number): Promise<void> {
    await this.commit(partition, offset);
    this.#next.set(partition, offset);
  }

  async #bury({ value }: LogRecord): Promise<void> {
    const { bury, call } = this.#client;
    await call("broker.produce", () => bury((value as { readonly ref: string }).ref));
  }

  async #fetch(): Promise<readonly LogRecord[]> {
    const { log, me, call } = this.#client;
    const positions = new Map(this.#read);
    const { assignment, records } = await call("broker.fetch", () => {
      try {
        return log.fetch(GROUP, me, positions);
      } catch (error) {
        if (!(error instanceof FencedMember)) throw error;
        return { assignment: log.join(GROUP, TOPIC, me), records: [] };
      }
    });
    if (assignment.generation === this.#generation) return records;
    this.#generation = assignment.generation;
    this.#read.clear();
    this.#next.clear();
    for (const partition of assignment.partitions) {
      this.#read.set(partition, log.committed(GROUP, partition));
      this.#next.set(partition, log.committed(GROUP, partition));
    }
    return [];
  }
}

/** Commits one record more than is done. */
class HastyProducer extends LogProducer {
  protected override commit(partition: number, offset: number): Promise<void> {
    return super.commit(partition, offset + 1);
  }
}

test("a correct producer holds on a model that is made of a partition log", async () => {
  const report = await checkProducer({
    broker,
    createProducer: ({ client }) => new LogProducer(client),
    numRuns: 60,
  });
  expect(report.faults.filter(([, times]) => times > 0).map(([name]) => name)).toEqual(
    expect.arrayContaining(["a rebalance", "all sessions end"]),
  );
});

test("one that commits past what is done is found on it", async () => {
  const check = checkProducer({
    broker,
    createProducer: ({ client }) => new HastyProducer(client),
    numRuns: 60,
  });
  const error = await check.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PropertyViolation);
  expect(["G1", "G2"]).toContain((error as PropertyViolation).guarantee);
});
