import { describe, expect, test } from "vitest";
import { producerStory } from "../../sim/story/producer-story.ts";
import { storyOf } from "../../sim/story/story.ts";
import { streamStory } from "../../sim/story/stream-story.ts";
import type { TraceBody, TraceEvent } from "../../sim/trace/trace.ts";

function traceOf(bodies: readonly TraceBody[]): readonly TraceEvent[] {
  return bodies.map((body, at) => ({ at, host: "broker", ...body }));
}

function published(count: number): readonly TraceEvent[] {
  return traceOf(
    Array.from({ length: count }, (_, n) => ({ kind: "published", ref: `r${n}`, key: "k" })),
  );
}

describe("storyOf()", () => {
  test("ends with the violation", () => {
    const story = storyOf(published(9), { at: 2, ref: undefined, detail: "it broke" }, () => 1);
    expect(story.map((line) => line.trim())).toEqual([
      "0.000 s  r0 is published (k)",
      "0.001 s  r1 is published (k)",
      "0.002 s  r2 is published (k)",
      "0.002 s  => it broke",
    ]);
  });

  test("says who has leased what an older claim settles", () => {
    const settle = { kind: "settle", ref: "a", consumer: "client/1", act: "ack" } as const;
    const trace = traceOf([
      { ...settle, handle: "a.1", refused: "", heldBy: "rival" },
      { ...settle, handle: "a.2", refused: "" },
      { ...settle, handle: "a.3", refused: "Gone" },
    ]);
    const story = storyOf(trace, { at: 9, ref: "a", detail: "it broke" }, () => 4);
    expect(story.map((line) => line.trim())).toEqual([
      "0.000 s  ack a.1, which rival has leased by now",
      "0.001 s  ack a.2",
      "0.002 s  ack a.3, refused: Gone",
      "0.009 s  => it broke",
    ]);
  });

  test("says what has settled a record, where that is no acknowledgement", () => {
    const trace = traceOf([
      { kind: "settled", ref: "a", consumer: "client/1", why: "it was trimmed" },
      { kind: "settled", ref: "b", consumer: "client/1" },
    ]);
    const story = storyOf(trace, { at: 9, ref: "a", detail: "it broke" }, () => 4);
    expect(story.map((line) => line.trim()).slice(0, 2)).toEqual([
      "0.000 s  the broker takes a for settled: it was trimmed",
      "0.001 s  the broker takes b for settled",
    ]);
  });

  test("says that a dead letter has no copy yet", () => {
    const trace = traceOf([{ kind: "on-leader-alone", ref: "a" }]);
    for (const story of [
      storyOf(trace, { at: 9, ref: "a", detail: "it broke" }, () => 4),
      producerStory(trace, { at: 9, ref: "a", detail: "it broke" }),
    ]) {
      expect(story.map((line) => line.trim())[0]).toBe(
        "0.000 s  the leader of a partition has the dead letter of a, and no follower yet",
      );
    }
  });

  test("says whether a dead letter is the broker's own", () => {
    const trace = traceOf([
      { kind: "dead-lettered", ref: "a", atLimit: true },
      { kind: "dead-lettered", ref: "b" },
    ]);
    const story = storyOf(trace, { at: 9, ref: "a", detail: "it broke" }, () => 4);
    expect(story.map((line) => line.trim()).slice(0, 2)).toEqual([
      "0.000 s  a has been delivered as often as it may, and is in the dead-letter queue",
      "0.001 s  b is in the dead-letter queue",
    ]);
  });

  test("leaves out what matters least, and of that the oldest", () => {
    const weightOf = ({ at }: TraceEvent): number => (at % 2 === 0 ? 4 : 0);
    const story = storyOf(published(16), { at: 100, ref: undefined, detail: "it broke" }, weightOf);
    expect(story).toHaveLength(15);
    expect(story.join("\n")).not.toMatch(/ r1 | r3 /);
    expect(story.join("\n")).toContain(" r5 ");
  });

  test("leaves out the middle of what matters most, and says how much", () => {
    const story = storyOf(published(100), { at: 100, ref: undefined, detail: "it broke" }, () => 4);
    expect(story).toHaveLength(15);
    expect(story[4]?.trim()).toBe("(87 more)");
    expect(story.at(-2)).toContain("r99");
  });

  test("names of a large batch the events that it is about", () => {
    const trace = traceOf([
      ...Array.from(
        { length: 6 },
        (_, n) => ({ kind: "emit", poll: 1, copy: n, ref: `r${n}` }) as const,
      ),
      {
        kind: "advance",
        poll: 1,
        items: Array.from({ length: 6 }, (_, n) => [n, 1, n % 2, 0, n % 2 === 0] as const),
      },
    ]);
    const story = storyOf(trace, { at: 9, ref: "r3", detail: "it broke" }, ({ kind }) =>
      kind === "advance" ? 4 : undefined,
    );
    expect(story.map((line) => line.trim())).toEqual([
      "0.006 s  advance gets [r3: 1 acked, 1 failed; 5 more]",
      "0.009 s  => it broke",
    ]);
  });
});

describe("streamStory()", () => {
  test("follows one record from its source to its settlement, and the subscribers that held it", () => {
    const trace = traceOf([
      { kind: "subscribe", sub: 1, trigger: 7, key: "k" },
      { kind: "subscribe", sub: 2, trigger: 8, key: "k" },
      { kind: "emit", poll: 1, copy: 1, ref: "a" },
      { kind: "emit", poll: 1, copy: 2, ref: "b" },
      { kind: "deliver", sub: 1, copy: 1 },
      { kind: "deliver", sub: 2, copy: 2 },
      { kind: "yield", sub: 1, event: 5 },
      { kind: "bind", sub: 1, event: 5, seq: 9 },
      { kind: "reject", sub: 2 },
      { kind: "pull", sub: 1 },
      { kind: "confirm", seqs: [9] },
      { kind: "advance", poll: 1, items: [[1, 1, 0, 0, true]] },
      { kind: "settled", ref: "a", consumer: "client/1" },
      { kind: "settled", ref: "b", consumer: "client/1" },
    ]);
    const violation = {
      checker: "I1",
      promise: "",
      at: 100,
      host: "broker",
      symptom: "wrong-ack",
      detail: "it broke",
      ref: "a",
      story: [],
    } as const;
    expect(streamStory(trace, violation).map((line) => line.trim().slice(9))).toEqual([
      "the stream yields a",
      "trigger 7 gets a",
      "trigger 7 derives trigger event 5",
      "trigger 7: bind gives seq 9",
      "trigger 7 asks for the next event",
      "confirmed: seq 9",
      "advance gets [a: 1 acked]",
      "the broker takes a for settled",
      "=> it broke",
    ]);
  });
});
