import type { HostFault, HostStorm, SiteFault } from "../../codecs/scenario-parts.ts";
import type { Ratio } from "../../faults/rule.ts";
import type { StreamSpec } from "../../workloads/stream-spec.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";

/**
 * A fault that strikes the consumers of a stream at a virtual time, in milliseconds.
 *
 * - `rebalance`: the broker assigns the stream's partitions again.
 * - `expireConsumers`: the sessions of the stream's consumers end.
 */
export type BrokerFault =
  | { readonly at: number; readonly rebalance: string }
  | { readonly at: number; readonly expireConsumers: string };

/**
 * The runner that holds most raw events is killed without grace, whenever it holds more than
 * `memoryLimit`, which is looked at twice a second. With `for` only for so long, and not once the
 * faults are over; without it to the end of the run, as a machine does not grow.
 *
 * Units: virtual milliseconds.
 */
export interface MemoryLimit {
  /** From when on. */
  readonly at: number;
  /** How many raw events a runner can hold. */
  readonly memoryLimit: number;
  /** For how long; undefined: to the end of the run. */
  readonly for?: number | undefined;
  /** How long a killed runner stays down. */
  readonly restartAfter: number;
}

/** What a version of a triggerer does otherwise than that of the scenario. */
export interface TriggererVersion {
  /** Whose manager it has. */
  readonly profile?: StreamScenarioBase["profile"] | undefined;
  /** The setting of its manager. */
  readonly strictPersistence?: boolean | undefined;
  /** The setting of its manager. */
  readonly maxSubscriberQueue?: number | undefined;
}

/** Random faults: the probability of each kind, per host or stream and virtual minute. */
export interface Storm extends HostStorm {
  /** That the partitions of a stream are rebalanced. */
  readonly rebalances: Ratio;
}

/** What strikes in this world only. */
export type OwnTriggererFault = BrokerFault | MemoryLimit;

/**
 * What users and operators do at a virtual time, in milliseconds.
 *
 * - `createTrigger`: creates triggers on a stream.
 * - `cancelTriggers`: deletes the latest triggers of a stream.
 * - `shutDown`: stops a triggerer, which restarts after a while.
 * - `upgrade`: stops one triggerer after the other, and restarts it with another version, so that
 *   both run side by side.
 */
export type Operation =
  | { readonly at: number; readonly createTrigger: string; readonly count: number }
  | { readonly at: number; readonly cancelTriggers: string; readonly count: number }
  | { readonly at: number; readonly shutDown: string; readonly restartAfter: number }
  | { readonly at: number; readonly upgrade: TriggererVersion; readonly every: number };

/**
 * A scenario with triggerers, each a runner and a supervisor, a metadata database, a Kafka-like
 * broker, and triggers on its streams.
 *
 * Units: virtual milliseconds.
 */
export interface TriggererScenario extends StreamScenarioBase {
  /** What distinguishes this kind of scenario. */
  readonly world: "triggerer";
  /** How many triggerers there are: supervisor-1, runner-1, and so on. */
  readonly triggerers: number;
  /** The streams and their triggers. */
  readonly streams: readonly StreamSpec[];
  /** How often a supervisor sends a heartbeat to the database. */
  readonly heartbeat: number;
  /** How often a runner syncs with its supervisor. */
  readonly syncEvery: number;
  /** How long a triggerer may go without a heartbeat before the others claim its triggers. */
  readonly claimAfter: number;
  /** How long a fetch waits at the broker for new records. */
  readonly fetchWait: number;
  /** Whether a supervisor outlives its runner and starts a new one. */
  readonly restartRunnerAlone: boolean;
  /** What users and operators do. */
  readonly operations: readonly Operation[];
  /** The faults that strike. */
  readonly faults: readonly (SiteFault | HostFault | OwnTriggererFault)[];
  /** Random faults in addition. */
  readonly storm?: Storm | undefined;
}
