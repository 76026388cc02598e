import type { Ratio } from "../faults/rule.ts";
import type { SiteName } from "../faults/site.ts";

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

export type VerdictName =
  | "fail-before"
  | "fail-after"
  | "drop-request"
  | "drop-reply"
  | "duplicate"
  | "delay"
  | "crash-before"
  | "crash-after";

/** Strikes calls at a site: the n-th, or at a rate. */
export interface SiteFault {
  readonly site: SiteName;
  readonly verdict: VerdictName;
  readonly nth?: number | undefined;
  readonly times: number;
  readonly rate?: Ratio | undefined;
  readonly host?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly for: number;
  readonly restartAfter: number;
}

type Link = readonly [from: string, to: string];

/** Strikes at a virtual time. */
export type TimedFault =
  | { readonly at: number; readonly crash: string; readonly restartAfter: number }
  | { readonly at: number; readonly pause: string; readonly for: number }
  | { readonly at: number; readonly cut: Link; readonly oneWay: boolean; readonly for: number }
  | { readonly at: number; readonly hold: Link; readonly for: number }
  | { readonly at: number; readonly clockStep: string; readonly by: number }
  | { readonly at: number; readonly rebalance: string }
  | { readonly at: number; readonly expireConsumers: string };

/** What users and operators of the world do. */
export type Operation =
  | { readonly at: number; readonly createTrigger: string; readonly count: number }
  | { readonly at: number; readonly cancelTriggers: string; readonly count: number }
  | { readonly at: number; readonly shutDown: string; readonly restartAfter: number };

/** Random faults beside the listed ones: the chance of each kind, per host and virtual minute. */
export interface Storm {
  readonly crashes: Ratio;
  readonly pauses: Ratio;
  readonly cuts: Ratio;
  readonly rebalances: Ratio;
}

interface ScenarioBase {
  readonly name: string;
  readonly story: string;
  readonly profile: "faultlane" | "airflow-3.3";
  readonly strictPersistence: boolean;
  readonly manager: {
    readonly maxSubscriberQueue: number;
    readonly ackTimeout: number;
    readonly cohortGracePeriod: number;
  };
  readonly phases: { readonly safety: number; readonly liveness: number };
  readonly expect: {
    readonly checkers: "all" | readonly string[];
    /** The promises that must break: for showing what another profile does. */
    readonly broken: readonly string[];
    /** Whether they break in every run, or only where chance has it so. */
    readonly brokenIn: "every-run" | "some-runs";
  };
}

/** Triggerers (runner and supervisor), a metadata database, a Kafka-like broker, triggers. */
export interface TriggererScenario extends ScenarioBase {
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
  readonly faults: readonly (SiteFault | TimedFault)[];
  readonly storm?: Storm | undefined;
}

/** One manager alone, driven by a hostile client and scripted producers. */
export interface ManagerScenario extends ScenarioBase {
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
export type Scenario = TriggererScenario | ManagerScenario;
