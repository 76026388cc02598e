import type { TaskDeferred } from "../../../src/operator/mod.ts";
import type { DeferralTrigger } from "../../../src/triggerer/mod.ts";
import { Host } from "../../hosts/host.ts";
import type { Life } from "../../hosts/life.ts";
import type { Network } from "../../hosts/network.ts";
import { JobClient } from "../../jobs/job-client.ts";
import type { JobSystem } from "../../jobs/job-system.ts";
import type { World } from "../../kernel/world.ts";
import { GRACE_MS, surroundingsOf } from "./operator-attempt.ts";
import type { OperatorTask } from "./operator-task.ts";
import { type DeferralEnd, runTrigger, type TriggererProcess } from "./operator-trigger.ts";
import type { AttemptFault } from "./operator-scenario.ts";
import type { CreateJob } from "./operator-under-test.ts";

/** How long a triggerer is down before the next one goes on with its triggers. */
const RESTART_MS = 2_000;

/** What a deferred task waits with. */
export interface DeferredTaskParts {
  readonly task: OperatorTask;
  readonly attempt: number;
  readonly tryNumber: number;
  readonly deferral: TaskDeferred;
  /** When the deferral times out, as epoch milliseconds; undefined: never. */
  readonly timeoutAfter: number | undefined;
  readonly system: JobSystem;
  readonly createJob: CreateJob;
  /** When the attempt began that deferred it, in virtual milliseconds. */
  readonly begunAt: number;
  readonly faults: readonly AttemptFault[];
  /** Whether faults may strike. */
  readonly isArmed: () => boolean;
  /** Called for each process of the triggerer. */
  readonly onLife: (life: Life) => void;
  /** Called once, unless a user has ended the task before. */
  readonly onEnd: (end: DeferralEnd) => void;
  /**
   * Called when a user ends the task, to stop it or to have it run again; `leavesJobs`: its
   * operator has no `onKill`.
   */
  readonly onUserEnd: (state: "failed" | "scheduled", leavesJobs: boolean) => void;
}

/**
 * A task that waits in the triggerer, which restarts whenever it crashes and then runs the trigger
 * from the beginning.
 */
export class DeferredTask {
  #isOver = false;
  #leavesJobs = false;
  readonly #world: World;
  readonly #parts: DeferredTaskParts;
  readonly #triggerer: Host;
  #life: Life | undefined;
  #process: TriggererProcess | undefined;

  constructor(world: World, network: Network<Host>, parts: DeferredTaskParts) {
    this.#world = world;
    this.#parts = parts;
    const boot = (life: Life): void => this.#boot(life);
    const options = { role: "child", restartAfterMs: RESTART_MS } as const;
    this.#triggerer = new Host(world, network, `triggerer-${parts.attempt}`, boot, options);
  }

  start(): void {
    const { attempt, begunAt, faults } = this.#parts;
    for (const fault of faults) {
      if (!("after" in fault)) continue;
      const after = begunAt + fault.after - this.#world.now;
      if (after < 0) continue;
      if ("clearAttempt" in fault && fault.clearAttempt === attempt) {
        this.#strikeAfter(after, fault, () => this.#endByUser("scheduled"));
      } else if ("killAttempt" in fault && fault.killAttempt === attempt) {
        if (fault.category === "user") {
          this.#strikeAfter(after, fault, () => this.#endByUser("failed"));
        } else if (fault.category === "infrastructure") {
          this.#strikeAfter(after, fault, () => this.#stopTriggerer());
        }
      }
    }
    this.#triggerer.start();
  }

  #strikeAfter(after: number, fault: AttemptFault, strike: () => void): void {
    this.#world.schedule(after, { lane: this.#triggerer.name }, () => {
      // What has fired or failed is only to be committed yet.
      if (this.#isOver || this.#process?.isWaiting !== true || !this.#parts.isArmed()) return;
      this.#world.injector.tookEffect(fault);
      strike();
    });
  }

  /** The triggerer is asked to stop; it ends its trigger, and another one goes on with it. */
  #stopTriggerer(): void {
    const { task, attempt } = this.#parts;
    if (!this.#triggerer.isUp) return;
    const body = { task: task.key, category: "infrastructure", grace: GRACE_MS } as const;
    this.#life?.trace({ kind: "kill", attempt, ...body });
    this.#process?.stop(() => {
      this.#triggerer.stop();
      this.#triggerer.startAfter(RESTART_MS);
    });
  }

  /** The trigger is told, unless the triggerer is down. */
  #endByUser(state: "failed" | "scheduled"): void {
    this.#isOver = true;
    this.#parts.onUserEnd(state, this.#leavesJobs);
    this.#process?.kill(() => this.#triggerer.stop());
  }

  #boot(life: Life): void {
    const { task, tryNumber, deferral, timeoutAfter, system, createJob } = this.#parts;
    if (this.#isOver) return;
    this.#life = life;
    this.#parts.onLife(life);
    const create = (): DeferralTrigger => {
      const client = new JobClient(life, system, task.key);
      const job = createJob(client, surroundingsOf(life, task, tryNumber));
      this.#leavesJobs = job.onKill === undefined;
      return job.createTrigger?.(deferral.trigger) as DeferralTrigger;
    };
    this.#process = runTrigger(life, timeoutAfter, create, (end) => {
      this.#triggerer.stop();
      this.#isOver = true;
      this.#parts.onEnd(end);
    });
  }
}
