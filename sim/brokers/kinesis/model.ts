import type { World } from "../../world.ts";
import type { Broker, BrokerLink, BrokerModel, Publication, Wire } from "../broker.ts";
import { RecordBook } from "../record-book.ts";
import { bytesFrom } from "../text-bytes.ts";
import { KinesisWorker } from "./client.ts";
import { KinesisServer, type KinesisSettings } from "./server.ts";

export interface KinesisOptions {
  /** The stream that the records are in. */
  readonly stream?: string;
  readonly shards?: number;
  /** How long a worker may go without renewing its leases, in ms. */
  readonly leaseMs?: number;
}

const LEASE_MS = 10_000;
const SHARDS = 2;
const RIVAL = "rival/worker";
/** How long a rival keeps a lease. */
const RIVAL_MS = 8_000;

/**
 * A Kinesis stream and the lease table of one application.
 *
 * Settings: `stream` "orders", 2 `shards`, `leaseMs` 10,000, as by default; any other stream is for
 * dead letters.
 */
export function kinesis(options: KinesisOptions = {}): BrokerModel<KinesisWorker> {
  const { stream = "orders", shards = SHARDS, leaseMs = LEASE_MS } = options;
  return {
    name: "kinesis",
    scope: "partition",
    isOrdered: true,
    redeliveryMs: leaseMs,
    start: (world, host) => new KinesisBroker(world, host, { stream, shards, leaseMs }),
  };
}

class KinesisBroker implements Broker<KinesisWorker> {
  readonly disturbances: Broker<KinesisWorker>["disturbances"];
  readonly #world: World;
  readonly #host: string;
  readonly #stream: string;
  readonly #book: RecordBook;
  readonly #server: KinesisServer;
  #workers = 0;
  #thefts = 0;

  constructor(world: World, host: string, settings: KinesisSettings) {
    this.#world = world;
    this.#host = host;
    this.#stream = settings.stream;
    this.#book = new RecordBook(world, host);
    this.#server = new KinesisServer(world, this.#book, settings);
    this.disturbances = [
      { name: "a rival takes a lease", strike: () => this.#steal() },
      { name: "a shard is split", strike: () => this.#server.split() },
      { name: "all iterators expire", strike: () => this.#server.expireIterators() },
      { name: "other streams are throttled", strike: () => this.#server.refusal.begin() },
    ];
  }

  connect(wire: Wire): BrokerLink<KinesisWorker> {
    this.#workers += 1;
    const client = new KinesisWorker(wire, this.#host, this.#server, this.#workers);
    return { client, open: () => client.open() };
  }

  publish(publication: Publication): void {
    this.#book.published(publication);
    const { ref, key } = publication;
    this.#server.put(this.#stream, key, bytesFrom(JSON.stringify({ ref, key })));
  }

  owed(): readonly string[] {
    return this.#book.owed;
  }

  calmDown(): void {
    this.#server.release(RIVAL);
    this.#server.refusal.end();
  }

  #steal(): void {
    this.#thefts += 1;
    this.#server.steal(RIVAL, this.#thefts);
    this.#world.schedule(RIVAL_MS, { lane: "kinesis", hop: false }, () =>
      this.#server.release(RIVAL),
    );
  }
}
