import * as fc from "fast-check";
import type { Script, ScriptItem, ScriptStep } from "../golden/script.ts";

/** What a family of scripts may do; what it may not do, its user says why. */
export interface ScriptFamily {
  readonly keys: readonly string[];
  readonly lanes: readonly string[];
  /** How many items a producer may yield in one step. */
  readonly burstMax: number;
  /** Whether `advance` may raise and block. */
  readonly hasFailingAdvance: boolean;
  /** Whether `stopAll` may come. */
  readonly hasStopAll: boolean;
}

/** Subscribers of one key at a time. */
const SLOTS = 4;
const STEPS_MAX = 80;

/**
 * One thing that a script wants to do. It speaks of slots, not of trigger ids: which id is in a
 * slot turns up when the intents are made into steps.
 */
interface Intent {
  readonly op: string;
  readonly slot: number;
  readonly key: string;
  readonly items: readonly string[];
  /** Which of the binds so far, counted from the newest. */
  readonly binds: readonly number[];
  readonly mode: "ok" | "raise" | "block";
  readonly with: "ok" | "raise";
  readonly on: boolean;
  readonly seconds: number;
}

/** Scripts of a family: mostly the traffic of well-behaved subscribers, now and then a fault. */
export function scriptOf(family: ScriptFamily): fc.Arbitrary<Script> {
  const config = fc.record({
    maxSubscriberQueue: fc.constantFrom(2, 3, 8, 0),
    ackTimeoutSeconds: fc.constantFrom(10, 4, 1),
    cohortGraceSeconds: fc.constantFrom(0, 0, 2),
  });
  const intents = fc.array(intentOf(family), { maxLength: STEPS_MAX, size: "max" });
  return fc.record({ config, intents }).map(({ config, intents }) => ({
    name: "A generated script",
    config,
    steps: stepsFrom(intents),
  }));
}

function intentOf(family: ScriptFamily): fc.Arbitrary<Intent> {
  const lane = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...family.lanes) },
    { weight: 1, arbitrary: fc.constant("boom") },
  );
  return fc.record({
    op: fc.oneof(...weightedOps(family)),
    slot: fc.integer({ min: 1, max: SLOTS }),
    key: fc.constantFrom(...family.keys),
    items: fc.array(lane, { minLength: 1, maxLength: family.burstMax, size: "max" }),
    binds: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 6, size: "max" }),
    mode: fc.constantFrom("ok", "raise", "block"),
    with: fc.constantFrom("ok", "raise"),
    on: fc.boolean(),
    seconds: fc.constantFrom(1, 3, 5, 10, 11, 12),
  });
}

function weightedOps(family: ScriptFamily): fc.WeightedArbitrary<string>[] {
  const weights: readonly (readonly [op: string, weight: number])[] = [
    ["pull", 30],
    ["produce", 24],
    ["subscribe", 12],
    ["bind", 12],
    ["confirm", 12],
    ["tick", 6],
    ["unsubscribe", 5],
    ["reject", 6],
    ["mode", family.hasFailingAdvance ? 6 : 0],
    ["release", family.hasFailingAdvance ? 8 : 0],
    ["stopAll", family.hasStopAll ? 1 : 0],
    ["pollFail", 1],
    ["pollEnd", 1],
    ["factoryFail", 1],
  ];
  return weights
    .filter(([, weight]) => weight > 0)
    .map(([op, weight]) => ({ weight, arbitrary: fc.constant(op) }));
}

/**
 * The steps that a list of intents comes to.
 *
 * Holds:
 * - whoever joins a key gets an id that was never there before, and has left its old place first;
 * - nobody rejects after it has left;
 * - the i-th item of a script is the raw event i.
 */
function stepsFrom(intents: readonly Intent[]): readonly ScriptStep[] {
  const steps: ScriptStep[] = [];
  const present = new Map<string, number>();
  const joined = new Map<string, number>();
  let raw = 0;
  let bindCount = 0;
  for (const { op, slot, key, ...wanted } of intents) {
    const place = `${slot} of ${key}`;
    const id = present.get(place) ?? slot;
    switch (op) {
      case "subscribe": {
        if (present.has(place)) break;
        const freshId = slot + SLOTS * (joined.get(place) ?? 0);
        joined.set(place, (joined.get(place) ?? 0) + 1);
        present.set(place, freshId);
        steps.push({ op, id: freshId, key });
        break;
      }
      case "unsubscribe":
        steps.push({ op, id, key });
        present.delete(place);
        break;
      case "reject":
        if (present.has(place)) steps.push({ op, id, key });
        break;
      case "pull":
        steps.push({ op, id, key });
        break;
      case "bind":
        steps.push({ op, id, key });
        bindCount += 1;
        break;
      case "confirm": {
        const known = wanted.binds.filter((back) => back < bindCount);
        steps.push({ op, binds: known.map((back) => bindCount - 1 - back) });
        break;
      }
      case "produce": {
        const items = wanted.items.map((lane): ScriptItem => ({ raw: ++raw, lane }));
        steps.push({ op, key, items });
        break;
      }
      case "mode":
        steps.push({ op, key, mode: wanted.mode });
        break;
      case "release":
        steps.push({ op, key, with: wanted.with });
        break;
      case "factoryFail":
        steps.push({ op, key, on: wanted.on });
        break;
      case "tick":
        steps.push({ op, seconds: wanted.seconds });
        break;
      default:
        steps.push({ op, key });
    }
  }
  return steps;
}
