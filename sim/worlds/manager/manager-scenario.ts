import type { HostileClientSpec } from "../../workloads/hostile-client-spec.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";

/** A scenario with one manager alone, a hostile client and producers that it controls. */
export interface ManagerScenario extends StreamScenarioBase, HostileClientSpec {
  /** What distinguishes this kind of scenario. */
  readonly world: "manager";
}
