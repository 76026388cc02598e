import { expect, test } from "vitest";
import { EventPage } from "../../src/shared-stream/ledger/event-page.ts";
import { Lanes } from "../../src/shared-stream/ledger/lanes.ts";

/** How many empty lanes are kept beside one for each that has events. */
const EMPTY_MAX = 16;

class Events {
  readonly lanes = new Lanes();
  readonly #page = new EventPage(0, { decrementPending: () => undefined });
  #next = 0;

  append(lane: string): number {
    const at = this.#next;
    this.#next += 1;
    this.lanes.append(this.#page, at, lane);
    return at;
  }

  /** Lets a lane come and go: its only event is resolved, taken and advanced. */
  pass(lane: string): void {
    this.lanes.markResolved(this.#page, this.append(lane));
    const queue = this.lanes.takeReady();
    expect(queue?.key).toBe(lane);
    if (queue !== undefined) this.lanes.markEmpty(queue);
  }
}

test("empty lanes are kept up to one for each that has events, and sixteen more", () => {
  const events = new Events();
  events.append("busy");
  for (let nth = 1; nth <= EMPTY_MAX + 2; nth += 1) {
    events.pass(`lane-${nth}`);
    expect(events.lanes.kept).toBe(1 + nth);
  }
  events.pass("one more");
  expect(events.lanes.kept).toBe(2);
});

test("a lane that has events stays itself when empty ones are dropped", () => {
  const events = new Events();
  const first = events.append("busy");
  for (let nth = 1; nth <= EMPTY_MAX + 3; nth += 1) events.pass(`lane-${nth}`);
  const second = events.append("busy");
  expect([events.lanes.live, second > first]).toEqual([1, true]);
});

test("when no lane has events any more, all are dropped that are too many", () => {
  const events = new Events();
  for (let nth = 1; nth <= EMPTY_MAX; nth += 1) events.pass(`lane-${nth}`);
  expect(events.lanes.kept).toBe(EMPTY_MAX);
  events.pass("one more");
  expect([events.lanes.kept, events.lanes.live]).toEqual([0, 0]);
});
