import { describe, expect, test } from "vitest";
import { OperatorUnderTest, parseScenario, simulate } from "../../sim/mod.ts";
import type { OperatorFault } from "../../sim/worlds/operator/operator-scenario.ts";
import { brokenWithout, findBug } from "./broken-without.ts";
import { CALLEE_FAULT_BUGS } from "./callee-fault-bugs.ts";

/** Of the thousand that a check makes unless told otherwise. */
const FOUND_WITHIN_RUNS = 250;
const SEEDS_WITHOUT = 120;

const CALLEE_FAULT = /callee|duplicate-late|delay-reply/;

function isOfCallee(fault: OperatorFault): boolean {
  if ("verdict" in fault) return CALLEE_FAULT.test(fault.verdict);
  return "halfOpen" in fault && fault.halfOpen === true;
}

describe("checkResumableJob()", () => {
  test("a job that a late copy of a submit has begun is held against who could have had a key", async () => {
    const cases = [
      ...[{ durable: true, system: "aws-batch", told: [] }],
      ...[{ durable: true, system: "emr-serverless", told: ["copied-without-key"] }],
      ...[{ durable: false, system: "emr-serverless", told: [] }],
    ];
    for (const { durable, system, told } of cases) {
      const operator = new OperatorUnderTest((client) => ({
        durable,
        submitJob: () => client.submit({ jobType: "batch" }),
        getJobStatus: (id) => client.status(id),
        isJobActive: (status) => !status.startsWith("SUCCE") && status !== "FAILED",
        isJobSucceeded: (status) => status.startsWith("SUCCE"),
        async pollUntilComplete(id) {
          while (!(await client.status(id)).startsWith("SUCCE")) {
            await new Promise((resolve) => void setTimeout(resolve, 5_000));
          }
        },
        getJobResult: async (id) => (await client.result(id)).output,
      }));
      const text = `{ story: A copy comes late, world: operator, system: ${system},
        faults: [{ site: job.submit, verdict: duplicate-late, nth: 1 }] }`;
      const report = await simulate(parseScenario(text, "copy"), { operator });
      expect(report.trace.filter(({ kind }) => kind === "job-accepted")).toHaveLength(2);
      expect(report.violations.map(({ symptom }) => symptom)).toEqual(told);
    }
  });

  for (const bug of CALLEE_FAULT_BUGS) {
    test(`finds ${bug.name}, seed 1`, async () => {
      const { story } = await findBug(bug, FOUND_WITHIN_RUNS);
      expect(story.join("\n")).toMatch(/callee|late copy|peers are not told/);
    });

    test(`no other fault shows ${bug.name}, seeds 1 to ${SEEDS_WITHOUT}`, async () => {
      for (let seed = 1; seed <= SEEDS_WITHOUT; seed += 1) {
        expect([seed, await brokenWithout(bug, isOfCallee, seed)]).toEqual([seed, []]);
      }
    });
  }
});
