import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WhyDocument } from "../../sim/report/why-document.ts";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { faultlaneIn, startFaultlane } from "./faultlane.ts";

const folder = mkdtempSync(join(tmpdir(), "faultlane-why-"));
const scenarios = join(checkoutRoot, "scenarios");

/** A scenario of each world that breaks a promise, and a promise that it breaks. */
const WORLDS: Readonly<Record<string, readonly [text: string, promise: string]>> = {
  manager: ["{ story: x, world: manager, profile: airflow-3.3, operations: 40 }", "I1"],
  triggerer: [
    `{ story: x, world: triggerer, profile: airflow-3.3,
       streams: [{ name: orders, triggers: 3, advanceThrows: { nth: 5, error: AbortError } }] }`,
    "I1",
  ],
  tasks: [
    `{ story: x, world: tasks, tasks: [{ name: report, operator: plain }], workers: 1,
       faults: [{ at: 1200ms, crash: worker-1 }], phases: { safety: 60s } }`,
    "R-I1",
  ],
};

interface Answer extends WhyDocument {
  readonly page: string;
  readonly explained: boolean;
  readonly interrupted?: string;
}

async function explain(...args: readonly string[]): Promise<readonly [number | null, Answer]> {
  const { code, out, err } = await faultlaneIn(folder, "why", ...args, "--json");
  if (out === "") throw new Error(err);
  return [code, JSON.parse(out) as Answer];
}

beforeAll(async () => {
  for (const [world, [text]] of Object.entries(WORLDS)) {
    writeFileSync(join(folder, `${world}.yaml`), text);
  }
  await faultlaneIn(folder, "run", "manager.yaml");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("faultlane why", () => {
  test.each(Object.entries(WORLDS))("takes a scenario of world %s", async (world, [, promise]) => {
    const args = [`${world}.yaml`, "--seed", "1", "--promise", promise, "--runs", "60"] as const;
    const [code, answer] = await explain(...args);
    expect(code).toBe(1);
    expect(answer).toMatchObject({ explained: true, violation: { checker: promise } });
    expect(answer.runs).toBeLessThanOrEqual(60);
    expect(answer.curve.at(-1)).toMatchObject({ taken: answer.choices, share: 1, low: 1, high: 1 });
    expect((await explain(...args))[1]).toEqual(answer);
  });

  test.each([
    ["operators/naive-nightly.yaml", "R-I5", ["faults[1]"]],
    ["producers/naive-orders.yaml", "G3", ["faults[0]", "records[0]", "behaviours[0]"]],
  ])("takes a scenario with code of its own: %s", async (path, promise, needed) => {
    const [code, answer] = await explain(join(scenarios, path), "--promise", promise);
    expect(code).toBe(1);
    expect(answer).toMatchObject({ certainFrom: 0, rises: [], isComplete: true });
    const holds = answer.alone.filter(({ without }) => without === "holds");
    expect(holds.map(({ parts: [part] }) => part?.path)).toEqual(needed);
  });

  test("takes an artifact, and its answer depends on --draw-seed", async () => {
    const artifact = ".faultlane/manager.seed-1.json";
    const [code, answer] = await explain(artifact, "--runs", "60");
    expect(code).toBe(1);
    expect((await explain("manager.yaml", "--runs", "60"))[1].curve).toEqual(answer.curve);
    expect(answer.page).toBe(".faultlane/manager.seed-1.html");
    const page = readFileSync(join(folder, answer.page), "utf8");
    expect(page).toContain('"sections":[{"title":"Why"');
    const [, other] = await explain(artifact, "--runs", "60", "--draw-seed", "2");
    expect(other.curve).not.toEqual(answer.curve);
  });

  test("SIGINT ends it with a report of what is known", async () => {
    // Nothing that is explained before its progress is told for the first time.
    const long = join(scenarios, "airflow-times-out-a-trigger-for-an-event-it-never-got.yaml");
    const { child, ended, sees } = startFaultlane(
      folder,
      ...["why", long, "--minutes", "5", "--json"],
    );
    await sees("runs, from choice");
    child.kill("SIGINT");
    const { code, out } = await ended;
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      explained: true,
      interrupted: "SIGINT",
      isComplete: false,
    });
  });

  test("a run that holds is nothing to explain: exit code 0", async () => {
    writeFileSync(join(folder, "holds.yaml"), "{ story: x, world: manager, operations: 5 }");
    const { code, out } = await faultlaneIn(folder, "why", "holds.yaml");
    expect(code).toBe(0);
    expect(out).toBe('Cannot explain "holds": the run holds all promises\n');
    expect(await explain("holds.yaml")).toMatchObject([0, { explained: false }]);
  });

  test.each([
    [["missing.json"], "Cannot read"],
    [[".faultlane/manager.seed-1.json", "--seed", "2"], "an artifact has its own"],
    [["manager.yaml", "--runs", "5", "--minutes", "1"], "cannot be used with"],
    [["manager.yaml", "--runs", "0"], "expected a whole number from 1"],
  ])("wrong input is exit code 2: %j", async (args, message) => {
    const { code, err } = await faultlaneIn(folder, "why", ...args);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test("choices that no longer fit the code, or lead elsewhere: exit code 3", async () => {
    const text = readFileSync(join(folder, ".faultlane/manager.seed-1.json"), "utf8");
    writeFileSync(join(folder, "drifted.json"), text.replace('"act"', '"deed"'));
    expect((await faultlaneIn(folder, "why", "drifted.json")).code).toBe(3);
    const other = text.replace(/"digest":"[0-9a-f]+"/, `"digest":"${"0".repeat(64)}"`);
    writeFileSync(join(folder, "other.json"), other);
    const { code, err } = await faultlaneIn(folder, "why", "other.json");
    expect(code).toBe(3);
    expect(err).toContain("The digest differs");
  });
});
