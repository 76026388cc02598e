import { describe, expect, test } from "vitest";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { JobBench } from "./job-bench.ts";

const ALWAYS = { numerator: 1, denominator: 1 };

describe("a job", () => {
  test("is queued, runs, succeeds, and has a result", async () => {
    const bench = new JobBench();
    const id = bench.submit();
    expect(bench.system.status(id, { by: "etl/load" })).toBe("PENDING");
    expect(await bench.statusAfter(1_000, id)).toBe("RUNNING");
    expect(() => bench.system.result(id, "etl/load")).toThrow('its status is "RUNNING"');
    expect(await bench.statusAfter(10_000, id)).toBe("SUCCEEDED");
    expect(bench.system.result(id, "etl/load")).toEqual({
      output: "output of etl/load",
      failedParts: 0,
    });
    const kinds = bench.world.trace.events().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== "job-status")).toEqual([
      "job-system",
      "job-accepted",
      "job-started",
      "job-finished",
      "job-result",
    ]);
  });

  test("shows every active word of its vocabulary in turn", async () => {
    const bench = new JobBench({
      statusVocabulary: {
        active: ["PENDING", "RUNNING", "BLOCKED", "STOPPING"],
        success: ["OK"],
        failure: ["KO"],
        unmapped: [],
      },
    });
    const id = bench.submit();
    const seen = new Set<string>();
    for (let second = 0; second < 13; second += 1) seen.add(await bench.statusAfter(1_000, id));
    expect([...seen]).toEqual(["RUNNING", "BLOCKED", "STOPPING", "OK"]);
  });

  test("fails as often as `failFirst` and `failureRate` say", async () => {
    const bench = new JobBench({ failFirst: 1 });
    const first = bench.submit();
    const second = bench.submit();
    const strangers = bench.submit("etl/other");
    expect(await bench.statusAfter(20_000, first)).toBe("FAILED");
    expect(await bench.statusAfter(0, second)).toBe("SUCCEEDED");
    expect(await bench.statusAfter(0, strangers)).toBe("FAILED");
    expect(() => bench.system.result(first, "etl/load")).toThrow('its status is "FAILED"');
  });

  test("is falsely reported as successful halfway when the system flaps", async () => {
    const bench = new JobBench({ flappingTerminal: { rate: ALWAYS, lengthMs: 2_000 } });
    const id = bench.submit();
    expect(await bench.statusAfter(5_999, id)).toBe("RUNNING");
    expect(await bench.statusAfter(1, id)).toBe("SUCCEEDED");
    expect(() => bench.system.result(id, "etl/load")).toThrow("SUCCEEDED");
    expect(await bench.statusAfter(2_000, id)).toBe("RUNNING");
  });

  test("is rerun by a server that retries", async () => {
    const serverSideRetry = { rate: ALWAYS, delayMs: 5_000, status: "ATTEMPT_FAILURE" };
    const bench = new JobBench({ failFirst: 1, serverSideRetry });
    const id = bench.submit();
    expect(await bench.statusAfter(11_000, id)).toBe("ATTEMPT_FAILURE");
    expect(await bench.statusAfter(5_000, id)).toBe("RUNNING");
    expect(await bench.statusAfter(10_000, id)).toBe("SUCCEEDED");
  });

  test("may never start", async () => {
    const bench = new JobBench({ neverStartsRate: ALWAYS });
    const id = bench.submit();
    expect(await bench.statusAfter(86_400_000, id)).toBe("PENDING");
    expect(bench.facts().live.map(({ job }) => job)).toEqual([1]);
  });

  test("can succeed although a part has failed", async () => {
    const bench = new JobBench({ partialSuccessRate: ALWAYS });
    const id = bench.submit();
    expect(await bench.statusAfter(20_000, id)).toBe("SUCCEEDED");
    expect(bench.system.result(id, "etl/load").failedParts).toBe(1);
  });
});

describe("a submit", () => {
  test("is rejected at the system's rate, and beyond its concurrency limit", () => {
    const busy = new JobBench({ rejectRate: ALWAYS });
    expect(() => busy.submit()).toThrow("try again later");
    const full = new JobBench({ concurrencyLimit: 1 });
    full.submit();
    expect(() => full.submit()).toThrow("1 jobs are running");
    expect(full.facts()).toMatchObject({ accepted: 1, rejected: 1 });
  });

  test("with the same key creates a second job when the system ignores keys", () => {
    const bench = new JobBench();
    expect(bench.submit("a", { idempotencyKey: "k" })).not.toBe(
      bench.submit("a", { idempotencyKey: "k" }),
    );
  });

  test("with the same key returns the same job, within the window", async () => {
    const idempotency = {
      kind: "return-existing",
      windowMs: 60_000,
      evenIfTerminal: true,
    } as const;
    const bench = new JobBench({ idempotency });
    const key = { idempotencyKey: "k" };
    const id = bench.submit("a", key);
    expect(bench.submit("a", key)).toBe(id);
    await bench.passes(59_999);
    expect(bench.submit("a", key)).toBe(id);
    await bench.passes(1);
    expect(bench.submit("a", key)).not.toBe(id);
    expect(bench.facts()).toMatchObject({ accepted: 2, deduplicated: 2 });
  });

  test("with the key of an ended job creates another unless `evenIfTerminal` is set", async () => {
    const idempotency = {
      kind: "return-existing",
      windowMs: 60_000,
      evenIfTerminal: false,
    } as const;
    const bench = new JobBench({ idempotency });
    const key = { idempotencyKey: "k" };
    const id = bench.submit("a", key);
    await bench.passes(20_000);
    expect(bench.submit("a", key)).not.toBe(id);
  });

  test("with a chosen id that is taken conflicts, even after that job has ended", async () => {
    const bench = new JobBench({
      idKind: "client-chosen",
      idempotency: { kind: "conflict-409" },
    });
    expect(() => bench.submit()).toThrow("choose an id");
    expect(bench.submit("a", { clientId: "mine" })).toBe("mine");
    await bench.passes(20_000);
    expect(() => bench.submit("a", { clientId: "mine" })).toThrow("already exists");
  });
});

describe("the id", () => {
  test("of a list has a handle and a status for each part; one failed part fails the job", async () => {
    const choices = new SeededChoices(3);
    const bench = new JobBench({ idKind: "list", failFirst: 1 }, choices);
    const id = bench.submit() as string[];
    expect(id.length).toBeGreaterThan(1);
    const words = (await bench.statusAfter(600_000, id)).split(",");
    expect(words).toHaveLength(id.length);
    expect(words.at(-1)).toBe("FAILED");
    expect(words[0]).toBe("SUCCEEDED");
    expect(await bench.statusAfter(0, id[0])).toBe("SUCCEEDED");
  });

  test("of 64 bits is another job's after a double has rounded it (E61)", async () => {
    const bench = new JobBench({ idKind: "bigint64" });
    const ids = [bench.submit("a"), bench.submit("b"), bench.submit("c"), bench.submit("d")];
    expect(typeof ids[0]).toBe("bigint");
    await bench.statusAfter(0, Number(ids[2]), "c");
    expect(bench.facts().foreignLooks).toBe(1);
    expect(bench.events("job-status")[0]?.job).toBe(4);
  });

  test("that counts from 0 is another job's after a restart that loses all jobs (ABA)", async () => {
    const bench = new JobBench({
      idKind: "int-from-0",
      serverRestartForgets: true,
      idReset: true,
    });
    const id = bench.submit("a");
    expect(id).toBe(0);
    bench.system.restart();
    expect(await bench.statusAfter(0, id, "a")).toBe("NOT_FOUND");
    expect(bench.submit("b")).toBe(0);
    await bench.statusAfter(0, id, "a");
    expect(bench.facts().foreignLooks).toBe(1);
    expect(bench.facts().jobs.get(1)?.state).toBe("lost");
  });

  test("of an object includes a uid, because its name can be reused (E18)", async () => {
    const bench = new JobBench({
      idKind: "object",
      idempotency: { kind: "conflict-409" },
      nameReuse: true,
    });
    const id = bench.submit("a", { clientId: "pod" });
    expect(() => bench.submit("b", { clientId: "pod" })).toThrow("already exists");
    await bench.passes(20_000);
    bench.submit("b", { clientId: "pod" });
    expect(await bench.statusAfter(0, id, "a")).toBe("NOT_FOUND");
    expect(bench.facts().foreignLooks).toBe(0);
    expect(await bench.statusAfter(0, { namespace: "jobs", name: "pod" }, "a")).toBe("PENDING");
    expect(bench.facts().foreignLooks).toBe(1);
  });

  test("is given out again when the system reuses names", async () => {
    const bench = new JobBench({ nameReuse: true });
    const id = bench.submit("a");
    expect(bench.submit("a")).not.toBe(id);
    await bench.passes(20_000);
    expect(bench.submit("b")).toBe(id);
    expect(bench.system.find({}).map((job) => job.submittedAt)).toHaveLength(2);
  });

  test("of a step includes its cluster", async () => {
    const bench = new JobBench({ idKind: "composite" });
    const id = bench.submit();
    expect(id).toEqual({ clusterId: "cluster-1", stepId: "step-0" });
    expect(await bench.statusAfter(0, id)).toBe("PENDING");
    expect(await bench.statusAfter(0, { clusterId: "cluster-2", stepId: "step-0" })).toBe(
      "NOT_FOUND",
    );
    expect(await bench.statusAfter(0, "step-0")).toBe("NOT_FOUND");
  });
});

describe("what the system reports", () => {
  test("lags behind: a new job is missing at first, or every state is old", async () => {
    const missing = new JobBench({ visibilityLag: { ms: 3_000, shows: "missing" } });
    const id = missing.submit();
    expect(await missing.statusAfter(2_999, id)).toBe("NOT_FOUND");
    expect(missing.system.find({})).toEqual([]);
    expect(await missing.statusAfter(1, id)).toBe("RUNNING");
    const stale = new JobBench({ visibilityLag: { ms: 3_000, shows: "stale" } });
    const other = stale.submit();
    expect(await stale.statusAfter(3_999, other)).toBe("PENDING");
    expect(await stale.statusAfter(1, other)).toBe("RUNNING");
    expect(await stale.statusAfter(9_999, other)).toBe("RUNNING");
    expect(await stale.statusAfter(1, other)).toBe("SUCCEEDED");
  });

  test("ends with the retention time, by the system's own clock", async () => {
    const bench = new JobBench({ retention: { kind: "time", ms: 10_000 }, clockSkewMs: 4_000 });
    const id = bench.submit();
    expect(await bench.statusAfter(11_000 + 5_999, id)).toBe("SUCCEEDED");
    expect(await bench.statusAfter(1, id)).toBe("NOT_FOUND");
    expect(bench.events("job-forgotten")).toHaveLength(1);
  });

  test("ends with the retention count", async () => {
    const bench = new JobBench({ retention: { kind: "count", count: 2 } });
    const ids = [bench.submit(), bench.submit(), bench.submit()];
    await bench.passes(20_000);
    expect(await bench.statusAfter(0, ids[0])).toBe("NOT_FOUND");
    expect(await bench.statusAfter(0, ids[1])).toBe("SUCCEEDED");
  });

  test("ends when finished jobs are deleted", async () => {
    const objectVanishes = { on: "success", afterMs: 5_000 } as const;
    const bench = new JobBench({ objectVanishes, failFirst: 1 });
    const failed = bench.submit();
    const succeeded = bench.submit();
    expect(await bench.statusAfter(15_999, succeeded)).toBe("SUCCEEDED");
    expect(await bench.statusAfter(1, succeeded)).toBe("NOT_FOUND");
    expect(await bench.statusAfter(0, failed)).toBe("FAILED");
  });

  test("is an undocumented status during a burst", async () => {
    const bench = new JobBench({
      unknownBursts: { rate: ALWAYS, lengthMs: 1_000 },
      statusVocabulary: {
        active: ["RUNNING"],
        success: ["OK"],
        failure: ["KO"],
        unmapped: ["UNKNOWN", "RECOVERING"],
      },
    });
    const id = bench.submit();
    expect(await bench.statusAfter(0, id)).toBe("RECOVERING");
    expect(await bench.statusAfter(0, id)).toBe("UNKNOWN");
  });

  test("has no result after its time to live, or after its first fetch", async () => {
    const short = new JobBench({ result: { ttlMs: 5_000, idempotentFetch: true } });
    const id = short.submit();
    await short.passes(11_000);
    expect(short.system.result(id, "a")).toEqual(short.system.result(id, "a"));
    await short.passes(5_000);
    expect(() => short.system.result(id, "a")).toThrow("not kept any more");
    const once = new JobBench({ result: { ttlMs: undefined, idempotentFetch: false } });
    const other = once.submit();
    await once.passes(11_000);
    once.system.result(other, "a");
    expect(() => once.system.result(other, "a")).toThrow("not kept any more");
    expect(once.facts().jobs.get(1)?.fetches).toBe(1);
  });
});

describe("a cancel", () => {
  test("takes a while, and wins over the end of the job", async () => {
    const bench = new JobBench();
    const id = bench.submit();
    await bench.passes(10_500);
    bench.system.cancel(id, "etl/load");
    bench.system.cancel(id, "etl/load");
    expect(await bench.statusAfter(1_999, id)).toBe("RUNNING");
    expect(await bench.statusAfter(1, id)).toBe("CANCELLED");
    expect(bench.events("job-cancelled")).toHaveLength(1);
    expect(bench.facts().jobs.get(1)?.cancelledBy.size).toBe(1);
  });

  test("of a list cancels the parts that have not ended", async () => {
    const bench = new JobBench({ idKind: "list" }, new SeededChoices(3));
    const id = bench.submit();
    for (const ms of [0, 3_000, 6_000]) expect(await bench.statusAfter(ms, id)).not.toBe("");
    expect(bench.system.status(id, { by: "etl/load" })).toContain("RUNNING");
    bench.system.cancel(id, "etl/load");
    const words = (await bench.statusAfter(600_000, id)).split(",");
    expect(words).toContain("CANCELLED");
    expect(words.filter((word) => word !== "CANCELLED" && word !== "SUCCEEDED")).toEqual([]);
  });

  test("does nothing, or is refused, when the system's knobs say so", async () => {
    const deaf = new JobBench({ cancel: { kind: "noop" } });
    const id = deaf.submit();
    deaf.system.cancel(id, "etl/load");
    expect(await deaf.statusAfter(20_000, id)).toBe("SUCCEEDED");
    const stubborn = new JobBench({ cancel: { kind: "fails" } });
    const other = stubborn.submit();
    expect(() => stubborn.system.cancel(other, "etl/load")).toThrow("the system refused");
    expect(() => stubborn.system.cancel("nobody", "etl/load")).toThrow("Cannot find");
  });
});
