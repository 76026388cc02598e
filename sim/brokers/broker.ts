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
 * The part of an incarnation that a client library may use: its clock, its calls, its chance.
 *
 * Why so: each producer gets a wire of its own, which counts the calls that its client makes.
 */
export type Wire = Pick<
  Life,
  | "name"
  | "incarnation"
  | "alive"
  | "world"
  | "clock"
  | "choices"
  | "onDeath"
  | "after"
  | "call"
  | "ask"
  | "trace"
>;

/** What one producer holds of a broker. */
export interface BrokerLink<Client> {
  /** Has the shape of the library that people really use. */
  readonly client: Client;
  /** Connections, channels, subscriptions and timers of this client that are open now, in words. */
  open(): readonly string[];
}

/**
 * A broker at work in one world. What it keeps outlives the crashes of its clients.
 *
 * Holds: it traces `published`, `delivered` (with the unit that a cumulative settlement reaches),
 * `settle` (each attempt, taken or refused), `settled` (the broker will not deliver the record
 * again), `dead-lettered`, `lapsed` (a lease or membership ended because nobody renewed it) and
 * `expired` (retention took a record that nobody had settled), and nothing that the client library
 * decides for itself. A `consumer` in them is `<host>/...` for a client of that host, and anything
 * else for a rival that belongs to the broker's own disturbances.
 */
export interface Broker<Client> {
  /** The client of one producer; all it does passes `wire.call` at a `broker.*` site. */
  connect(wire: Wire): BrokerLink<Client>;
  publish(publication: Publication): void;
  /** Published records that are neither settled, dead-lettered nor expired. */
  owed(): readonly string[];
  /** Ends what the disturbances began: rivals leave, refusals stop. */
  calmDown(): void;
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
  /** `host` names the broker in the world: where calls go to, and who traces. */
  start(world: World, host: string): Broker<Client>;
}
