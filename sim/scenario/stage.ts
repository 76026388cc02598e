import type { Logger } from "../../src/time/mod.ts";
import type { Life } from "../hosts/host.ts";
import type { StreamManager } from "../hosts/traced-manager.ts";

/** A world that is built and waits to be played. */
export interface Stage {
  start(): void;
  /** The faults are over: what is down comes up, and workloads behave. */
  calmDown(): void;
  /** Whether nothing is owed any more. */
  isAtRest(): boolean;
}

/** What a manager is made with; the durations are milliseconds. */
export interface ManagerSettings {
  readonly maxSubscriberQueue: number;
  readonly ackTimeout: number;
  readonly cohortGracePeriod: number;
  readonly strictPersistence: boolean;
}

/** Makes the manager of one incarnation of a triggerer. */
export type ManagerFactory = (
  life: Life,
  settings: ManagerSettings,
  logger: Logger,
) => StreamManager;
