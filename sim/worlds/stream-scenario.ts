import type { ScenarioBase } from "../codecs/scenario-parts.ts";

/** What scenarios with a shared-stream manager say of it. */
export interface StreamScenarioBase extends ScenarioBase {
  readonly profile: "faultlane" | "airflow-3.3";
  readonly strictPersistence: boolean;
  readonly manager: {
    readonly maxSubscriberQueue: number;
    readonly ackTimeout: number;
    readonly cohortGracePeriod: number;
  };
}
