import { describe, expect, test } from "vitest";
import { strikeNth } from "../../sim/faults/rule.ts";
import { JobBench } from "./job-bench.ts";

describe("a job client", () => {
  test("submits, reads, fetches and cancels, each by a call at its own site", async () => {
    const bench = new JobBench();
    const seen = await bench.inProcess(async (client, life) => {
      const id = await client.submit({ jobType: "batch", tag: "mine" });
      const first = await client.status(id);
      await new Promise<void>((resolve) => void life.clock.setTimer(20_000, resolve));
      const [found] = await client.find({ tag: "mine" });
      const result = await client.result(id);
      await client.cancel(id);
      return [first, (await client.describe(id)).tag, found?.status, result.output];
    });
    expect(seen).toEqual(["PENDING", "mine", "SUCCEEDED", "output of etl/load"]);
    const calls = [...bench.world.injector.calls()];
    expect(calls.filter(([site]) => site.startsWith("job."))).toEqual([
      ["job.submit", 1],
      ["job.status", 3],
      ["job.result", 1],
      ["job.cancel", 1],
    ]);
  });

  test("gets the id of an accepted job late when the system is slow to reply", async () => {
    const bench = new JobBench({ submitLatencyMs: 45_000 });
    const at = await bench.inProcess(async (client, life) => {
      await client.submit({ jobType: "batch" });
      return life.clock.now();
    });
    expect(at).toBeGreaterThanOrEqual(45_000);
    expect(bench.events("job-accepted")[0]?.at).toBeLessThan(100);
  });

  test("does not get the id of an accepted job when the reply is lost", async () => {
    const bench = new JobBench();
    const scope = { site: "job.submit" } as const;
    bench.world.injector.install(strikeNth(scope, { kind: "drop", what: "reply" }, 1, 1));
    const error = await bench
      .inProcess((client) => client.submit({ jobType: "batch" }))
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "CallTimedOut" });
    expect(bench.facts()).toMatchObject({ accepted: 1, foreignLooks: 0 });
    expect(bench.facts().of("etl/load")).toHaveLength(1);
  });

  test("gets an error whose name says why it was refused", async () => {
    const bench = new JobBench({ concurrencyLimit: 0 });
    const errors = await bench.inProcess(async (client) => [
      await client.submit({ jobType: "batch" }).catch((error: Error) => error.name),
      await client.status("nobody").catch((error: Error) => error.name),
    ]);
    expect(errors).toEqual(["JobRejected", "JobNotFound"]);
  });
});
