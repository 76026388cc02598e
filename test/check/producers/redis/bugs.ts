import { redis } from "../../../../sim/brokers/redis/model.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import {
  REDIS_OPTIONS,
  type RedisPayload,
  type RedisPort,
  RedisProducer,
} from "./redis-producer.ts";

type Entries = Awaited<ReturnType<RedisProducer["readNew"]>>;

/** P-65: reads what is new, and nothing else. */
class ReadsOnlyNew extends RedisProducer {
  override readPending(): Promise<Entries> {
    return Promise.resolve([]);
  }

  override takeOver(): Promise<Entries> {
    return Promise.resolve([]);
  }
}

/** P-66: a consumer of its own in each life; its own pending entries are all it looks for. */
class NewNameEachTime extends RedisProducer {
  constructor(client: RedisPort) {
    super(client, { ...REDIS_OPTIONS, consumer: `triggerer-${crypto.randomUUID()}` });
  }

  override takeOver(): Promise<Entries> {
    return Promise.resolve([]);
  }
}

/** P-67: takes over what is idle for two seconds, and lets its own entries be idle for longer. */
class ClaimsTooEarly extends RedisProducer {
  constructor(client: RedisPort) {
    super(client, { ...REDIS_OPTIONS, claimIdleMs: 2_000 });
  }

  override refresh(): Promise<void> {
    return Promise.resolve();
  }

  override isInHand(): boolean {
    return false;
  }
}

/** P-68: deletes what is done, and leaves it pending, where an older server keeps it for ever. */
class DeletesOnly extends RedisProducer {
  override async ack(ids: readonly string[]): Promise<void> {
    await this.client.xdel(this.options.stream, ...ids);
  }
}

/** P-69: names each id twice in one call. */
class NamesIdsTwice extends RedisProducer {
  override ack(ids: readonly string[]): Promise<void> {
    return super.ack([...ids, ...ids]);
  }
}

/** P-70: leaves what failed where it is, until the next start takes it over. */
class LeavesTheFailed extends RedisProducer {
  #hasTakenOver = false;

  override async takeOver(reader: RedisPort): Promise<Entries> {
    if (this.#hasTakenOver) return [];
    this.#hasTakenOver = true;
    return super.takeOver(reader);
  }

  override hold({ id }: RedisPayload): void {
    this.held.delete(id);
  }
}

/** P-71: asks the server to forget what it delivers. */
class ReadsWithoutAck extends RedisProducer {
  override async readNew(reader: RedisPort): Promise<Entries> {
    const { group, consumer, stream } = this.options;
    const reply = await reader.xreadgroup(
      "GROUP",
      group,
      consumer,
      "COUNT",
      8,
      "BLOCK",
      1_000,
      "NOACK",
      "STREAMS",
      stream,
      ">",
    );
    return ((reply ?? []) as [string, Entries][]).flatMap(([, entries]) => entries);
  }
}

type RedisClass = new (client: RedisPort) => RedisProducer;

function bug(
  id: string,
  guarantees: readonly string[],
  Class: RedisClass,
  broker = redis(),
): PlantedBug {
  return planted(id, guarantees, broker, ({ client }) => new Class(client));
}

export const REDIS_CORRECT: CorrectProducer = correctOn(
  "a consumer group",
  redis(),
  ({ client }) => new RedisProducer(client),
);

export const REDIS_BUGS: readonly PlantedBug[] = [
  bug("P-65", ["G8"], ReadsOnlyNew),
  bug("P-66", ["G8"], NewNameEachTime),
  bug("P-67", ["G9"], ClaimsTooEarly),
  bug("P-68", ["progress"], DeletesOnly, redis({ majorVersion: 6 })),
  bug("P-69", ["G4"], NamesIdsTwice),
  // Also what was rejected, and could not be dead-lettered.
  bug("P-70", ["G8", "progress"], LeavesTheFailed),
  bug("P-71", ["G1", "G2"], ReadsWithoutAck),
];
