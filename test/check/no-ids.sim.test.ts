// A system that accepts jobs and gives no ids: the mixin stores nothing, and each retry submits again.
import { expect, test } from "vitest";
import {
  checkResumableJob,
  type CreateJob,
  type JobClient,
  PropertyViolation,
} from "../../sim/check/mod.ts";
import { createJob as createRefresh } from "../../scenarios/operators/webhook-refresh.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

const SYSTEM = "webhook";

const LOST_WORKER = `
story: The retry after a lost worker submits again
world: tasks
heartbeat: 5s
jobServer: { system: webhook, takes: { min: 30s, max: 30s } }
tasks:
  - { name: report, operator: resumable, retries: 2, retryDelay: 2s }
faults:
  - { site: job.status, nth: 4, verdict: crash-after }
phases: { safety: 120s }
`;

/** Counts what a trace of one run says. */
function counted(texts: readonly string[], part: string): number {
  return texts.filter((text) => text.includes(part)).length;
}

test("each retry submits again, which breaks no promise, and the run says why", async () => {
  const report = await simulate(parseScenario(LOST_WORKER, "no-ids"), { seed: 1 });
  expect(report.violations).toEqual([]);
  const texts = report.trace.map((event) => JSON.stringify(event));
  const jobs = counted(texts, '"job-accepted"');
  expect(jobs).toBeGreaterThan(1);
  expect(counted(texts, '"id":""')).toBe(jobs);
  expect(counted(texts, '"call":"submit","word":"no id"')).toBeGreaterThan(1);
  expect(counted(texts, '"decision":"fresh_submit"')).toBeGreaterThan(1);
  expect(counted(texts, '"decision":"reconnect"')).toBe(0);
  expect(counted(texts, '"state-set"')).toBe(0);
});

test("the operator of the scenario is accused of nothing", async () => {
  await checkResumableJob(createRefresh, { system: SYSTEM, numRuns: 120 });
});

/** The system cannot name a job, but it lists them by their tags: the operator's own id is a tag. */
function taggedJob(client: JobClient, tag: string): ReturnType<CreateJob> {
  const base = rightJobOn(SYSTEM)(client, {
    clock: client.clock,
    task: tag,
    tryNumber: 1,
    xcom: { push: () => Promise.resolve() },
  });
  return {
    ...base,
    async submitJob(ctx) {
      await base.submitJob(ctx);
      return tag;
    },
    getJobStatus: (_id, ctx) => base.getJobStatus(null, ctx),
    pollUntilComplete: (_id, ctx) => base.pollUntilComplete(null, ctx),
    getJobResult: (_id, ctx) => base.getJobResult(null, ctx),
  };
}

test("an operator that stores a tag of its own reconnects by it, and is accused of nothing", async () => {
  const tagged: CreateJob = (client, { task }) => taggedJob(client, task);
  await checkResumableJob(tagged, { system: SYSTEM, numRuns: 120 });
});

const TEXTS: readonly [what: string, id: string][] = [
  ["the text of undefined", "undefined"],
  ["an empty text", ""],
];

for (const [what, id] of TEXTS) {
  test(`an operator that stores ${what} as the id looks for it in vain, and is accused`, async () => {
    const broken: CreateJob = (client, surroundings) => {
      const right = rightJobOn(SYSTEM)(client, surroundings);
      return {
        ...right,
        submitJob: async (ctx) => (await right.submitJob(ctx)) ?? id,
        pollUntilComplete: (_id, ctx) => right.pollUntilComplete(null, ctx),
        getJobResult: () => null,
      };
    };
    const found: unknown = await checkResumableJob(broken, { system: SYSTEM }).catch(
      (error: unknown) => error,
    );
    expect(found).toBeInstanceOf(PropertyViolation);
    const { guarantee, message } = found as PropertyViolation;
    expect(["R-I3", "R-I4"]).toContain(guarantee);
    expect(message).toContain("which gave no id");
  });
}
