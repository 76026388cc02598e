import { describe, expect, test } from "vitest";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { strikeNth } from "../../sim/faults/rule.ts";
import type { Verdict } from "../../sim/faults/verdict.ts";
import type { SiteName } from "../../sim/faults/site.ts";
import type { JobSystemKnobs } from "../../sim/jobs/job-knobs.ts";
import { JOB_SYSTEM_NAMES, type JobSystemName, jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { PresetJob } from "../../sim/workloads/preset-job.ts";
import { PresetOperator } from "../../sim/workloads/preset-operator.ts";
import {
  EXECUTE,
  runTask,
  startAfter,
  TaskKilled,
  type KillCategory,
  type TaskStart,
} from "../../src/operator/mod.ts";
import { type JsonValue, MemoryStateBackend, TaskStateStore } from "../../src/store/mod.ts";
import { silentLogger } from "../../src/time/mod.ts";
import { JobClient } from "../../sim/jobs/job-client.ts";
import { Host } from "../../sim/hosts/host.ts";
import { JobBench } from "./job-bench.ts";

const TASK = "etl/load";
const ATTEMPTS_MAX = 12;
const ATTEMPT_MS = 400_000;

interface Trouble {
  readonly site: SiteName;
  readonly nth: number;
  readonly verdict: Verdict;
}

interface Kill {
  readonly afterMs: number;
  readonly category: KillCategory;
}

interface Played {
  readonly bench: JobBench;
  readonly result: unknown;
  readonly attempts: number;
}

/** Runs a task on a system, attempt after attempt, each in a process of its own. */
async function played(
  system: JobSystemName,
  seed: number,
  options: {
    readonly knobs?: Partial<JobSystemKnobs>;
    readonly trouble?: readonly Trouble[];
    readonly kill?: Kill;
  } = {},
): Promise<Played> {
  const knobs = jobSystemKnobs(system, options.knobs);
  const bench = new JobBench(knobs, new SeededChoices(seed));
  for (const { site, nth, verdict } of options.trouble ?? []) {
    bench.world.injector.install(strikeNth({ site }, verdict, nth, 1));
  }
  const backend = new MemoryStateBackend();
  const scope = { kind: "task-instance", dagId: "etl", runId: "r", taskId: "load", mapIndex: -1 };
  let start: TaskStart = EXECUTE;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    let outcome: Awaited<ReturnType<typeof runTask>> | undefined;
    const host = new Host(bench.world, bench.network, `worker-${attempt}`, (life) => {
      const job = new PresetJob(new JobClient(life, bench.system, TASK), life.clock, {
        system,
        name: TASK,
      });
      const store = new TaskStateStore(backend, scope as never, { clock: life.clock });
      const abort = new AbortController();
      const ctx = {
        dagId: "etl",
        runId: "r",
        taskId: "load",
        mapIndex: -1,
        tryNumber: attempt,
        signal: abort.signal,
        logger: silentLogger,
        taskStateStore: {
          get: (key: string) => life.callAsync("store.read", "api", () => store.get(key)),
          set: (key: string, value: NonNullable<JsonValue>) =>
            life.callAsync("store.commit", "api", () => store.set(key, value)),
          compareAndSet: (key: string, expected: JsonValue | null, value: NonNullable<JsonValue>) =>
            store.compareAndSet(key, expected, value),
          delete: (key: string) => store.delete(key),
          clear: () => store.clear(),
        },
      };
      const { kill } = options;
      if (attempt === 1 && kill !== undefined) {
        life.after(kill.afterMs, () => abort.abort(new TaskKilled({ category: kill.category })));
      }
      void runTask(new PresetOperator(job), ctx, start).then((end) => (outcome = end));
    });
    host.start();
    await bench.passes(ATTEMPT_MS);
    host.stop();
    if (outcome?.kind === "success") return { bench, result: outcome.result, attempts: attempt };
    if (outcome?.kind === "checkpointed") start = startAfter(start, outcome) ?? EXECUTE;
  }
  return { bench, result: "none", attempts: ATTEMPTS_MAX };
}

const CRASHES: readonly Trouble[] = (
  ["job.submit", "store.commit", "job.status", "job.result", "store.read"] as const
).flatMap((site) =>
  (["before", "after"] as const).map((when) => {
    return { site, nth: 1, verdict: { kind: "crash", when } } as const;
  }),
);
/** Where jobs have ids; what the others can promise is less. */
const WITH_IDS = JOB_SYSTEM_NAMES.filter((name) => jobSystemKnobs(name).idKind !== "none");
/** Systems that answer a repeated submit with the first job, or refuse it. */
const KEYED = JOB_SYSTEM_NAMES.filter((name) => {
  return jobSystemKnobs(name).idempotency.kind !== "none";
});

describe("a preset job", () => {
  for (const name of WITH_IDS) {
    test(`on ${name}, seed 1: one job and its result, twice with one digest`, async () => {
      const run = await played(name, 1);
      expect(run.result).toBe(`output of ${TASK}`);
      expect(run.bench.facts()).toMatchObject({ accepted: 1, foreignLooks: 0 });
      expect(run.bench.facts().live).toEqual([]);
      const again = await played(name, 1);
      expect(again.bench.world.trace.digest()).toBe(run.bench.world.trace.digest());
    });

    test(`on ${name}, seed 2: a crash at each boundary duplicates in the window only`, async () => {
      for (const crash of CRASHES) {
        const { result, bench } = await played(name, 2, { trouble: [crash] });
        const inWindow =
          (crash.site === "job.submit" && crash.verdict.kind === "crash"
            ? crash.verdict.when === "after"
            : false) ||
          (crash.site === "store.commit" &&
            crash.verdict.kind === "crash" &&
            crash.verdict.when === "before");
        expect(result).toBe(`output of ${TASK}`);
        const expected = inWindow && !KEYED.includes(name) ? 1 : 0;
        expect(bench.facts().of(TASK)).toHaveLength(1 + expected);
        expect(bench.facts().foreignLooks).toBe(0);
      }
    });

    test(`on ${name}, seed 3: failures are replaced, one job at a time`, async () => {
      const knobs = { failFirst: 3, serverSideRetry: undefined, submitLatencyMs: 0 };
      const { result, bench } = await played(name, 3, { knobs });
      expect(result).toBe(`output of ${TASK}`);
      expect(bench.facts().accepted).toBe(4);
      const jobs = bench.facts().of(TASK);
      for (const [at, job] of jobs.slice(1).entries()) {
        expect(job.acceptedAt).toBeGreaterThanOrEqual(jobs[at]?.endedAt ?? Infinity);
      }
    });
  }

  test("looks again before it treats a new job as missing (E30)", async () => {
    const knobs = { visibilityLag: { ms: 8_000, shows: "missing" } } as const;
    const crash = {
      site: "job.status",
      nth: 1,
      verdict: { kind: "crash", when: "before" },
    } as const;
    for (const name of WITH_IDS) {
      const { bench, result } = await played(name, 4, { knobs, trouble: [crash] });
      expect(result).toBe(`output of ${TASK}`);
      expect(bench.facts().accepted).toBe(1);
    }
  });

  test("treats an unknown status as a running job (E3)", async () => {
    const unknownBursts = { rate: { numerator: 1, denominator: 3 }, lengthMs: 8_000 };
    for (const name of ["spark-standalone", "data-fusion", "kubernetes-pod"] as const) {
      const { bench, result } = await played(name, 5, { knobs: { unknownBursts } });
      expect(result).toBe(`output of ${TASK}`);
      expect(bench.facts().accepted).toBe(1);
    }
  });

  test("finds its own running job when a second one is refused (E68)", async () => {
    const crash = {
      site: "store.commit",
      nth: 1,
      verdict: { kind: "crash", when: "before" },
    } as const;
    for (const name of ["glue", "airbyte"] as const) {
      const knobs = { runMs: { min: 600_000, max: 600_000 } };
      const { bench, result, attempts } = await played(name, 7, { knobs, trouble: [crash] });
      expect([result, attempts]).toEqual([`output of ${TASK}`, 2]);
      expect(bench.facts()).toMatchObject({ accepted: 1, rejected: 1 });
    }
  });

  const KILLS: [KillCategory, number, number][] = [
    ["infrastructure", 0, 1],
    ["user", 1, 2],
    ["timeout", 1, 2],
  ];
  for (const [category, cancelled, accepted] of KILLS) {
    test(`killed by ${category}: ${cancelled} cancelled, ${accepted} accepted`, async () => {
      const kill = { afterMs: 6_000, category };
      const knobs = { submitLatencyMs: 0, serverSideRetry: undefined };
      for (const name of WITH_IDS) {
        const { bench, result } = await played(name, 6, { kill, knobs });
        expect([name, result]).toEqual([name, `output of ${TASK}`]);
        const { jobs, accepted: jobsAccepted } = bench.facts();
        const asked = [...jobs.values()].filter(({ cancelledBy }) => cancelledBy.size > 0);
        expect([name, asked.length, jobsAccepted]).toEqual([name, cancelled, accepted]);
      }
    });
  }
});
