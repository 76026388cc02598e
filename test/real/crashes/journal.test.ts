import { expect, test } from "vitest";
import { brokenPromises, type Note, unexplainedCopies } from "./journal.ts";

const note = (kind: Note["kind"], who: string, ref?: string): Note =>
  ref === undefined ? { kind, who } : { kind, who, ref };
const NONE: ReadonlySet<string> = new Set();

test("brokenPromises() names an order that nobody received", () => {
  expect(brokenPromises(["a"], [note("broadcast", "producer", "a")], NONE)).toEqual(["a"]);
});

test("brokenPromises() names an order that one of its watchers never persisted", () => {
  const notes = [
    note("received", "first", "a"),
    note("received", "second", "a"),
    note("persisted", "first", "a"),
  ];
  expect(brokenPromises(["a"], notes, NONE)).toEqual(["a"]);
  const later = [note("received", "second", "a"), note("persisted", "second", "a")];
  expect(brokenPromises(["a"], [...notes, ...later], NONE)).toEqual([]);
});

test("brokenPromises() names a rejected order that is not among the dead letters", () => {
  const notes = [note("received", "first", "a"), note("rejected", "first", "a")];
  expect(brokenPromises(["a"], notes, NONE)).toEqual(["a"]);
  expect(brokenPromises(["a"], notes, new Set(["a"]))).toEqual([]);
});

test("brokenPromises() keeps what was persisted when the order comes again", () => {
  const notes = [
    note("received", "first", "a"),
    note("persisted", "first", "a"),
    note("received", "first", "a"),
  ];
  expect(brokenPromises(["a"], notes, NONE)).toEqual([]);
});

test("unexplainedCopies() names what was handed out twice with no disturbance in between", () => {
  const once = note("broadcast", "producer", "a");
  expect(unexplainedCopies([once, once])).toEqual(["a"]);
  expect(unexplainedCopies([once, note("killed", "server"), once])).toEqual([]);
});
