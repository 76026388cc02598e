import { drain } from "../../sim/realm/drain.ts";
import { CONFIRMED_AT_ONCE, laneOf, shuffleInBlocks, type Work } from "../engine/work.ts";
import { invariant } from "../../src/invariant.ts";

/** What a peer is asked: hold each lane's order whatever comes first, settle in batches. */
export interface Tracker {
  /** The event exists; in order of its number. */
  track(id: number): void;
  /** The event may be settled, once all before it in its lane were. */
  complete(id: number): void;
  /** Called between two heartbeats; a peer that settles by itself does nothing here. */
  beat?(): Promise<void> | void;
  /** Called when everything is settled. */
  close?(): Promise<void> | void;
}

/** Takes batches as `advance` does, and knows whether each event came once and in order. */
export class Settled {
  count = 0;
  readonly #work: Work;
  readonly #newest: Int32Array;
  #isOrdered = true;

  constructor(work: Work) {
    this.#work = work;
    this.#newest = new Int32Array(work.lanes).fill(-1);
  }

  async advance(batch: readonly number[]): Promise<void> {
    for (const id of batch) {
      const lane = laneOf(id, this.#work.lanes);
      const due =
        this.#newest[lane] === -1 ? lane : (this.#newest[lane] as number) + this.#work.lanes;
      if (id !== due) this.#isOrdered = false;
      this.#newest[lane] = id;
    }
    this.count += batch.length;
  }

  verify(who: string): void {
    invariant(this.#isOrdered, `${who} settles out of order, or twice`);
    invariant(this.count === this.#work.events, `${who} settled ${this.count} events`);
  }
}

/**
 * Collects what one turn settles and hands it on lane by lane: what a user would put behind a queue
 * that settles one event at a time.
 */
export class LaneBatches {
  readonly #settled: Settled;
  readonly #lanes: number;
  #batches = new Map<number, number[]>();

  constructor(settled: Settled, lanes: number) {
    this.#settled = settled;
    this.#lanes = lanes;
  }

  add(id: number): void {
    const lane = laneOf(id, this.#lanes);
    const batch = this.#batches.get(lane);
    if (batch === undefined) this.#batches.set(lane, [id]);
    else batch.push(id);
  }

  async flush(): Promise<void> {
    const batches = this.#batches;
    if (batches.size === 0) return;
    this.#batches = new Map();
    for (const batch of batches.values()) await this.#settled.advance(batch);
  }
}

/** Hops that a peer gets at most after its last completion. */
const HOPS_MAX = 10_000;

/** Makes one run of a peer and checks it; returns nanoseconds per event. */
export async function runTracker(
  who: string,
  work: Work,
  now: () => number,
  create: (settled: Settled, work: Work) => Tracker | Promise<Tracker>,
): Promise<number> {
  const settled = new Settled(work);
  const completions = Int32Array.from({ length: work.events }, (_, id) => id);
  if (work.persisted === "shuffled") shuffleInBlocks(completions);
  const startedAt = now();
  const tracker = await create(settled, work);
  for (let id = 0; id < work.events; id += 1) tracker.track(id);
  await drain();
  for (let at = 0; at < completions.length; at += CONFIRMED_AT_ONCE) {
    for (const id of completions.subarray(at, at + CONFIRMED_AT_ONCE)) tracker.complete(id);
    await drain();
    await tracker.beat?.();
  }
  for (let hop = 0; settled.count < work.events; hop += 1) {
    invariant(hop < HOPS_MAX, `${who} holds back what is complete`);
    await drain();
    await tracker.beat?.();
  }
  const spentMs = now() - startedAt;
  await tracker.close?.();
  settled.verify(who);
  return (spentMs * 1e6) / work.events;
}
