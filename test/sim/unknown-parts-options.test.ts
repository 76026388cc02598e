import { expect, test } from "vitest";
import { ReferenceSharedStreamManager, SeededChoices, VirtualClock, World } from "../../sim/mod.ts";

const clock = new VirtualClock();

test.each<readonly [string, (unknown: object) => unknown]>([
  ["World", (one) => new World(new SeededChoices(1), { keepTrace: true, ...one })],
  ["SeededChoices", (one) => new SeededChoices(1, { record: true, ...one })],
  ["ReferenceSharedStreamManager", (one) => new ReferenceSharedStreamManager({ clock, ...one })],
])("%s refuses an option that it does not know", (name, create) => {
  expect(create({})).toBeDefined();
  expect(() => create({ keepTraces: true })).toThrow(
    new RegExp(`Cannot use "keepTraces" as an option of ${name}`),
  );
});
