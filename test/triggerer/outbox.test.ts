import { expect, test } from "vitest";
import { TriggerEvent } from "../../src/triggerer/mod.ts";
import { Outbox } from "../../src/triggerer/outbox.ts";

function event(triggerId: number, seq: number | null = null) {
  return { triggerId, event: new TriggerEvent(`from ${triggerId}`), seq };
}

test("an empty outbox still has a request to send: the round is what the supervisor waits for", () => {
  const outbox = new Outbox("r");
  expect(outbox.nextRequest()).toEqual({
    runnerId: "r",
    round: 1,
    events: [],
    failures: [],
    finished: [],
  });
});

test("what was not answered is given out again, the very same; what comes in meanwhile waits", () => {
  const outbox = new Outbox("r");
  outbox.addEvent(event(1, 0));
  outbox.addFailure(2, "no error");
  outbox.addFinished(2);
  const first = outbox.nextRequest();
  expect(first.failures).toEqual([{ triggerId: 2, error: "string", message: "" }]);
  const copy = structuredClone(first);
  outbox.addEvent(event(1, 1));
  outbox.addFailure(3, new RangeError("too long"));
  outbox.addFinished(3);
  expect(outbox.nextRequest()).toBe(first);
  expect(structuredClone(first)).toEqual(copy);
  expect(outbox.acknowledge()).toEqual([2]);
  expect(outbox.nextRequest()).toEqual({
    runnerId: "r",
    round: 2,
    events: [event(1, 1)],
    failures: [{ triggerId: 3, error: "RangeError", message: "too long" }],
    finished: [3],
  });
});

test("acknowledge() without a request returns no trigger, and uses no round", () => {
  const outbox = new Outbox("r");
  expect(outbox.acknowledge()).toEqual([]);
  expect(outbox.nextRequest().round).toBe(1);
  expect(outbox.acknowledge()).toEqual([]);
  expect(outbox.acknowledge()).toEqual([]);
  expect(outbox.nextRequest().round).toBe(2);
});

test("dropEvents() takes out what waits, never what was sent", () => {
  const outbox = new Outbox("r");
  outbox.addEvent(event(1));
  const sent = outbox.nextRequest();
  outbox.addEvent(event(2));
  outbox.addEvent(event(3));
  outbox.dropEvents(({ triggerId }) => triggerId !== 3);
  expect(sent.events).toEqual([event(1)]);
  outbox.acknowledge();
  expect(outbox.nextRequest().events).toEqual([event(3)]);
});
