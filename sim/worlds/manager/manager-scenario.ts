import type { HostileClientSpec } from "../../workloads/hostile-client-spec.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";

/** One manager alone, driven by a hostile client and scripted producers. */
export interface ManagerScenario extends StreamScenarioBase, HostileClientSpec {
  readonly world: "manager";
}
