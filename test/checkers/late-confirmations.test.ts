import { expect, test } from "vitest";
import { CheckerRunner, createCheckers, StreamFacts } from "../../sim/checkers/mod.ts";
import type { StreamEvent } from "../../sim/trace/trace.ts";

const KEY = '"orders"';
const SEQ = 5;
const TIMEOUT_MS = 10_000;

type Told = readonly [at: number, event: StreamEvent];

/** Two subscribers; one binds an event of each lane and leaves, the other goes on. */
function left(olderAt: number, youngerAt: number): readonly Told[] {
  const event = (at: number, copy: number): readonly Told[] => [
    [at, { kind: "emit", poll: 2, copy, ref: `r${copy}` }],
    [at, { kind: "fan-out", poll: 2, copy, lane: `l${copy}` }],
    [at, { kind: "deliver", sub: 1, copy }],
    [at, { kind: "yield", sub: 1, event: copy }],
    [at, { kind: "bind", sub: 1, event: copy, seq: SEQ + copy }],
    [at, { kind: "pull", sub: 1 }],
  ];
  return [
    [
      0,
      {
        kind: "manager",
        maxSubscriberQueue: 9,
        ackTimeoutMs: TIMEOUT_MS,
        graceMs: 0,
        strict: false,
      },
    ],
    [0, { kind: "subscribe", sub: 1, trigger: 7, key: KEY }],
    [0, { kind: "factory", key: KEY, poll: 2 }],
    [0, { kind: "open", key: KEY, poll: 2, ack: true }],
    [0, { kind: "pull", sub: 1 }],
    ...event(olderAt, 3),
    ...event(youngerAt, 4),
    [youngerAt, { kind: "subscribe", sub: 2, trigger: 8, key: KEY }],
    [youngerAt, { kind: "unsubscribe", sub: 1 }],
    [youngerAt, { kind: "unsubscribed", sub: 1 }],
  ];
}

function confirmed(at: number, copy: number): Told {
  return [at, { kind: "confirm", seqs: [SEQ + copy] }];
}

function advanced(at: number, copy: number, acked: 0 | 1): Told {
  const item = [copy, acked, 1 - acked, 0, acked === 1] as const;
  return [at, { kind: "advance", poll: 2, items: [item] }];
}

function brokenBy(...told: readonly Told[]): readonly string[] {
  const runner = new CheckerRunner(createCheckers(), new StreamFacts());
  for (const [at, event] of told) runner.observe({ at, host: "runner", ...event });
  return runner.violations.map(({ checker }) => checker).filter((id) => ["I3", "I9"].includes(id));
}

// Found by a fuzz of groups-wait-for-their-turn-to-stop: a scan fails all that a departed
// subscriber owes, and then the oldest of that is confirmed.
test("a young event of one who has left may have failed with an old one, also when that is confirmed then", () => {
  const told = [...left(1_000, 9_000), confirmed(11_500, 3)];
  expect(brokenBy(...told, confirmed(11_600, 4), advanced(11_700, 4, 0))).toEqual([]);
  expect(brokenBy(...told, confirmed(11_600, 4), advanced(11_700, 4, 1))).toEqual([]);
  expect(brokenBy(...told, advanced(11_700, 4, 0))).toEqual([]);
});

test("it has not failed where the old one was confirmed in time", () => {
  const told = [...left(1_000, 9_000), confirmed(10_500, 3)];
  expect(brokenBy(...told, confirmed(11_600, 4), advanced(11_700, 4, 1))).toEqual([]);
  expect(brokenBy(...told, confirmed(11_600, 4), advanced(11_700, 4, 0))).toEqual(["I3"]);
  expect(brokenBy(...told, advanced(11_700, 4, 0))).toEqual(["I9"]);
});
