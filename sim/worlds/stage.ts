import type { SharedStreamObserver } from "../../src/shared-stream/mod.ts";
import type { Life } from "../hosts/life.ts";
import type { StreamManager } from "../hosts/traced-manager.ts";

/** A world that is built and waits to be played. */
export interface Stage {
  start(): void;
  /** The faults are over: what is down comes up, and workloads behave. */
  calmDown(): void;
  /** Whether nothing is owed any more. */
  isAtRest(): boolean;
  /** How often the liveness phase asks `isAtRest`, in virtual ms; default 5,000. */
  readonly restCheckMs?: number;
  /** Present where code of a user runs that may do anything. */
  readonly codeUnderTest?: CodeUnderTest;
  /** The orderly shutdown after everything has come to rest, where the code under test has one. */
  readonly shutdown?: {
    begin(): void;
    /** How long it may take, in virtual ms. */
    readonly takesMs: number;
    /** Looks at what the shutdown left open. */
    inspect(): void;
  };
}

/** Code of a user that runs in a world, as the run that watches it sees it. */
export interface CodeUnderTest {
  /** What it is called in messages: "producer", "job". */
  readonly noun: string;
  /** A promise was rejected, and nobody handled it. */
  onUnhandled(error: unknown): void;
  /** It took more than so many steps within so little virtual time; the run ends. */
  onSpinning(steps: number, ms: number): void;
}

/** What a manager is made with; the durations are milliseconds. */
export interface ManagerSettings {
  readonly maxSubscriberQueue: number;
  readonly ackTimeout: number;
  readonly cohortGracePeriod: number;
  readonly strictPersistence: boolean;
}

/**
 * Creates the manager of one incarnation of a triggerer.
 *
 * Holds, for whoever writes one: the manager reports to `observer`, from which the checkers learn
 * whom it gave up on and which groups failed.
 */
export type ManagerFactory = (
  life: Life,
  settings: ManagerSettings,
  observer: SharedStreamObserver,
) => StreamManager;
