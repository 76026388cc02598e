// What the guides say that the check says of their operators is what it says.
import { expect, test } from "vitest";
import { checkResumableJob } from "../../sim/check/mod.ts";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { faultlaneIn } from "../cli/faultlane.ts";
import { loadedGuide, readGuide, STEPS } from "./load-guide.ts";

const SYSTEM = "aws-batch";
const THREE_HOURS_MS = 3 * 3_600_000;

test("the plain job's story is what the command tells", async () => {
  const [, text = ""] =
    /```text\n([\s\S]*?)```/.exec(readGuide("from-plain-to-resumable.md")) ?? [];
  const [command = "", ...shown] = text.trimEnd().split("\n");
  const args = command.replace("$ npx faultlane ", "").split(" ");
  const { code, out } = await faultlaneIn(checkoutRoot, ...args);
  expect(code).toBe(0);
  const told = out.split("\n");
  expect(shown.filter((line) => line !== "…" && !told.includes(line))).toEqual([]);
});

test.each(STEPS)("$file is told what the page says", async ({ file, says }) => {
  const { createJob } = await loadedGuide(`steps/${file}`);
  const told = await checkResumableJob(createJob, { system: SYSTEM }).then(
    // How many attempts that took changes with what is drawn.
    ({ runs, seed }) => [`All promises held in ${runs} runs from seed ${seed}:`, "…"],
    (error: unknown) => (error as Error).message.split("\n").slice(0, 2),
  );
  expect(says.slice(1)).toEqual(told);
});

test.each(["steps/batch-6.ts", "forms/deferrable-batch.ts"])(
  "%s holds, also where its job takes three hours",
  async (path) => {
    const { createJob } = await loadedGuide(path);
    const { runs } = await checkResumableJob(createJob, { system: SYSTEM, numRuns: 2_000 });
    const knobs = { runMs: { min: THREE_HOURS_MS, max: THREE_HOURS_MS } };
    const long = await checkResumableJob(createJob, { system: SYSTEM, knobs, numRuns: 50 });
    expect([runs, long.runs]).toEqual([2_000, 50]);
  },
);
