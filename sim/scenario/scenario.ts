import type { Ratio } from "../faults/rule.ts";
import type { HostFault, HostStorm, ScenarioBase, SiteFault } from "./scenario-parts.ts";
import type { TaskScenario } from "./task-scenario.ts";

/** What filters of a stream do with a raw event; each a rate, drawn per event and trigger. */
export interface FilterSpec {
  readonly fires: Ratio;
  readonly firesTwice: Ratio;
  readonly rejects: Ratio;
  readonly raises: Ratio;
  readonly unencodable: Ratio;
  readonly returns: Ratio;
  readonly slow: Ratio;
  readonly slowFor: number;
}

/**
 * A topic, the triggers that share it, and what is published. Durations are virtual milliseconds.
 */
export interface StreamSpec {
  readonly name: string;
  readonly mode: "ack" | "fast";
  readonly partitions: number;
  readonly triggers: number;
  readonly publishEvery: number;
  readonly burst: number;
  readonly filter: FilterSpec;
  /**
   * The trigger of this number (from 1) is stuck in its first event, until the safety phase ends.
   */
  readonly stuckTrigger?: number | undefined;
  /** Records of this partition (from 0) wait this long in every filter. */
  readonly slowPartition?: { readonly partition: number; readonly for: number } | undefined;
  /** What the producer's `advance` does at each `nth` call in the safety phase. */
  readonly advanceThrows?:
    | { readonly nth: number; readonly error: "Error" | "AbortError" }
    | undefined;
}

/** Strikes a broker's consumers at a virtual time. */
export type BrokerFault =
  | { readonly at: number; readonly rebalance: string }
  | { readonly at: number; readonly expireConsumers: string };

/** Random faults of hosts, and of a broker's consumers. */
export interface Storm extends HostStorm {
  readonly rebalances: Ratio;
}

/** What users and operators of the world do. */
export type Operation =
  | { readonly at: number; readonly createTrigger: string; readonly count: number }
  | { readonly at: number; readonly cancelTriggers: string; readonly count: number }
  | { readonly at: number; readonly shutDown: string; readonly restartAfter: number };

/** What scenarios with a shared-stream manager say of it. */
interface StreamScenarioBase extends ScenarioBase {
  readonly profile: "faultlane" | "airflow-3.3";
  readonly strictPersistence: boolean;
  readonly manager: {
    readonly maxSubscriberQueue: number;
    readonly ackTimeout: number;
    readonly cohortGracePeriod: number;
  };
}

/** Triggerers (runner and supervisor), a metadata database, a Kafka-like broker, triggers. */
export interface TriggererScenario extends StreamScenarioBase {
  readonly world: "triggerer";
  readonly triggerers: number;
  readonly streams: readonly StreamSpec[];
  readonly heartbeat: number;
  readonly syncEvery: number;
  /** A triggerer that was not heard of for so long loses its triggers to the others. */
  readonly claimAfter: number;
  /** How long a fetch waits at the broker for something new. */
  readonly fetchWait: number;
  readonly restartRunnerAlone: boolean;
  readonly operations: readonly Operation[];
  readonly faults: readonly (SiteFault | HostFault | BrokerFault)[];
  readonly storm?: Storm | undefined;
}

/** One manager alone, driven by a hostile client and scripted producers. */
export interface ManagerScenario extends StreamScenarioBase {
  readonly world: "manager";
  readonly keys: number;
  readonly triggers: number;
  readonly lanes: number;
  /** How many acts the client performs. */
  readonly operations: number;
  /** What the client may do beside the ordinary. */
  readonly hostile: {
    readonly failures: boolean;
    readonly stopAll: boolean;
    readonly sameTurn: boolean;
    readonly bursts: boolean;
  };
}

/** What `simulate` runs. */
export type Scenario = TriggererScenario | ManagerScenario | TaskScenario;

/** Scenarios that a shared-stream manager is part of. */
export type StreamScenario = TriggererScenario | ManagerScenario;
