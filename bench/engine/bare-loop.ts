import { invariant } from "../../src/invariant.ts";
import type { Clock } from "../../src/time/mod.ts";
import { laneOf, type Work } from "./work.ts";

/** Four numbers an event: pending, confirmed, lane, next in its lane. */
const FIELDS = 4;

/**
 * The least that any ledger must touch, in one loop without a call: write each event's record,
 * count it down once a subscriber, and take it off its lane.
 */
export function runBareLoop(clock: Clock, work: Work): number {
  const { subscribers, lanes, events } = work;
  const records = new Int32Array(events * FIELDS);
  const tails = new Int32Array(lanes).fill(-1);
  const heads = new Int32Array(lanes).fill(-1);
  const order = new Int32Array(events);
  let advanced = 0;
  const startedAt = clock.now();
  for (let id = 0; id < events; id += 1) {
    const lane = laneOf(id, lanes);
    const tail = tails[lane] as number;
    records[id * FIELDS] = subscribers;
    records[id * FIELDS + 2] = lane;
    records[id * FIELDS + 3] = -1;
    if (tail === -1) heads[lane] = id;
    else records[tail * FIELDS + 3] = id;
    tails[lane] = id;
  }
  for (let id = 0; id < events; id += 1) {
    for (let at = 0; at < subscribers; at += 1) {
      records[id * FIELDS + 1] = (records[id * FIELDS + 1] as number) + 1;
      records[id * FIELDS] = (records[id * FIELDS] as number) - 1;
    }
    const lane = records[id * FIELDS + 2] as number;
    for (;;) {
      const head = heads[lane] as number;
      if (head === -1 || records[head * FIELDS] !== 0) break;
      order[advanced] = head;
      advanced += 1;
      heads[lane] = records[head * FIELDS + 3] as number;
    }
  }
  const spentMs = clock.now() - startedAt;
  invariant(advanced === events && order[0] === 0, "The bare loop takes every event off its lane");
  return spentMs;
}
