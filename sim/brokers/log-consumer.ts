import type { Life } from "../hosts/life.ts";
import type { Assignment, LogRecord, PartitionLog } from "./partition-log.ts";

export interface LogConsumerOptions {
  readonly broker: string;
  readonly group: string;
  readonly topic: string;
  /** How long a fetch waits at the broker for new records. */
  readonly maxWaitMs: number;
}

/** The result of a fetch: records, and the assignment that they belong to. */
export interface Fetched {
  readonly assignment: Assignment;
  readonly records: readonly LogRecord[];
}

/**
 * A consumer of a partition log: it joins, fetches, seeks and commits, each by a call at its site.
 *
 * Holds: it keeps the read position of each partition; a newly assigned partition is read from the
 * committed offset on.
 */
export class LogConsumer {
  readonly #life: Life;
  readonly #log: PartitionLog;
  readonly #options: LogConsumerOptions;
  readonly #memberId: string;
  readonly #positions = new Map<number, number>();
  #assignment: Assignment = { generation: -1, partitions: [] };
  #isClosed = false;

  constructor(life: Life, log: PartitionLog, memberId: string, options: LogConsumerOptions) {
    this.#life = life;
    this.#log = log;
    this.#options = options;
    this.#memberId = memberId;
  }

  async join(): Promise<void> {
    const { broker, group, topic } = this.#options;
    const assignment = await this.#life.call("broker.fetch", broker, () =>
      this.#log.join(group, topic, this.#memberId),
    );
    this.#takeOver(assignment);
  }

  /**
   * Resolves with the next records; after `maxWaitMs` without new ones, with none.
   *
   * @throws {FencedMember} when it is not a member of its group any more
   */
  async fetch(signal: AbortSignal): Promise<Fetched> {
    const { broker, group } = this.#options;
    const asked = new Map(this.#positions);
    const read = new Map<number, number>();
    const fetched = await this.#life.call("broker.fetch", broker, () =>
      this.#log.fetch(group, this.#memberId, asked),
    );
    const isNew = fetched.assignment.generation !== this.#assignment.generation;
    if (isNew) {
      this.#takeOver(fetched.assignment);
      return { assignment: fetched.assignment, records: [] };
    }
    // Records of a partition that was sought or held meanwhile are outdated.
    const records = fetched.records.filter(
      ({ partition }) => this.#positions.get(partition) === asked.get(partition),
    );
    for (const { partition, offset } of records) read.set(partition, offset + 1);
    for (const [partition, position] of read) this.#positions.set(partition, position);
    if (records.length === 0) await this.#arrival(signal);
    return { assignment: fetched.assignment, records };
  }

  /**
   * Stays a member of its group without a fetch.
   *
   * @throws {FencedMember} when it is not a member of its group any more
   */
  async stay(): Promise<void> {
    const { broker, group } = this.#options;
    await this.#life.call("broker.fetch", broker, () =>
      this.#log.fetch(group, this.#memberId, new Map()),
    );
  }

  /** Reads `partition` again from `offset`. */
  seek(partition: number, offset: number): void {
    if (this.#positions.has(partition)) this.#positions.set(partition, offset);
  }

  /** Stops reading a partition until `seek` is called for it. */
  hold(partition: number): void {
    if (this.#positions.has(partition)) this.#positions.set(partition, Number.MAX_SAFE_INTEGER);
  }

  commit(generation: number, partition: number, offset: number): Promise<void> {
    const { broker, group } = this.#options;
    return this.#life.call("broker.settle", broker, () =>
      this.#log.commit(group, this.#memberId, generation, partition, offset),
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { broker, group } = this.#options;
    await this.#life.call("producer.close", broker, () => this.#log.leave(group, this.#memberId));
  }

  #takeOver(assignment: Assignment): void {
    this.#assignment = assignment;
    this.#positions.clear();
    for (const partition of assignment.partitions) {
      this.#positions.set(partition, this.#log.committed(this.#options.group, partition));
    }
  }

  /** Resolves when new records arrive, after the maximum wait, or when `signal` aborts. */
  #arrival(signal: AbortSignal): Promise<void> {
    const life = this.#life;
    const { group, maxWaitMs } = this.#options;
    return new Promise((resolve) => {
      const timer = life.clock.setTimer(maxWaitMs, done);
      function done(): void {
        life.clock.clearTimer(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
      else this.#log.onArrival(group, this.#memberId, () => life.after(1, done));
    });
  }
}
