import { describe, expect, test } from "vitest";
import { CalmChoices } from "../../sim/choices/choices.ts";
import { Host } from "../../sim/hosts/host.ts";
import { Network } from "../../sim/hosts/network.ts";
import { observerOf } from "../../sim/hosts/traced-failures.ts";
import { TraceIds } from "../../sim/hosts/trace-ids.ts";
import { World } from "../../sim/kernel/world.ts";
import { AckTimeout, type ForceFailure, SubscriberOverflow } from "../../src/shared-stream/mod.ts";

/** What is traced of a failure. */
async function traced(failure: ForceFailure): Promise<unknown> {
  const world = new World(new CalmChoices(), { keepTrace: true });
  const host = new Host(world, new Network<Host>(world), "runner", (life) => {
    observerOf(life, new TraceIds()).onForceFailed?.(failure);
  });
  host.start();
  await world.run(1_000);
  return world.trace.events().find(({ kind }) => kind === "force-failed");
}

/** Trigger 1 has not resolved event 4 in time; its error says this. */
function timeout(triggerId: number, eventId: number): Promise<unknown> {
  const error = new AckTimeout("k", triggerId, eventId, 1_000);
  return traced({ reason: "ackTimeout", key: "k", triggerId: 1, eventId: 4, error });
}

/** The queue of trigger 1 was full; its error says this. */
function overflow(triggerId: number): Promise<unknown> {
  const error = new SubscriberOverflow("k", triggerId, 8);
  return traced({ reason: "overflow", key: "k", triggerId: 1, eventId: 4, error });
}

describe("what is traced of a subscriber that a manager fails", () => {
  const base = { kind: "force-failed", trigger: 1, failure: 1 };

  test("is no more than that where its error says the same", async () => {
    expect(await timeout(1, 4)).toMatchObject({ ...base, reason: "ackTimeout" });
    expect(await timeout(1, 4)).not.toHaveProperty("saysOther");
    expect(await overflow(1)).toMatchObject({ ...base, reason: "overflow" });
    expect(await overflow(1)).not.toHaveProperty("saysOther");
  });

  test("is no more than that where its error says nothing", async () => {
    const error = new Error("too late") as AckTimeout;
    const failure = { key: "k", triggerId: 1, eventId: 4, error };
    expect(await traced({ reason: "ackTimeout", ...failure })).not.toHaveProperty("saysOther");
  });

  test("is also what else its error says", async () => {
    expect(await timeout(2, 4)).toMatchObject({ saysOther: "trigger 2 and event 4" });
    expect(await timeout(1, 5)).toMatchObject({ saysOther: "trigger 1 and event 5" });
    expect(await overflow(2)).toMatchObject({ saysOther: "trigger 2" });
  });
});
