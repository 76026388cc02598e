import { type AttemptOutcome, type KillCategory, TaskKilled } from "../../src/operator/mod.ts";
import type { ApiAddress } from "./api-server.ts";
import type { Host, Life } from "./host.ts";
import { type Assignment, AttemptGone } from "./task-database.ts";

export interface WorkerOptions {
  /** How often it asks for work while it has none. */
  readonly askEveryMs: number;
  readonly heartbeatMs: number;
  /** So many heartbeats in a row may fail before it kills its own attempt; 0: it never does. */
  readonly heartbeatFailuresMax: number;
  /** How long a killed attempt may still take before it is killed hard. */
  readonly graceMs: number;
  readonly executionTimeoutMs: (assignment: Assignment) => number | undefined;
}

/** What supervisor and task process of one worker share: one attempt at a time. */
export interface WorkerSlot {
  /** Set by the supervisor, taken by the process that it starts. */
  pending: PendingAttempt | undefined;
}

export interface PendingAttempt {
  readonly assignment: Assignment;
  readonly abort: AbortController;
  onOutcome(outcome: AttemptOutcome): void;
}

/** How long after a report that did not get through it is told again. */
const REPORT_AGAIN_MS = 2_000;

/** What the supervisor reports of a process that is gone without a word. */
const LOST: AttemptOutcome = {
  kind: "killed",
  executionContext: { category: "infrastructure", reason: "the process is gone" },
};

/**
 * One incarnation of a worker's supervisor: takes an attempt, starts its process, beats for it,
 * passes kills on, and reports how it ended until the API server has heard it.
 *
 * Holds: no process outlives its supervisor; a heartbeat that is refused kills the attempt.
 */
export class Worker {
  readonly #life: Life;
  readonly #api: ApiAddress;
  readonly #process: Host;
  readonly #slot: WorkerSlot;
  readonly #options: WorkerOptions;
  #isLeaving = false;
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

  /** SIGTERM to the worker: no more work, and the attempt is killed as `category`. */
  softKill(category: KillCategory, graceMs: number): void {
    this.#isLeaving = true;
    this.#kill?.(category, graceMs);
  }

  #askForWork(): void {
    if (this.#isLeaving) return;
    const later = (): void => {
      this.#life.after(this.#options.askEveryMs, () => this.#askForWork());
    };
    this.#life
      .ask("api.take-task", this.#api.host, () => this.#api.server().take())
      .then((assignment) => {
        if (assignment === undefined) later();
        else void this.#run(assignment).then(later, (error) => this.#life.world.fail(error));
      }, later);
  }

  async #run(assignment: Assignment): Promise<void> {
    const beat = this.#keepBeating(assignment);
    const outcome = await this.#attemptEnd(assignment);
    this.#kill = undefined;
    this.#process.stop();
    await this.#report(assignment.attempt, outcome);
    beat.stop();
  }

  /** Runs the attempt in its process; answers how it ended, however it did. */
  #attemptEnd(assignment: Assignment): Promise<AttemptOutcome> {
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
        const kill = await this.#life.ask("api.heartbeat", this.#api.host, () =>
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

  /** Tells how the attempt ended until it is taken or refused for good. */
  #report(attempt: number, outcome: AttemptOutcome): Promise<void> {
    return new Promise((resolve) => {
      const tell = (): void => {
        this.#life
          .ask("api.finish-attempt", this.#api.host, () =>
            this.#api.server().finish(attempt, outcome),
          )
          .then(resolve, (error: unknown) => {
            if (error instanceof AttemptGone) resolve();
            else this.#life.after(REPORT_AGAIN_MS, tell);
          });
      };
      tell();
    });
  }
}
