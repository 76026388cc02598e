import { expect, test } from "vitest";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { faultlaneIn } from "./faultlane.ts";

const WINDOW = "scenarios/resumable/crash-in-the-window.yaml";
const DRAIN = "scenarios/killed-while-it-drains.yaml";

/** What happened, in this order, and among other things. */
const CRASH_IN_THE_WINDOW =
  /fault at job\.submit: crash the caller after the effect[^]*job 2 [^]*"remote_job_id" is set[^]*=> every promise held/;

test("run --story tells what happened in a run that held", async () => {
  const { code, out } = await faultlaneIn(checkoutRoot, "run", WINDOW, "--story");
  expect(code).toBe(0);
  expect(out).toMatch(/^STORY {2}crash-in-the-window, seed 1$/m);
  expect(out).toMatch(CRASH_IN_THE_WINDOW);
});

test("run --story --json has the story of each run, in at most sixty lines and its end", async () => {
  const flags = ["--seeds", "2", "--story", "--json"];
  const { out } = await faultlaneIn(checkoutRoot, "run", WINDOW, DRAIN, ...flags);
  const { runs } = JSON.parse(out) as { readonly runs: readonly { story: readonly string[] }[] };
  expect(runs.map(({ story }) => story.at(-1)?.replace(/^ *[0-9.]+ s/, ""))).toEqual(
    Array.from({ length: 4 }, () => "  => every promise held"),
  );
  expect(runs[0]?.story.join("\n")).toMatch(CRASH_IN_THE_WINDOW);
  for (const { story } of runs) expect(story.length).toBeLessThanOrEqual(61);
});

test("run without --story has none", async () => {
  const { out } = await faultlaneIn(checkoutRoot, "run", WINDOW, "--json");
  const { runs } = JSON.parse(out) as { readonly runs: readonly object[] };
  expect(runs[0]).not.toHaveProperty("story");
});
