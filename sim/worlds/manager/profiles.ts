import { SharedStreamManager } from "../../../src/shared-stream/mod.ts";
import type { Life } from "../../hosts/life.ts";
import { ReferenceSharedStreamManager } from "../../reference/mod.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";
import type { ManagerFactory, ManagerSettings } from "../stage.ts";

/** The manager that a profile stands for: ours, or Airflow's algorithm with its defects. */
export function createManagerOf(profile: StreamScenarioBase["profile"]): ManagerFactory {
  return profile === "faultlane" ? createOurs : createReference;
}

const createOurs: ManagerFactory = (life, settings, observer) =>
  new SharedStreamManager({
    clock: life.clock,
    observer,
    maxSubscriberQueue: settings.maxSubscriberQueue,
    ackTimeout: { milliseconds: settings.ackTimeout },
    cohortGracePeriod: { milliseconds: settings.cohortGracePeriod },
    strictPersistence: settings.strictPersistence,
  });

const createReference: ManagerFactory = (life, settings, observer) =>
  new ReferenceSharedStreamManager({
    clock: life.clock,
    observer,
    maxSubscriberQueue: settings.maxSubscriberQueue,
    ackTimeout: { milliseconds: settings.ackTimeout },
    cohortGracePeriod: { milliseconds: settings.cohortGracePeriod },
  });

export function settingsFrom({ manager, strictPersistence }: StreamScenarioBase): ManagerSettings {
  return { ...manager, strictPersistence };
}

/** Tells the checkers what the manager of this incarnation was made with. */
export function traceSettings(life: Life, settings: ManagerSettings): void {
  life.trace({
    kind: "manager",
    maxSubscriberQueue: settings.maxSubscriberQueue,
    ackTimeoutMs: settings.ackTimeout,
    graceMs: settings.cohortGracePeriod,
    strict: settings.strictPersistence,
  });
}
