import { expect, test } from "vitest";
import { type KillCategory, runTask } from "../../src/operator/mod.ts";
import { CheckpointingOperator } from "../../src/operators/mod.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import { Attempt } from "../operator/cluster.ts";

/** A job that runs until it is cancelled. */
class Endless extends CheckpointingOperator<string, number> {
  readonly cancelled: string[] = [];

  submit(): string {
    return "job-1";
  }

  status(): string {
    return "RUNNING";
  }

  isJobActive(status: string): boolean {
    return status === "RUNNING";
  }

  isJobSucceeded(): boolean {
    return false;
  }

  result(): number {
    return 42;
  }

  cancel(id: string): void {
    this.cancelled.push(id);
  }
}

test.each<readonly [KillCategory, string, readonly string[]]>([
  ["infrastructure", "checkpointed", []],
  ["timeout", "killed", ["job-1"]],
  ["user", "killed", ["job-1"]],
])("killed for %s it ends %s, with these jobs cancelled: %o", async (category, kind, cancelled) => {
  const operator = new Endless(new VirtualClock());
  const attempt = new Attempt();
  const outcome = runTask(operator, attempt.ctx);
  for (let hops = 0; hops < 20; hops += 1) await Promise.resolve();
  attempt.kill(category);
  const isKept = kind === "checkpointed" ? { remoteJobId: "job-1" } : {};
  expect(await outcome).toMatchObject({ kind, ...isKept });
  expect(operator.cancelled).toEqual(cancelled);
});
