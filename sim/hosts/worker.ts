import { type AttemptOutcome, type KillCategory, TaskKilled } from "../../src/operator/mod.ts";
import type { ApiAddress } from "./api-server.ts";
import type { Host } from "./host.ts";
import type { Life } from "./life.ts";
import { type Assignment, AttemptGone } from "./task-database.ts";

export interface WorkerOptions {
  /** How often an idle worker asks for a task. */
  readonly askEveryMs: number;
  readonly heartbeatMs: number;
  /** After this many failed heartbeats in a row it kills its attempt; 0: it never does. */
  readonly heartbeatFailuresMax: number;
  /** How long an attempt may run on after a kill before its process is crashed. */
  readonly graceMs: number;
  readonly executionTimeoutMs: (assignment: Assignment) => number | undefined;
}

/** How a worker's supervisor hands an attempt to its task process, one at a time. */
export interface WorkerSlot {
  /** Set by the supervisor; the process that it starts takes it. */
  pending: PendingAttempt | undefined;
}

export interface PendingAttempt {
  readonly assignment: Assignment;
  readonly abort: AbortController;
  onOutcome(outcome: AttemptOutcome): void;
}

/** How long after a failed report the next attempt follows. */
const REPORT_RETRY_MS = 2_000;

/** The outcome of a process that crashed. */
const LOST: AttemptOutcome = {
  kind: "killed",
  executionContext: { category: "infrastructure", reason: "the process is gone" },
};

/**
 * One incarnation of a worker's supervisor: it takes an attempt, starts its process, heartbeats for
 * it, passes kills on, and reports the outcome until the API server has accepted it.
 *
 * Holds: the process dies with its supervisor; a refused heartbeat kills the attempt.
 */
export class Worker {
  readonly #life: Life;
  readonly #api: ApiAddress;
  readonly #process: Host;
  readonly #slot: WorkerSlot;
  readonly #options: WorkerOptions;
  #isStopping = false;
  #kill: ((category: KillCategory, graceMs: number) => void) | undefined;

  constructor(
    life: Life,
    api: ApiAddress,
    taskProcess: Host,
    slot: WorkerSlot,
    options: WorkerOptions,
  ) {
    this.#life = life;
    this.#api = api;
    this.#process = taskProcess;
    this.#slot = slot;
    this.#options = options;
    life.onDeath(() => taskProcess.crash(undefined));
  }

  start(): void {
    this.#askForWork();
  }

  /** SIGTERM to the worker: it takes no more work, and its attempt is killed as `category`. */
  softKill(category: KillCategory, graceMs: number): void {
    this.#isStopping = true;
    this.#kill?.(category, graceMs);
  }

  #askForWork(): void {
    if (this.#isStopping) return;
    const later = (): void => {
      this.#life.after(this.#options.askEveryMs, () => this.#askForWork());
    };
    this.#life
      .callAsync("api.take-task", this.#api.host, () => this.#api.server().take())
      .then((assignment) => {
        if (assignment === undefined) later();
        else void this.#run(assignment).then(later, (error) => this.#life.world.fail(error));
      }, later);
  }

  async #run(assignment: Assignment): Promise<void> {
    const beat = this.#keepBeating(assignment);
    const outcome = await this.#runProcess(assignment);
    this.#kill = undefined;
    this.#process.stop();
    await this.#report(assignment.attempt, outcome);
    beat.stop();
  }

  /** Runs the attempt in its process; resolves when it ended, by a crash included. */
  #runProcess(assignment: Assignment): Promise<AttemptOutcome> {
    const life = this.#life;
    const { attempt, row } = assignment;
    return new Promise((resolve) => {
      const abort = new AbortController();
      const child = this.#process;
      child.stop();
      this.#slot.pending = { assignment, abort, onOutcome: resolve };
      child.start();
      const childLife = child.life;
      childLife?.onDeath(() => life.after(1, () => resolve(LOST)));
      this.#kill = (category, graceMs) => {
        if (abort.signal.aborted) return;
        life.trace({ kind: "kill", task: row.name, attempt, category, grace: graceMs });
        childLife?.after(0, () => abort.abort(new TaskKilled({ category })));
        life.after(graceMs, () => {
          if (child.life === childLife) child.crash(undefined);
        });
      };
      const timeoutMs = this.#options.executionTimeoutMs(assignment);
      const { graceMs } = this.#options;
      if (timeoutMs !== undefined) life.after(timeoutMs, () => this.#kill?.("timeout", graceMs));
    });
  }

  #keepBeating({ attempt }: Assignment): { stop(): void } {
    const { heartbeatMs, heartbeatFailuresMax, graceMs } = this.#options;
    let isOver = false;
    let failures = 0;
    const beat = async (): Promise<void> => {
      if (isOver) return;
      try {
        const kill = await this.#life.callAsync("api.heartbeat", this.#api.host, () =>
          this.#api.server().heartbeat(attempt),
        );
        failures = 0;
        if (kill !== undefined) this.#kill?.(kill, graceMs);
      } catch (error) {
        failures += 1;
        if (error instanceof AttemptGone) this.#kill?.(error.category, graceMs);
        else if (failures === heartbeatFailuresMax) this.#kill?.("infrastructure", graceMs);
      }
      this.#life.after(heartbeatMs, () => void beat());
    };
    this.#life.after(heartbeatMs, () => void beat());
    return {
      stop() {
        isOver = true;
      },
    };
  }

  /** Reports the outcome until the API server has accepted it, or refused it for good. */
  #report(attempt: number, outcome: AttemptOutcome): Promise<void> {
    return new Promise((resolve) => {
      const send = (): void => {
        this.#life
          .callAsync("api.finish-attempt", this.#api.host, () =>
            this.#api.server().finish(attempt, outcome),
          )
          .then(resolve, (error: unknown) => {
            if (error instanceof AttemptGone) resolve();
            else this.#life.after(REPORT_RETRY_MS, send);
          });
      };
      send();
    });
  }
}
