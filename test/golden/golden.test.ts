import { describe, expect, it } from "vitest";
import { createOurs, createReference } from "./managers.ts";
import { readGoldenScripts } from "./read-golden-scripts.ts";
import { replay, textFromMismatch } from "./replay.ts";
import { linesFrom } from "./script.ts";
import type { StagedManagerFactory } from "./stage.ts";

const SCRIPTS = 160;

/**
 * Scripts in which ours may differ from what Airflow's manager showed, each with the reason. Only
 * a script that resubscribes an id may be here (E-06 to E-08). None differs: in no recorded
 * run does a new subscription pay for what the old one of its id still owed.
 */
const DEVIATIONS: ReadonlyMap<string, string> = new Map();

/** The mismatches by script name, worded for people. */
async function mismatchesOf(
  createManager: StagedManagerFactory,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const script of readGoldenScripts()) {
    const mismatch = await replay(script, createManager);
    if (mismatch !== undefined) texts.set(script.name, textFromMismatch(mismatch));
  }
  return texts;
}

describe("the golden scripts", () => {
  it(`are ${SCRIPTS}, each with a name of its own`, () => {
    const names = readGoldenScripts().map(({ name }) => name);
    expect(names).toHaveLength(SCRIPTS);
    expect(new Set(names).size).toBe(SCRIPTS);
  });

  it("are all shown by the reference", async () => {
    expect([...(await mismatchesOf(createReference)).values()].join("\n\n")).toBe("");
  });

  it("are shown by ours, but for the deviations listed here", async () => {
    const mismatches = await mismatchesOf(createOurs);
    const unlisted = [...mismatches].filter(([name]) => !DEVIATIONS.has(name));
    expect(unlisted.map(([, text]) => text).join("\n\n")).toBe("");
    expect([...mismatches.keys()].toSorted()).toEqual([...DEVIATIONS.keys()].toSorted());
  });

  it("may only be deviated from where an id subscribes again", () => {
    const resubscribing = readGoldenScripts().filter(({ resubscribes }) => resubscribes);
    const names = new Set(resubscribing.map(({ name }) => name));
    expect([...DEVIATIONS.keys()].filter((name) => !names.has(name))).toEqual([]);
  });
});

describe("readGoldenScripts()", () => {
  it("says in one sentence what it expected where", () => {
    expect(() => readGoldenScripts("test/golden/elsewhere.jsonl")).toThrow(
      'Cannot read the golden scripts: "test/golden/elsewhere.jsonl", seen from the top of the repository, is missing',
    );
  });
});

/** Managers that are wrong in one thing each; the replay must notice. */
const WRONG: readonly (readonly [what: string, create: StagedManagerFactory])[] = [
  ["forgets confirmations", (...given) => spoiled(given, { confirmPersisted: () => undefined })],
  ["never binds", (...given) => spoiled(given, { bindPendingEvent: () => null })],
  ["stays subscribed", (...given) => spoiled(given, { unsubscribe: () => Promise.resolve() })],
  ["does not stop", (...given) => spoiled(given, { stopAll: () => Promise.resolve() })],
  ["hides its groups", (...given) => spoiled(given, { groupKeys: () => [] })],
  ["waits too long", (clock, config) => createOurs(clock, { ...config, ackTimeoutSeconds: 11 })],
  [
    "queues one more",
    (clock, config) =>
      createOurs(clock, { ...config, maxSubscriberQueue: config.maxSubscriberQueue + 1 }),
  ],
  ["has no grace", (clock, config) => createOurs(clock, { ...config, cohortGraceSeconds: 0 })],
];

function spoiled(
  [clock, config]: Parameters<StagedManagerFactory>,
  wrong: Partial<ReturnType<StagedManagerFactory>>,
): ReturnType<StagedManagerFactory> {
  const manager = createOurs(clock, config);
  return {
    subscribe: (s) => manager.subscribe(s),
    bindPendingEvent: (s) => manager.bindPendingEvent(s),
    confirmPersisted: (seqs) => manager.confirmPersisted(seqs),
    unsubscribe: (s) => manager.unsubscribe(s),
    stopAll: () => manager.stopAll(),
    groupKeys: () => manager.groupKeys(),
    ...wrong,
  };
}

describe("the replay", () => {
  it.each(WRONG)("notices a manager that %s", async (_, createManager) => {
    expect((await mismatchesOf(createManager)).size).toBeGreaterThan(0);
  });

  it("names the script, the step, its op, and what was expected and seen", () => {
    const script = {
      name: "two-steps",
      config: { maxSubscriberQueue: 2, ackTimeoutSeconds: 10, cohortGraceSeconds: 0 },
      steps: [
        { op: "subscribe", id: 1, key: "ack-a" },
        { op: "produce", key: "ack-a", items: [{ raw: 7, lane: "p0" }] },
      ],
    };
    const expected = linesFrom([["event", 1, "ack-a", 7]], ["ack-a"]);
    const seen = linesFrom([["error", 1, "ack-a", "overflow"]], ["ack-a"]);
    expect(textFromMismatch({ script, at: 1, expected, seen })).toBe(`\
two-steps differs after step 1 of 2:
    0: subscribe id 1 key "ack-a"
  > 1: produce key "ack-a" items [{"raw":7,"lane":"p0"}]
  - expected subscriber 1 of "ack-a": event 7
  + seen     subscriber 1 of "ack-a": error "overflow"
    both     groups: ack-a`);
  });
});

describe("linesFrom()", () => {
  it("keeps the order of one subscriber and of one lane, and no other", () => {
    const first = ["advance", "ack-a", "p0", [[1, 1, 0, 0, true]]] as const;
    const second = ["advance", "ack-a", "p0", [[2, 1, 0, 0, true]]] as const;
    const both = ["advance", "ack-a", "p0", [...first[3], ...second[3]]] as const;
    const event = ["event", 1, "ack-a", 1] as const;
    const error = ["error", 1, "ack-a", "overflow"] as const;
    const lines = linesFrom([event, first, error, second], ["fast", "ack-a"]);
    expect(linesFrom([both, event, error], ["ack-a", "fast"])).toEqual(lines);
    expect(linesFrom([first, second, error, event], ["ack-a", "fast"])).not.toEqual(lines);
    expect(linesFrom([event, error, second, first], ["ack-a", "fast"])).not.toEqual(lines);
  });
});
