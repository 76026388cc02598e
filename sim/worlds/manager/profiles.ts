import {
  clearAmbientWindow,
  rejectSharedStreamEvent,
  SharedStreamManager,
} from "../../../src/shared-stream/mod.ts";
import { silentLogger } from "../../../src/time/mod.ts";
import type { Life } from "../../hosts/life.ts";
import { ReferenceSharedStreamManager } from "../../reference/mod.ts";
import type { StreamScenarioBase } from "../stream-scenario.ts";
import type { ManagerFactory, ManagerSettings } from "../stage.ts";

/** Returns the manager of a profile: ours, or Airflow's algorithm with its defects. */
export function createManagerOf(profile: StreamScenarioBase["profile"]): ManagerFactory {
  return profile === "faultlane" ? createOurs : createReference;
}

/** What makes our manager, in this or another copy of its code. */
export interface StreamCode {
  readonly SharedStreamManager: typeof SharedStreamManager;
  readonly rejectSharedStreamEvent: () => void;
  readonly clearAmbientWindow: () => void;
}

/** Makes managers of a copy of our code. */
export function managersOf(code: StreamCode): ManagerFactory {
  const ambient = { reject: code.rejectSharedStreamEvent, clear: code.clearAmbientWindow };
  return (life, settings, observer) =>
    Object.assign(
      new code.SharedStreamManager({
        clock: life.clock,
        logger: silentLogger,
        observer,
        maxSubscriberQueue: settings.maxSubscriberQueue,
        ackTimeout: { milliseconds: settings.ackTimeout },
        cohortGracePeriod: { milliseconds: settings.cohortGracePeriod },
        strictPersistence: settings.strictPersistence,
      }),
      { ambient },
    );
}

const createOurs = managersOf({ SharedStreamManager, rejectSharedStreamEvent, clearAmbientWindow });

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

/** The settings of a version that differs from the scenario's in some of them. */
export function versionedSettings(
  scenario: StreamScenarioBase,
  {
    strictPersistence,
    maxSubscriberQueue,
  }: {
    readonly strictPersistence?: boolean | undefined;
    readonly maxSubscriberQueue?: number | undefined;
  },
): ManagerSettings {
  const settings = settingsFrom(scenario);
  return {
    ...settings,
    strictPersistence: strictPersistence ?? settings.strictPersistence,
    maxSubscriberQueue: maxSubscriberQueue ?? settings.maxSubscriberQueue,
  };
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
