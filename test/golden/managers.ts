import { ReferenceSharedStreamManager } from "../../sim/reference/mod.ts";
import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import type { ScriptConfig } from "./script.ts";
import type { StagedManagerFactory } from "./stage.ts";

/** Our manager, as a script configures it. */
export const createOurs: StagedManagerFactory = (clock, config) =>
  new SharedStreamManager({ clock, ...optionsFrom(config) });

/** Airflow's algorithm, as a script configures it. */
export const createReference: StagedManagerFactory = (clock, config) =>
  new ReferenceSharedStreamManager({ clock, ...optionsFrom(config) });

function optionsFrom({ maxSubscriberQueue, ackTimeoutSeconds, cohortGraceSeconds }: ScriptConfig) {
  return {
    maxSubscriberQueue,
    ackTimeout: { seconds: ackTimeoutSeconds },
    cohortGracePeriod: { seconds: cohortGraceSeconds },
  };
}
