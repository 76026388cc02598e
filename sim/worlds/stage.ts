import type { SharedStreamObserver } from "../../src/shared-stream/mod.ts";
import type { Clock } from "../../src/time/mod.ts";
import type { Violation } from "../checkers/checker.ts";
import type { StreamManager } from "../hosts/traced-manager.ts";

/** A world that is built and waits to be played. */
export interface Stage {
  start(): void;
  /** Called when the faults are over: hosts that are down restart, and workloads behave. */
  calmDown(): void;
  /** Whether nothing is owed any more. */
  isAtRest(): boolean;
  /**
   * The longest that a correct run may go without progress once the faults are over, as far as the
   * world knows: its time-outs, leases and delays, and how long the code under test has waited at a
   * time. In virtual milliseconds; default 0.
   */
  readonly patienceMs?: number;
  /**
   * Whether there was progress since the last call: less is owed than ever before, or something is
   * going on that takes its time and ends by itself, such as a running job.
   *
   * Holds: whatever the code under test does, it returns true only so many times.
   */
  hasProgressed(): boolean;
  /** How often the liveness phase calls `isAtRest`, in virtual milliseconds; default 5,000. */
  readonly restCheckMs?: number;
  /** How many actors may all be busy at one instant, such as triggers; default 0. */
  readonly actors?: number;
  /** A line for the story of a violation that no trace may have, such as an error's message. */
  remarkOn?(violation: Violation): string | undefined;
  /** Present in worlds that run code of a user, which may do anything. */
  readonly codeUnderTest?: CodeUnderTest;
  /** The orderly shutdown at the end, where the code under test has one. */
  readonly shutdown?: {
    begin(): void;
    /** How long it may take, in virtual milliseconds. */
    readonly takesMs: number;
    /** Checks what the shutdown has left open. */
    inspect(): void;
  };
}

/** Code of a user that runs in a world. */
export interface CodeUnderTest {
  /** What it is called in messages: "producer", "job". */
  readonly noun: string;
  /** Called with the error of an unhandled rejection; default: its host crashes. */
  onUnhandled?(error: unknown): void;
  /**
   * Called when it took more than `steps` steps within `ms` virtual milliseconds; the run ends.
   * Default: the trace says it of the host that was at it.
   */
  onSpinning?(steps: number, ms: number): void;
  /** How many records it may have to try again at a time, each of which takes steps; default 0. */
  readonly records?: number;
}

/** The settings of a manager, as a scenario gives them; durations are virtual milliseconds. */
export interface ManagerSettings {
  /** How many events the queue of one subscriber holds before it overflows. */
  readonly maxSubscriberQueue: number;
  /** How long a subscriber may hold an event before it is force-failed. */
  readonly ackTimeout: number;
  /** How long a new group waits for more subscribers before it opens its stream. */
  readonly cohortGracePeriod: number;
  /** Whether an event counts as failed that a subscriber abandons or cannot bind. */
  readonly strictPersistence: boolean;
}

/** The simulated process of a manager: one incarnation of a triggerer's runner. */
export interface ManagerHost {
  /** The name of the host. */
  readonly name: string;
  /** Counts the starts of the host, from 1. */
  readonly incarnation: number;
  /** The clock of the host, in virtual milliseconds. */
  readonly clock: Clock;
  /** Calls `listener` when the host crashes or stops. */
  onDeath(listener: () => void): void;
}

/**
 * Creates the manager of one incarnation of a triggerer.
 *
 * Shape: the manager reports to `observer` which subscribers it has force-failed and which groups
 * have failed; the checkers need these reports.
 */
export type ManagerFactory = (
  host: ManagerHost,
  settings: ManagerSettings,
  observer: SharedStreamObserver,
) => StreamManager;
