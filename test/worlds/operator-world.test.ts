import { describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { writeScenario } from "../../sim/scenario/write.ts";
import { simulate } from "../../sim/run/simulate.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import {
  type CheckedJob,
  type CreateJob,
  OperatorUnderTest,
} from "../../sim/worlds/operator/operator-under-test.ts";
import { rightJobOn } from "../check/resumable-job-bugs.ts";

const SYSTEM = "aws-batch";

function run(members: string, createJob: CreateJob = rightJobOn(SYSTEM)): Promise<RunReport> {
  const text = `{ story: Mine, world: operator, system: ${SYSTEM}, ${members} }`;
  return simulate(parseScenario(text, "mine"), { operator: new OperatorUnderTest(createJob) });
}

/** The correct operator with other methods in place of some. */
function jobWith(change: (right: CheckedJob) => Partial<CheckedJob>): CreateJob {
  return (client, surroundings) => {
    const right = rightJobOn(SYSTEM)(client, surroundings);
    return { ...right, ...change(right) };
  };
}

function endings({ trace }: RunReport): readonly string[] {
  return trace.flatMap((event) =>
    event.kind === "attempt-ended"
      ? [`${event.outcome}${event.error === "" ? "" : ` by ${event.error}`}`]
      : [],
  );
}

function beginnings({ trace }: RunReport): readonly number[] {
  return trace.filter(({ kind }) => kind === "attempt").map(({ at }) => at);
}

describe("world: operator", () => {
  test("a lost attempt is followed by one that continues with its job", async () => {
    const report = await run("faults: [{ loseAttempt: 1, after: 9s }]");
    expect(report.verdict).toBe("held");
    expect(endings(report)).toEqual(["success"]);
    expect(beginnings(report)).toEqual([0, 11_000]);
    expect(report.trace.filter(({ kind }) => kind === "job-accepted")).toHaveLength(1);
  });

  test("the story of a task that fails has what each attempt failed with", async () => {
    const createJob = jobWith(() => ({
      getJobResult: () => Promise.reject(new Error("The disk is full")),
    }));
    const { violations } = await run("faults: []", createJob);
    const story = violations.find(({ symptom }) => symptom === "task-unfinished")?.story ?? [];
    expect(story.join("\n")).toContain("attempt 1 ends: failed, Error: The disk is full");
  });

  test("the story of a task that waits for ever, though nothing befalls it, has the words of its system", async () => {
    const createJob = jobWith((right) => ({
      ...right,
      isJobSucceeded: (status) => status === "done",
      isJobActive: () => true,
      pollUntilComplete: () => new Promise<never>(() => {}),
    }));
    const told = async (members: string): Promise<string> => {
      const { violations } = await run(members, createJob);
      return (
        violations.find(({ symptom }) => symptom === "task-unfinished")?.story.join("\n") ?? ""
      );
    };
    expect(await told("faults: []")).toContain(
      "Nothing befell it. The statuses of aws-batch are SUBMITTED, PENDING, RUNNABLE",
    );
    const lost = await told("faults: [{ loseAttempt: 1, after: 9s }]");
    expect(lost).toContain("attempt 2 begins");
    expect(lost).not.toContain("Nothing befell it");
  });

  test("delayAttempt moves the begin of an attempt", async () => {
    const report = await run(
      "faults: [{ loseAttempt: 1, after: 9s }, { delayAttempt: 2, by: 90s }], phases: { safety: 4m }",
    );
    expect(beginnings(report)).toEqual([0, 99_000]);
  });

  test("a crash at a site ends its attempt for good, whatever restartAfter says", async () => {
    const fault = "{ site: job.submit, verdict: crash-after, restartAfter: 1s }";
    const report = await run(`faults: [${fault}]`);
    expect(report.verdict).toBe("held");
    expect(beginnings(report)).toHaveLength(2);
    expect(report.trace.some((event) => event.kind === "host" && event.state === "restart")).toBe(
      false,
    );
  });

  test("faults of hosts and links strike as in every world", async () => {
    const report = await run(
      "faults: [{ at: 2s, cut: [attempt-1, jobs], for: 30s }, { at: 40s, crash: jobs }]",
    );
    expect(report.verdict).toBe("held");
    expect(report.stats.faults.map(([name]) => name)).toContain("cut attempt-1 to jobs");
  });

  test("a user's kill ends the task, and others' jobs are no matter", async () => {
    const report = await run(
      "operations: [{ at: 1s, otherJobs: 2 }], faults: [{ killAttempt: 1, after: 9s, category: user }]",
    );
    expect(report.verdict).toBe("held");
    expect(endings(report)).toEqual(["killed"]);
    expect(report.trace.findLast(({ kind }) => kind === "task-state")).toMatchObject({
      state: "failed",
    });
  });

  test("another run of the task has its own jobs, made by the same operator (R-I19)", async () => {
    const beside = "operations: [{ at: 0s, otherRun: run-0 }]";
    const report = await run(beside);
    expect(report.verdict).toBe("held");
    expect(report.vacuous).toEqual([]);
    const owners = report.trace.flatMap((event) =>
      event.kind === "job-accepted" ? [event.task] : [],
    );
    expect(owners).toEqual(["etl/run-0/load", "etl/run-1/load"]);
    const ofOne: CreateJob = (client, surroundings) =>
      rightJobOn("databricks")(client, { ...surroundings, task: "load" });
    const text = `{ story: Mine, world: operator, system: databricks, runId: run-7, ${beside} }`;
    const scenario = parseScenario(text, "mine");
    expect(parseScenario(writeScenario(scenario), "mine")).toEqual(scenario);
    const { violations } = await simulate(scenario, { operator: new OperatorUnderTest(ofOne) });
    const [first] = violations;
    expect(first?.checker).toBe("R-I19");
    expect(first?.detail).toContain("job 1, which is etl/run-0/load's");
  });

  test("a run without a job that another could have leaves nothing to submit", async () => {
    const createJob = jobWith(() => ({
      submitJob: () => Promise.reject(new Error("The disk is full")),
    }));
    const { vacuous } = await run("operations: [{ at: 0s, otherRun: run-0 }]", createJob);
    expect(vacuous.map(({ words }) => words)).toEqual([
      "operations[0] (otherRun run-0 at 0s) came to nothing",
    ]);
  });

  test("an operator without onKill may leave its job running, one that ignores it may not (R-I14)", async () => {
    const kill = "faults: [{ killAttempt: 1, after: 9s, category: timeout }]";
    const without = await run(
      kill,
      jobWith(() => ({ onKill: undefined as never })),
    );
    expect(without.verdict).toBe("held");
    expect(endings(without)[0]).toBe("terminated");
    const ignoring = await run(
      kill,
      jobWith(() => ({ onKill: () => undefined })),
    );
    expect(ignoring.violations.map(({ checker }) => checker)).toContain("R-I14");
  });

  test("an unhandled rejection crashes the attempt's process, and is a finding", async () => {
    const report = await run(
      "faults: []",
      jobWith((right) => ({
        submitJob(ctx) {
          void Promise.reject(new RangeError("Nobody looks"));
          return right.submitJob(ctx);
        },
      })),
    );
    expect(report.violations[0]).toMatchObject({ checker: "uncaught", host: "attempt-1" });
  });

  test("whose getJobStatus requests only the result has requested the status (R-I5)", async () => {
    const report = await run("faults: [{ loseAttempt: 1, after: 9s }]", (client, surroundings) => ({
      ...rightJobOn(SYSTEM)(client, surroundings),
      getJobStatus: async (id) =>
        (await client.result(id).catch(() => undefined)) === undefined ? "FAILED" : "SUCCEEDED",
    }));
    const symptoms = report.violations.map(({ symptom }) => symptom);
    expect(symptoms).toContain("submitted-beside-live");
    expect(symptoms).not.toContain("submitted-unasked");
  });

  test("a report without a digest is the same run", async () => {
    const scenario = parseScenario(`{ story: Mine, world: operator, system: livy }`, "mine");
    const { digest: _digest, ...wanted } = await simulate(scenario);
    const { digest, ...report } = await simulate(scenario, { digest: false });
    expect(digest).toBe("");
    expect(report).toEqual(wanted);
  });
});

describe("a scenario's system", () => {
  const parse = (system: string) =>
    parseScenario(`{ story: Mine, world: operator, system: ${system} }`, "mine");

  test("is a name, or a name with settings, and is written as short as it was", () => {
    const plain = parse("livy");
    expect(plain).toMatchObject({ system: { system: "livy" } });
    expect(writeScenario(plain)).toContain("system: livy\n");
    const changed = parse("{ glue: { failFirst: 2, retention: 20s } }");
    expect(changed).toMatchObject({
      system: { system: "glue", failFirst: 2, retention: 20_000 },
    });
    expect(writeScenario(changed)).toContain("system: { glue: { failFirst: 2, retention: 20s } }");
    expect(parse("{ livy: {} }")).toEqual(plain);
  });

  test.each(["cron", "{ livy: {}, glue: {} }", "{ livy: { speed: 2 } }", "{}"])(
    "cannot be %s",
    (system) => {
      expect(() => parse(system)).toThrow(/Cannot use scenario "mine" at system/);
    },
  );
});
