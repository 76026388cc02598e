import {
  BaseOperator,
  type ExecutionContext,
  keepsJob,
  type TaskContext,
  TaskKilled,
} from "../../src/operator/mod.ts";
import type { Logger } from "../../src/time/mod.ts";

/** An external system whose jobs run until a test ends them. */
export class Cluster {
  readonly statuses = new Map<string, "RUNNING" | "SUCCESS" | "FAILED" | "CANCELLED">();
  readonly polled: string[] = [];
  failCancel = false;
  #waiting: (() => void)[] = [];

  submit(): string {
    const id = `job-${this.statuses.size + 1}`;
    this.statuses.set(id, "RUNNING");
    return id;
  }

  finish(id: string, status: "SUCCESS" | "FAILED" = "SUCCESS"): void {
    this.statuses.set(id, status);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  async cancel(id: string | undefined): Promise<void> {
    if (this.failCancel) throw new Error("403");
    if (id !== undefined) this.statuses.set(id, "CANCELLED");
  }

  async wait(id: string, signal: AbortSignal): Promise<string> {
    this.polled.push(id);
    if (this.statuses.get(id) === "RUNNING") {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    }
    return this.result(id);
  }

  result(id: string): string {
    if (this.statuses.get(id) !== "SUCCESS") throw new Error(`Cannot read ${id}: not a success`);
    return `rows of ${id}`;
  }
}

/** Path 1 of AIP-96: submits, polls, and checkpoints; remembers the job's id in either case. */
export class SyncOperator extends BaseOperator<string> {
  readonly cluster: Cluster;
  jobId: string | undefined;

  constructor(cluster: Cluster) {
    super();
    this.cluster = cluster;
  }

  override async execute(ctx: TaskContext): Promise<string> {
    this.jobId = this.cluster.submit();
    return this.cluster.wait(this.jobId, ctx.signal);
  }

  override async onKill(executionContext: ExecutionContext | null): Promise<void> {
    if (this.jobId === undefined) return;
    if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.jobId });
    await this.cluster.cancel(this.jobId);
  }

  async resumeJob(ctx: TaskContext, remoteJobId: string): Promise<string> {
    const status = this.cluster.statuses.get(remoteJobId);
    if (status === "SUCCESS") return this.cluster.result(remoteJobId);
    if (status !== "RUNNING") return this.execute(ctx);
    this.jobId = remoteJobId;
    return this.cluster.wait(remoteJobId, ctx.signal);
  }
}

/** Path 2: submits and defers, so that the triggerer waits. */
export class DeferringOperator extends SyncOperator {
  override async execute(_ctx: TaskContext): Promise<string> {
    this.jobId = this.cluster.submit();
    await this.beforeDefer();
    return this.#wait(this.jobId);
  }

  /** Called between submit and defer. */
  async beforeDefer(): Promise<void> {
    await Promise.resolve();
  }

  async executeComplete(
    _ctx: TaskContext,
    event: { jobId: string; status: string },
  ): Promise<string> {
    if (event.status !== "SUCCESS") throw new Error(`Job ${event.jobId} failed`);
    return this.cluster.result(event.jobId);
  }

  override async resumeJob(ctx: TaskContext, remoteJobId: string): Promise<string> {
    const status = this.cluster.statuses.get(remoteJobId);
    if (status === "SUCCESS") return this.cluster.result(remoteJobId);
    if (status !== "RUNNING") return this.execute(ctx);
    this.jobId = remoteJobId;
    return this.#wait(remoteJobId);
  }

  #wait(jobId: string): never {
    return this.defer({ trigger: { jobId }, methodName: "executeComplete" });
  }
}

/** The context of one attempt, which can be killed. */
export class Attempt {
  readonly lines: { readonly level: keyof Logger; readonly message: string }[] = [];
  readonly ctx: TaskContext;
  readonly #controller = new AbortController();

  constructor(tryNumber = 1, mapIndex = -1) {
    const at =
      (level: keyof Logger) =>
      (message: string): void => {
        this.lines.push({ level, message });
      };
    this.ctx = {
      dagId: "etl",
      runId: "r1",
      taskId: "report",
      mapIndex,
      tryNumber,
      signal: this.#controller.signal,
      logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    };
  }

  kill(category: ExecutionContext["category"]): void {
    this.#controller.abort(new TaskKilled({ category }));
  }

  killWithoutReason(): void {
    this.#controller.abort();
  }
}
