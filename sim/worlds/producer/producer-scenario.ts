import type { HostFault, SiteFault } from "../../codecs/scenario-parts.ts";
import type { DecisionTableName } from "../../checkers/producer/decision-tables.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";
import type { BrokerSpec } from "./broker-spec.ts";

/**
 * What a subscriber does with an event: `accept` derives a trigger event that is soon persisted,
 * `skip` derives none, `stall` holds it past the ack timeout, `lose` never gets the confirmation,
 * `leave` unsubscribes while it holds the event, `raise` throws, and so does `fail`, also when all is
 * calm: both fail the event where that counts as failed (`strictPersistence`).
 */
export type Behaviour =
  | "accept"
  | "skip"
  | "reject"
  | "slow"
  | "stall"
  | "late"
  | "lose"
  | "leave"
  | "raise"
  | "fail";

/** The behaviours as scenario files write them. */
export const BEHAVIOURS: readonly Behaviour[] = Object.freeze([
  "accept",
  "skip",
  "reject",
  "slow",
  "stall",
  "late",
  "lose",
  "leave",
  "raise",
  "fail",
]);

/** A record that the workload publishes. */
export interface RecordSpec {
  /** When it is published, in virtual milliseconds. */
  readonly at: number;
  /** Its ref, by which it is recognised: "ref-000012". */
  readonly publish: string;
  /** Decides its partition, message group, session or ordering key. */
  readonly key: string;
  /** Whether its text has lost its end, so that it is no JSON; default false. */
  readonly garbled?: boolean | undefined;
}

/** A subscriber of the stream; it subscribes again whenever its stream ends. */
export interface SubscriberSpec {
  /** Its number, from 1. */
  readonly subscriber: number;
  /** When it subscribes, in virtual milliseconds. */
  readonly joinAt: number;
  /** When it unsubscribes; it subscribes again in the liveness phase. */
  readonly leaveAt?: number | undefined;
}

/** What a subscriber does with one record, other than accepting it. */
export interface BehaviourSpec {
  /** The number of the subscriber. */
  readonly subscriber: number;
  /** The ref of the record. */
  readonly on: string;
  /** What the subscriber does. */
  readonly does: Behaviour;
  /** How long it takes, in virtual milliseconds, for what takes long. */
  readonly for: number;
  /** For how many deliveries of the record; undefined: for each. */
  readonly times?: number | undefined;
}

/**
 * A fault of a world of a producer, beside those of sites, hosts and links.
 *
 * - `disturb`: the broker is struck by one of the disturbances that its model has.
 * - `closeUnopened`: a producer is made and closed before its stream was opened.
 */
export type ProducerFault =
  | { readonly at: number; readonly disturb: string }
  | { readonly at: number; readonly closeUnopened: true };

/** A user's producer on a model of its broker, with a real manager and its subscribers. */
export interface ProducerScenario extends StreamScenarioBase {
  /** Always "producer". */
  readonly world: "producer";
  /** The module of the producer, seen from the file; undefined: it is given in code. */
  readonly producer?: string | undefined;
  /** The model of the broker, with its options. */
  readonly broker: BrokerSpec;
  /** What the producer owes the broker for each outcome, by the name of a table. */
  readonly decide: DecisionTableName;
  /** The records that are published. */
  readonly records: readonly RecordSpec[];
  /** The subscribers; at least one. */
  readonly subscribers: readonly SubscriberSpec[];
  /** How they treat records; by default they accept them. */
  readonly behaviours: readonly BehaviourSpec[];
  /** The faults that strike during the safety phase. */
  readonly faults: readonly (SiteFault | HostFault | ProducerFault)[];
}
