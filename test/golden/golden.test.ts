import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ReferenceSharedStreamManager } from "../../sim/reference/mod.ts";
import { SharedStreamManager } from "../../src/shared-stream/mod.ts";
import { type GoldenManagerFactory, type Mismatch, replay } from "./replay.ts";
import type { GoldenScript } from "./script.ts";

const DATA = new URL("../../../shared/conformance/shared-stream.golden.jsonl", import.meta.url);
const SCRIPTS = 160;

/**
 * Scripts in which ours may differ from the recorded run, with the reason. None does: bookkeeping by
 * subscription (E-06 to E-08) shows in no recorded script that joins an id anew.
 */
const DEVIATIONS: ReadonlyMap<string, string> = new Map();

function readScripts(): readonly GoldenScript[] {
  let text: string;
  try {
    text = readFileSync(DATA, "utf8");
  } catch {
    throw new Error(
      "Cannot find the golden scripts: expected ../shared/conformance/shared-stream.golden.jsonl beside the checkout",
    );
  }
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as GoldenScript);
}

const ours: GoldenManagerFactory = (clock, config) =>
  new SharedStreamManager({
    clock,
    maxSubscriberQueue: config.maxSubscriberQueue,
    ackTimeout: { seconds: config.ackTimeoutSeconds },
    cohortGracePeriod: { seconds: config.cohortGraceSeconds },
  });

const reference: GoldenManagerFactory = (clock, config) =>
  new ReferenceSharedStreamManager({
    clock,
    maxSubscriberQueue: config.maxSubscriberQueue,
    ackTimeout: { seconds: config.ackTimeoutSeconds },
    cohortGracePeriod: { seconds: config.cohortGraceSeconds },
  });

function textFrom({ script, step, op, expected, seen }: Mismatch): string {
  return [`${script}, step ${step}: ${op}`, "expected:", ...expected, "seen:", ...seen].join("\n  ");
}

async function mismatchesOf(createManager: GoldenManagerFactory): Promise<readonly string[]> {
  const mismatches: string[] = [];
  for (const script of readScripts()) {
    if (DEVIATIONS.has(script.name)) continue;
    const mismatch = await replay(script, createManager);
    if (mismatch !== undefined) mismatches.push(textFrom(mismatch));
  }
  return mismatches;
}

describe("the golden scripts of Airflow's own manager", () => {
  test(`there are ${SCRIPTS} of them`, () => {
    expect(readScripts()).toHaveLength(SCRIPTS);
  });

  test("match on our manager, step by step", async () => {
    expect(await mismatchesOf(ours)).toEqual([]);
  });

  test("match on the reference", async () => {
    expect(await mismatchesOf(reference)).toEqual([]);
  });

  test("the replay notices a manager that does otherwise", async () => {
    const forgetful: GoldenManagerFactory = (clock, config) => {
      const manager = ours(clock, config);
      return {
        subscribe: (s) => manager.subscribe(s),
        bindPendingEvent: (s) => manager.bindPendingEvent(s),
        confirmPersisted: () => undefined,
        unsubscribe: (s) => manager.unsubscribe(s),
        stopAll: () => manager.stopAll(),
        groupKeys: () => manager.groupKeys(),
      };
    };
    expect((await mismatchesOf(forgetful)).length).toBeGreaterThan(10);
  });
});
