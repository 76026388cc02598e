import type { HostFault, HostStorm, SiteFault } from "../../codecs/scenario-parts.ts";
import type { Ratio } from "../../faults/rule.ts";
import type { StreamSpec } from "../../workloads/stream-spec.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";

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
