import { EventEmitter } from "node:events";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Emitter } from "../../sim/brokers/emitter.ts";

const EVENTS = ["message", "error", "close"];
const LISTENERS = ["a", "b", "c"];

const event = fc.constantFrom(...EVENTS);
const calls = fc.array(
  fc.oneof(
    fc.record({
      call: fc.constantFrom(
        ...(["on", "addListener", "once", "prependListener", "prependOnceListener"] as const),
        ...(["off", "removeListener"] as const),
      ),
      event,
      listener: fc.constantFrom(...LISTENERS),
    }),
    fc.record({ call: fc.constant("emit" as const), event, value: fc.nat(9) }),
    fc.record({
      call: fc.constant("removeAllListeners" as const),
      event: fc.option(event, { nil: undefined }),
    }),
    fc.record({
      call: fc.constant("setMaxListeners" as const),
      count: fc.integer({ min: 30, max: 50 }),
    }),
  ),
  { maxLength: 20 },
);
type Calls = typeof calls extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns what the calls show: which listeners were called with what, and who listens after each. */
function play(emitter: Emitter | EventEmitter, script: Calls): unknown {
  const seen: unknown[] = [];
  const called = new Map<unknown, string>();
  const listeners = new Map(
    LISTENERS.map((name) => {
      const listener = (...args: unknown[]): void => void seen.push([name, args]);
      called.set(listener, name);
      return [name, listener];
    }),
  );
  // Node throws what nobody listens for; the owners of the model's emitters decide that themselves.
  emitter.on("error", () => undefined);
  for (const one of script) {
    let result: unknown;
    if (one.call === "emit") result = emitter.emit(one.event, one.value, one.event);
    else if (one.call === "removeAllListeners") {
      if (one.event === undefined) emitter.removeAllListeners();
      else emitter.removeAllListeners(one.event);
    } else if (one.call === "setMaxListeners") emitter.setMaxListeners(one.count);
    else {
      const chained: unknown = emitter[one.call](one.event, listeners.get(one.listener) as never);
      result = chained === emitter;
    }
    if (emitter.listenerCount("error") === 0) emitter.on("error", () => undefined);
    const there = EVENTS.map((name) => [
      emitter.listenerCount(name),
      emitter.listeners(name).map((listener) => called.get(listener) ?? "another"),
    ]);
    const names = emitter.eventNames().map(String);
    seen.push([result, there, new Set(names), names.length, emitter.getMaxListeners()]);
  }
  return seen;
}

test("for every sequence of calls the models' emitter does what Node's does", () => {
  fc.assert(
    fc.property(calls, (script) => {
      expect(play(new Emitter(), script)).toEqual(play(new EventEmitter(), script));
    }),
    { numRuns: 300, seed: 1 },
  );
});

test("the owner of an emitter learns of each listener that comes, and of any that goes", () => {
  const told: string[] = [];
  const emitter = new Emitter({
    added: (name) => void told.push(`+${name} ${emitter.listenerCount(name)}`),
    removed: () => void told.push(`- ${emitter.listenerCount("message")}`),
  });
  const listener = (): void => undefined;
  emitter.on("message", listener).once("message", listener).prependListener("close", listener);
  emitter.emit("message");
  emitter.emit("message");
  emitter.off("message", listener);
  emitter.prependOnceListener("message", listener).removeAllListeners("message");
  expect(emitter.rawListeners("close")).toEqual([listener]);
  emitter.removeAllListeners();
  expect(told).toEqual([
    ...["+message 0", "+message 1", "+close 0", "- 1", "- 0", "+message 0", "- 0", "- 0"],
  ]);
});
