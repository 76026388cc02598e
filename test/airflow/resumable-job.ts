import * as fc from "fast-check";
import { BaseOperator, ResumableJobMixin, type TaskContext } from "../../src/mod.ts";

/** The methods of a job, by their names in a case. */
type Method = "submit" | "status" | "active" | "succeeded" | "poll" | "result";

/** What the external system and the store do in one attempt, and the key that the id has then. */
export interface PlannedAttempt {
  readonly key: string;
  readonly submit: unknown;
  readonly status: string;
  readonly poll: unknown;
  readonly result: unknown;
  readonly raises: readonly Method[];
  readonly getFails: boolean;
  readonly setFails: boolean;
}

/** The attempts of one task, which share a store. */
export interface PlannedJob {
  readonly durable: boolean;
  readonly hasStore: boolean;
  /** Under the first attempt's key; null: nothing. */
  readonly stored: unknown;
  readonly attempts: readonly PlannedAttempt[];
}

/** What was seen of one attempt. */
export interface ObservedAttempt {
  readonly calls: readonly (readonly unknown[])[];
  readonly counted: readonly string[];
  readonly logged: readonly string[];
  readonly span: Readonly<Record<string, unknown>>;
  readonly ended: readonly ["returned" | "raised", unknown];
  readonly stored: Readonly<Record<string, unknown>>;
}

/** No id that Python takes for false: 0, "", [] and {} are ids to us and none to Airflow (Q1). */
const id = fc.constantFrom<unknown>("app-1", "job/2", 7, true, ["a", 1], { pod: "p" }, 3.5);
const METHODS: readonly Method[] = ["submit", "status", "active", "succeeded", "poll", "result"];
const rarely = fc.oneof(
  { arbitrary: fc.constant(false), weight: 12 },
  { arbitrary: fc.constant(true), weight: 1 },
);

const attempt: fc.Arbitrary<PlannedAttempt> = fc.record({
  key: fc.constantFrom("remote_job_id", "remote_job_id", "remote_job_id", "batch_job_id"),
  submit: fc.oneof({ arbitrary: id, weight: 5 }, { arbitrary: fc.constant(null), weight: 1 }),
  status: fc.constantFrom("RUNNING", "PENDING", "SUCCEEDED", "FAILED", ""),
  poll: fc.constantFrom(null, "polled"),
  result: fc.constantFrom(null, "rows", { rows: 1 }),
  raises: fc.oneof(
    { arbitrary: fc.constant([]), weight: 2 },
    { arbitrary: fc.subarray([...METHODS], { maxLength: 1 }), weight: 1 },
  ),
  getFails: rarely,
  setFails: rarely,
});

/** Cases in which Airflow's mixin and ours are to do the same. */
export const plannedJob: fc.Arbitrary<PlannedJob> = fc.record({
  durable: rarely.map((isRare) => !isRare),
  hasStore: rarely.map((isRare) => !isRare),
  stored: fc.oneof({ arbitrary: fc.constant(null), weight: 2 }, { arbitrary: id, weight: 1 }),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 4 }),
});

class Planned extends Error {}

class Job extends ResumableJobMixin(BaseOperator) {
  readonly #plan: PlannedAttempt;
  readonly #calls: (readonly unknown[])[];
  override readonly externalIdKey: string;
  override readonly durable: boolean;
  override readonly telemetry;

  constructor(plan: PlannedAttempt, durable: boolean, seen: Seen) {
    super();
    this.#plan = plan;
    this.#calls = seen.calls;
    this.externalIdKey = plan.key;
    this.durable = durable;
    this.telemetry = telemetryInto(seen);
  }

  override execute(ctx: TaskContext): Promise<unknown> {
    return this.executeResumable(ctx);
  }
  submitJob(): unknown {
    return this.#play("submit", this.#plan.submit);
  }
  getJobStatus(externalId: unknown): string {
    return this.#play("status", this.#plan.status, externalId);
  }
  isJobActive(status: string): boolean {
    return this.#play("active", ["RUNNING", "PENDING"].includes(status), status);
  }
  isJobSucceeded(status: string): boolean {
    return this.#play("succeeded", status === "SUCCEEDED", status);
  }
  async pollUntilComplete(externalId: unknown): Promise<void> {
    this.#play("poll", undefined, externalId);
  }
  getJobResult(externalId: unknown): unknown {
    return this.#play("result", this.#plan.result, externalId);
  }

  #play<T>(method: Method, answer: T, ...given: readonly unknown[]): T {
    this.#calls.push([method, ...given]);
    if (this.#plan.raises.includes(method)) throw new Planned(method);
    return answer;
  }
}

interface Seen {
  readonly calls: (readonly unknown[])[];
  readonly counted: string[];
  readonly logged: string[];
  readonly span: Record<string, unknown>;
}

/** Runs the attempts of a case through our mixin. */
export async function observeOurs(job: PlannedJob): Promise<readonly ObservedAttempt[]> {
  const values: Record<string, unknown> = {};
  const [first] = job.attempts;
  if (job.stored !== null && first !== undefined) values[first.key] = job.stored;
  const observed: ObservedAttempt[] = [];
  for (const plan of job.attempts) {
    const seen: Seen = { calls: [], counted: [], logged: [], span: {} };
    const task = new Job(plan, job.durable, seen);
    const ended = await task
      .execute(contextFrom(plan, job.hasStore ? values : undefined, seen))
      .then(
        (result) => ["returned", result] as const,
        (error: unknown) => {
          if (error instanceof Planned) return ["raised", error.message] as const;
          throw error;
        },
      );
    observed.push({ ...seen, ended, stored: { ...values } });
  }
  return observed;
}

function contextFrom(
  plan: PlannedAttempt,
  values: Record<string, unknown> | undefined,
  { calls, logged }: Seen,
): TaskContext {
  const log = (level: string) => (): void => {
    logged.push(level);
  };
  const taskStateStore = values && {
    async get(key: string) {
      calls.push(["get", key]);
      if (plan.getFails) throw new Planned("get");
      return values[key] ?? null;
    },
    async set(key: string, value: unknown) {
      calls.push(["set", key, value]);
      if (plan.setFails) throw new Planned("set");
      values[key] = value;
    },
  };
  return {
    logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    signal: new AbortController().signal,
    ...(taskStateStore === undefined ? {} : { taskStateStore }),
  } as unknown as TaskContext;
}

function telemetryInto({ counted, span }: Seen) {
  return {
    meter: { createCounter: (name: string) => ({ add: () => void counted.push(name) }) },
    tracer: {
      startSpan: () => ({
        setAttribute: (name: string, value: string) => void (span[name] = value),
        recordException: () => undefined,
        setStatus: () => undefined,
        end: () => undefined,
      }),
    },
  };
}
