import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import type { TaskContext } from "../../src/operator/mod.ts";
import {
  JobFailed,
  type ResumableJob,
  type ResumeOptions,
  resumeOrSubmit,
} from "../../src/resumable/mod.ts";
import { type JsonValue, MemoryStateBackend, TaskStateStore } from "../../src/store/mod.ts";
import type { Logger } from "../../src/time/mod.ts";

/** The calls around which a worker may be lost. */
export const SITES = ["get", "status", "submit", "set", "poll", "result"] as const;
export type Site = (typeof SITES)[number];

/** A worker lost before a call takes effect, or after it and before the reply. */
export interface Crash {
  readonly site: Site;
  readonly when: "before" | "after";
}

export type End =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: unknown }
  | { readonly kind: "crash" };

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

type TaskJob = ResumableJob<unknown, unknown>;
type Runner = (job: TaskJob, ctx: TaskContext, options: ResumeOptions) => Promise<unknown>;

const ACTIVE = ["PENDING", "RUNNING"];

/**
 * One task instance, its store and an external system, attempt after attempt.
 *
 * A lost worker is a call that never returns, so that nothing of the attempt continues, not even
 * its cleanup.
 */
export class JobBench {
  readonly clock: VirtualClock = new VirtualClock();
  readonly backend: MemoryStateBackend = new MemoryStateBackend();
  /** Every call of all attempts, as `site` or `site(id)`. */
  readonly calls: string[] = [];
  readonly log: LogLine[] = [];
  /** The system's jobs by id as JSON, in the order in which they were accepted. */
  readonly statuses: Map<string, string> = new Map();
  /** What a site throws instead of doing its work. */
  readonly failures: Map<Site, unknown> = new Map();
  /** How each job ends when it is polled, in order of submission; SUCCEEDED after the last. */
  endings: string[] = [];
  ids: (at: number) => unknown = (at) => `job-${at}`;
  runner: Runner = resumeOrSubmit;
  mapIndex = -1;
  tryNumber = 0;
  statsTags: Readonly<Record<string, string>> | undefined;
  withStore = true;
  accepted = 0;
  /** The ids of the accepted jobs, as JSON. */
  readonly acceptedIds: Set<string> = new Set();
  /** The number of calls of a predicate. */
  predicateCalls = 0;

  readonly job: TaskJob = {
    submitJob: () => this.#leave("submit", "", () => this.#accept()),
    getJobStatus: (id) => this.#leave("status", id, () => this.statusOf(id)),
    isJobActive: (status) => this.#predicate(ACTIVE.includes(status)),
    isJobSucceeded: (status) => this.#predicate(status === "SUCCEEDED"),
    pollUntilComplete: (id) => this.#leave("poll", id, () => this.#complete(id)),
    getJobResult: (id) => this.#leave("result", id, () => `rows of ${JSON.stringify(id)}`),
  };

  #crash: Crash | undefined;
  #onCrash = (): void => undefined;

  get store(): TaskStateStore {
    const scope = { dagId: "etl", runId: "r1", taskId: "load", mapIndex: this.mapIndex } as const;
    return new TaskStateStore(
      this.backend,
      { kind: "task-instance", ...scope },
      { clock: this.clock },
    );
  }

  stored(key = "remote_job_id"): Promise<unknown> {
    return this.store.get(key);
  }

  statusOf(id: unknown): string {
    return this.statuses.get(JSON.stringify(id) ?? "undefined") ?? "NOT_FOUND";
  }

  setStatus(id: unknown, status: string): void {
    this.statuses.set(JSON.stringify(id) ?? "undefined", status);
  }

  activeJobs(): number {
    return [...this.statuses.values()].filter((status) => ACTIVE.includes(status)).length;
  }

  /** Returns the number of calls at `site`. */
  count(site: Site): number {
    return this.calls.filter((call) => call === site || call.startsWith(`${site}(`)).length;
  }

  levels(): string[] {
    return this.log.map(({ level }) => level);
  }

  context(): TaskContext {
    const store = this.store;
    const port = {
      get: (key: string) => this.#leave("get", key, () => store.get(key)),
      set: (key: string, value: NonNullable<JsonValue>) =>
        this.#leave("set", value, () => store.set(key, value)),
      compareAndSet: (key: string, expected: JsonValue | null, value: NonNullable<JsonValue>) =>
        store.compareAndSet(key, expected, value),
      delete: (key: string) => store.delete(key),
      clear: () => store.clear(),
    };
    return {
      dagId: "etl",
      runId: "r1",
      taskId: "load",
      mapIndex: this.mapIndex,
      tryNumber: this.tryNumber,
      signal: new AbortController().signal,
      logger: this.#logger(),
      statsTags: this.statsTags,
      ...(this.withStore ? { taskStateStore: port } : {}),
    };
  }

  /** Runs one attempt to its end. */
  attempt(options: ResumeOptions = {}, crash?: Crash): Promise<End> {
    this.tryNumber += 1;
    this.#crash = crash;
    return new Promise((resolve) => {
      this.#onCrash = () => resolve({ kind: "crash" });
      this.runner(this.job, this.context(), options).then(
        (value) => resolve({ kind: "result", value }),
        (error: unknown) => resolve({ kind: "error", error }),
      );
    });
  }

  /** Runs attempts, each with its crash, until one completes. */
  async attemptUntilResult(crashes: readonly (Crash | undefined)[]): Promise<End> {
    let end: End = { kind: "crash" };
    for (const crash of [...crashes, ...Array.from({ length: 10 }, () => undefined)]) {
      end = await this.attempt({}, crash);
      if (end.kind === "result") break;
    }
    return end;
  }

  async #leave<T>(site: Site, id: unknown, effect: () => T | Promise<T>): Promise<T> {
    this.calls.push(
      id === "" ? site : `${site}(${typeof id === "string" ? id : JSON.stringify(id)})`,
    );
    if (this.#isLost(site, "before")) return this.#lose();
    if (this.failures.has(site)) throw this.failures.get(site);
    const value = await effect();
    return this.#isLost(site, "after") ? this.#lose() : value;
  }

  #isLost(site: Site, when: Crash["when"]): boolean {
    return this.#crash?.site === site && this.#crash.when === when;
  }

  #lose<T>(): Promise<T> {
    this.#onCrash();
    return new Promise(() => undefined);
  }

  #accept(): unknown {
    this.accepted += 1;
    const id = this.ids(this.accepted);
    this.acceptedIds.add(JSON.stringify(id) ?? "undefined");
    this.setStatus(id, "RUNNING");
    return id;
  }

  #complete(id: unknown): void {
    const status = this.statusOf(id);
    const at = [...this.statuses.keys()].indexOf(JSON.stringify(id) ?? "undefined");
    const end = ACTIVE.includes(status) ? (this.endings[at] ?? "SUCCEEDED") : status;
    this.setStatus(id, end);
    if (end !== "SUCCEEDED" && !(id === null || id === undefined)) throw new JobFailed(id, end);
  }

  #predicate(result: boolean): boolean {
    this.predicateCalls += 1;
    return result;
  }

  #logger(): Logger {
    const at =
      (level: keyof Logger) =>
      (message: string, fields: Record<string, unknown> = {}): void => {
        this.log.push({ level, message, fields });
      };
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  }
}
