import type { Life } from "../hosts/host.ts";
import type { World } from "../world.ts";

/** What a workload publishes: one record that must be settled exactly once, in the end. */
export interface Publication {
  /** Unique in the run, findable in whatever the producer makes of the record: "ref-000012". */
  readonly ref: string;
  /** What decides its partition, message group, session or ordering key. */
  readonly key: string;
}

/** A fault that only this kind of broker has: a rebalance, an expired session, a trimmed log. */
export interface Disturbance {
  readonly name: string;
  strike(): void;
}

/**
 * A broker at work in one world. What it keeps outlives the crashes of its clients.
 *
 * Holds: it traces `published`, `delivered`, `settle` (each attempt, taken or refused), `settled`
 * (the broker will not deliver the record again) and `dead-lettered`, and nothing that the client
 * library decides for itself.
 */
export interface Broker<Client> {
  /** A client of one incarnation; all it does passes `life.call` at a `broker.*` site. */
  connect(life: Life, host: string): Client;
  publish(publication: Publication): void;
  /** Published records that are neither settled nor dead-lettered. */
  owed(): readonly string[];
  /** Connections, channels and leases that are still held by clients of living incarnations. */
  open(): number;
  readonly disturbances: readonly Disturbance[];
}

/**
 * A kind of broker with its settings, as `checkProducer` takes it: `brokers.kafka({ partitions: 3 })`.
 */
export interface BrokerModel<Client> {
  readonly name: string;
  /** How coarse a settlement reaches: one record, or all before it in its partition or channel. */
  readonly scope: "record" | "partition" | "channel" | "stream";
  /** Whether records of one key come in order and settle in order. */
  readonly isOrdered: boolean;
  /** Longest virtual time after which a record that nobody settled comes again, in ms. */
  readonly redeliveryMs: number;
  start(world: World, host: string): Broker<Client>;
}
