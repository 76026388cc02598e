import { checkedOptions } from "../../../src/checked-options.ts";
import { brokerModel } from "../broker-shell.ts";
import type { BrokerModel, Disturbance } from "../broker.ts";
import type { World } from "../../kernel/world.ts";
import { recordText } from "../record-text.ts";
import { SettlementLog } from "../settlement-log.ts";
import { KinesisWorker } from "./client.ts";
import { KinesisServer } from "./server.ts";

/** How a Kinesis stream is set up. */
export interface KinesisOptions {
  /** The stream with the records; default "orders". Any other stream is for dead letters. */
  readonly stream?: string;
  /** How many shards the stream has; default 2. */
  readonly shards?: number;
  /** How long a lease lasts without renewal, in virtual milliseconds; default 10,000. */
  readonly leaseMs?: number;
  /** The names of the other streams that there are; default: any is there. */
  readonly deadLetterStreams?: readonly string[];
}

const OPTIONS: readonly (keyof KinesisOptions)[] = [
  "stream",
  "shards",
  "leaseMs",
  "deadLetterStreams",
];

const LEASE_MS = 10_000;
const SHARDS = 2;
const RIVAL = "rival/worker";
/** How long a rival keeps a lease. */
const RIVAL_MS = 8_000;

/**
 * A Kinesis stream and the lease table of one application, for producers written like workers of
 * the Kinesis Client Library.
 *
 * @example
 * ```ts
 * import { brokers } from "faultlane/check";
 *
 * const broker = brokers.kinesis({ shards: 4 });
 * console.log(broker.name); // => kinesis
 * ```
 */
export function kinesis(options: KinesisOptions = {}): BrokerModel<KinesisWorker> {
  checkedOptions(options, OPTIONS, "brokers.kinesis");
  const { stream = "orders", shards = SHARDS, leaseMs = LEASE_MS } = options;
  const { deadLetterStreams } = options;
  const names = { name: "kinesis", spec: { kinesis: options }, carriesText: true };
  return brokerModel(names, (world, host) => {
    const settlements = new SettlementLog(world, host);
    const settings = { stream, shards, leaseMs, deadLetterStreams };
    const server = new KinesisServer(world, settlements, settings);
    return {
      records: {
        publish(publication) {
          settlements.published(publication);
          const data = new TextEncoder().encode(recordText(publication));
          server.put(stream, publication.key, data);
        },
        owed: () => settlements.owed(),
      },
      disturbances: [
        leaseTheft(world, server),
        { name: "a shard is split", strike: () => server.split() },
        { name: "all iterators expire", strike: () => server.expireIterators() },
        server.refusal.disturbance("other streams are throttled"),
        server.denial.disturbance("the account may not read for a while", { isFatal: true }),
      ],
      connect(port, number) {
        const client = new KinesisWorker(port, host, server, number);
        return { client, open: () => client.openResources() };
      },
    };
  });
}

function leaseTheft(world: World, server: KinesisServer): Disturbance {
  let thefts = 0;
  const end = (): void => server.release(RIVAL);
  return {
    name: "a rival takes a lease",
    takesOver: true,
    strike() {
      thefts += 1;
      server.steal(RIVAL, thefts);
      world.schedule(RIVAL_MS, { lane: "kinesis", hop: false }, end);
    },
    end,
  };
}
