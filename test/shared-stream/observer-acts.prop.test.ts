import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ForceFailure, SharedStreamObserver } from "../../src/shared-stream/mod.ts";
import { DONE, Stage, type Subscriber } from "./stage.ts";

const ACK_TIMEOUT_MS = 9_000;
const NAMES = ["e0", "e1", "e2"];

/** What the observer does about a subscriber that was force-failed: each id it unsubscribes. */
type Reaction = readonly number[];

interface Case {
  /** For each subscriber whether it visits what it gets; the others leave it queued. */
  readonly visits: readonly boolean[];
  readonly reaction: Reaction;
  readonly reason: ForceFailure["reason"];
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    visits: fc.array(fc.boolean(), { minLength: 2, maxLength: 5 }),
    reason: fc.constantFrom("overflow", "ackTimeout"),
  })
  .chain(({ visits, reason }) =>
    fc
      .uniqueArray(fc.integer({ min: 0, max: visits.length - 1 }), { minLength: 1 })
      .map((reaction) => ({ visits, reason, reaction }) as const),
  );

/** Plays a case: two events fit the queues, a third one does not; or time runs out. */
async function play({ visits, reaction, reason }: Case): Promise<{
  readonly stage: Stage;
  readonly subscribers: readonly Subscriber[];
  readonly failed: readonly ForceFailure[];
}> {
  const failed: ForceFailure[] = [];
  let subscribers: readonly Subscriber[] = [];
  const observer: SharedStreamObserver = {
    onForceFailed: (failure) => {
      failed.push(failure);
      for (const id of reaction) void subscribers[id]?.unsubscribe();
    },
  };
  const ackTimeout = { milliseconds: ACK_TIMEOUT_MS };
  const stage = new Stage({ observer, ackTimeout, maxSubscriberQueue: 2 });
  subscribers = visits.map((_, id) => stage.subscribe(id));
  await stage.opened();
  for (const [id, isVisiting] of visits.entries()) {
    if (isVisiting) void subscribers[id]?.stream.visit?.(() => undefined).catch(() => undefined);
  }
  await stage.emit(...(reason === "overflow" ? NAMES : NAMES.slice(0, 2)));
  if (reason === "ackTimeout") await stage.tick(2 * ACK_TIMEOUT_MS);
  return { stage, subscribers, failed };
}

/** Each event is advanced, once, and tells of each subscriber how it ended. */
function isAccountedFor(stage: Stage, subscribers: number, events: number): boolean {
  const { batches } = stage.producer;
  const names = batches.flat();
  return (
    names.length === events &&
    new Set(names).size === events &&
    NAMES.slice(0, events).every((name) => {
      const counts = stage.producer.out(name) ?? [];
      return counts.reduce((sum, count) => sum + count, 0) === subscribers;
    })
  );
}

async function assertAccounted(one: Case): Promise<void> {
  const { stage, subscribers, failed } = await play(one);
  const idle = one.visits.flatMap((isVisiting, id) => (isVisiting ? [] : [id]));
  const told = failed.map(({ triggerId }) => triggerId);
  expect(new Set(told).size).toBe(told.length);
  expect(idle).toEqual(expect.arrayContaining(told));
  // Whom the observer had taken out by then is not failed any more, and ends without an error.
  if (one.reason === "overflow" && idle.length > 0) {
    const [first] = idle;
    const spared = idle.filter((id) => id !== first && one.reaction.includes(id));
    expect(told).toEqual(idle.filter((id) => !spared.includes(id)));
  }
  if (idle.length > 0) {
    for (const id of one.reaction) {
      if (one.visits[id] === false) expect(await subscribers[id]?.pull()).toBe(DONE);
    }
  }
  await stage.manager.stopAll();
  await stage.settle();
  const events = one.reason === "overflow" ? 3 : 2;
  expect(isAccountedFor(stage, one.visits.length, events)).toBe(true);
}

test("for every observer that unsubscribes whom it likes when a subscriber is force-failed, each event is accounted for", async () => {
  await fc.assert(fc.asyncProperty(cases, assertAccounted));
});
