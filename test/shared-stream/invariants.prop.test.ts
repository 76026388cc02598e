import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ActScript, actScripts } from "./acts.ts";
import type { Run } from "./facts.ts";
import * as laws from "./laws.ts";
import type { Law } from "./laws.ts";
import { play } from "./player.ts";
import { Stage, type Subscriber } from "./stage.ts";

const RUNS_PER_LAW = 400;
const SEED = 20_331;

const FAMILIES: readonly (readonly [name: string, keys: readonly string[]])[] = [
  ["one key", ["k"]],
  ["two keys", ["k", "other"]],
];

const LAWS: readonly (readonly [name: string, law: Law])[] = [
  ["I1 a key is held exactly while its poll is alive", laws.keyIsHeldWhileThePollLives],
  ["I2 who must resolve an event is decided at its broadcast", laws.membersAreFrozenAtBroadcast],
  ["I3 each member is counted once, as the model counts it", laws.eachMemberIsCountedOnce],
  ["I4 acked is passed and persisted", laws.ackedIsPassedAndPersisted],
  ["I5 a lane advances in the order of its broadcasts, without a gap", laws.lanesAdvanceInOrder],
  ["I6 one advance at a time", laws.oneAdvanceAtATime],
  ["I7 a batch is the longest resolved prefix of one lane", laws.batchIsTheResolvedPrefix],
  ["I8 an event is advanced once", laws.eventIsAdvancedOnce],
  ["I9 nothing pending is advanced", laws.nothingPendingIsAdvanced],
  ["I10 I21 no resolved head waits at rest", laws.readyLanesAreServed],
  ["I11 nobody holds an event beyond the ack timeout and a scan", laws.eventsAgeOut],
  ["I12 a sibling's failure changes nothing", laws.siblingsAreLeftAlone],
  ["I13 a group's failure reaches everyone once", laws.failureReachesEveryoneOnce],
  ["I14 a producer is closed once, at the end", laws.producerIsClosedOnceAtTheEnd],
  ["I15 a stop settles what is resolved", laws.stopSettlesWhatIsResolved],
  ["I16 sequence numbers are drawn by binds alone", laws.seqsAreCounted],
  ["I17 a confirmation that nobody waits for is ignored", laws.strangeConfirmationsAreIgnored],
  ["I18 who was force-failed is out", laws.forceFailedIsOut],
  ["I20 the producer is the first subscriber's, made once", laws.producerIsTheFirstOnes],
  ["I22 nothing is left in the books", laws.booksAreGarbageFree],
  ["I23 with strictPersistence clean is persisted", laws.cleanIsPersisted],
  ["I24 after an advance raised there is no other", laws.raisedAdvanceIsTheLast],
];

describe.for(FAMILIES)("for every script over %s", ([, keys]) => {
  test.for(LAWS.map(([name, law], at) => [name, law, at] as const))("%s", async ([, law, at]) => {
    // Each law has scripts of its own: what one of them does not come across, another does.
    await fc.assert(
      fc.asyncProperty(actScripts(keys), async (script) => {
        expect(law(await play(script))).toEqual([]);
      }),
      { numRuns: RUNS_PER_LAW, seed: SEED + at },
    );
  });
});

/** What a subscriber of each slot saw, with one kind of trigger. */
async function seenBy(trigger: "trigger" | "fastTrigger", script: ActScript): Promise<unknown> {
  const { queueMax } = script.policy;
  const stage = new Stage({ maxSubscriberQueue: queueMax, ackTimeout: { days: 1 } });
  const [present, all] = [new Map<number, Subscriber>(), new Array<Subscriber>()];
  for (const { act } of script.steps) {
    if (act.op === "subscribe" && !present.has(act.slot)) {
      const subscriber = stage.subscribe(act.slot, "k", stage[trigger]);
      present.set(act.slot, subscriber);
      all.push(subscriber);
    } else if (act.op === "ask") present.get(act.slot)?.ask();
    else if (act.op === "unsubscribe") {
      await present.get(act.slot)?.leave();
      present.delete(act.slot);
    } else if (act.op === "emit") stage.producers.at(-1)?.emit(...act.lanes);
    else if (act.op === "end") stage.producers.at(-1)?.fail(new Error(act.how));
    await stage.settle();
  }
  return all.map(({ seen }) => seen.map((one) => (one instanceof Error ? one.message : one)));
}

test("I19 for every script a filter sees the same in both modes", async () => {
  await fc.assert(
    fc.asyncProperty(actScripts(["k"]), async (script) => {
      expect(await seenBy("trigger", script)).toEqual(await seenBy("fastTrigger", script));
    }),
    { numRuns: RUNS_PER_LAW, seed: SEED },
  );
});

test("each promise, I1 to I24, has a law", () => {
  const named = [...LAWS.map(([name]) => name), "I19"].flatMap((name) => name.match(/I\d+/g) ?? []);
  const all = Array.from({ length: 24 }, (_, at) => `I${at + 1}`);
  expect(all.filter((name) => !named.includes(name))).toEqual([]);
});

/** What the scripts must come across, or the laws would hold of too little. */
const SIGHTS: readonly string[] = [
  ...["forceFailed overflow", "forceFailed ackTimeout", "bound", "not bound", "stopped"],
  ...["confirmed", "confirmed in vain", "settled", "not settled"],
  ...["died advance failed", "died AbortError", "died poll failed", "died lane failed"],
  ...["died PollTerminated", "batch of 3", "item 0,0,0", "clean 1,0,0", "clean 2,0,0"],
  ...["item 1,1,0", "item 1,0,1", "item 0,1,1", "item 0,2,0", "clean strictly"],
];

function sightsIn({ facts, isStrict }: Run): readonly string[] {
  return facts.flatMap((fact) => {
    if (fact.kind === "forceFailed") return [`forceFailed ${fact.reason}`];
    if (fact.kind === "bound") return [fact.seq === null ? "not bound" : "bound"];
    if (fact.kind === "confirmed") return [fact.isAwaited ? "confirmed" : "confirmed in vain"];
    if (fact.kind === "settled") return [fact.isOk ? "settled" : "not settled"];
    if (fact.kind === "died") return [`died ${fact.name}`];
    if (fact.kind !== "advanced") return [fact.kind];
    const items = fact.items.flatMap(({ counts, isClean }) => [
      `${isClean ? "clean" : "item"} ${counts.join()}`,
      ...(isClean && isStrict ? ["clean strictly"] : []),
    ]);
    return [...items, `batch of ${fact.items.length}`];
  });
}

test("the scripts come across every kind of failure, outcome and batch", async () => {
  const sights = new Set<string>();
  for (const [, keys] of FAMILIES) {
    for (const script of fc.sample(actScripts(keys), { numRuns: RUNS_PER_LAW, seed: SEED })) {
      for (const sight of sightsIn(await play(script))) sights.add(sight);
    }
  }
  expect(SIGHTS.filter((sight) => !sights.has(sight))).toEqual([]);
});
