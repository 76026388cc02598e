import type { ScenarioBase } from "../codecs/scenario-parts.ts";

/** What the scenarios with a shared-stream manager have in common. */
export interface StreamScenarioBase extends ScenarioBase {
  /** The manager that runs: faultlane's own, or Airflow 3.3's algorithm with its defects. */
  readonly profile: "faultlane" | "airflow-3.3";
  /** Whether an event counts as failed that a subscriber abandons or cannot bind. */
  readonly strictPersistence: boolean;
  /** The settings of the manager; its durations are virtual milliseconds. */
  readonly manager: {
    /** How many events the queue of one subscriber holds before it overflows. */
    readonly maxSubscriberQueue: number;
    /** How long a subscriber may hold an event before it is force-failed. */
    readonly ackTimeout: number;
    /** How long a new group waits for more subscribers before it opens its stream. */
    readonly cohortGracePeriod: number;
  };
}
