import type { SharedStreamTrigger, StreamKey } from "../../src/shared-stream/mod.ts";
import type { ChoiceStream } from "../choices/choices.ts";
import type { Life } from "../hosts/life.ts";
import type { TracedManager } from "../hosts/traced-manager.ts";
import type { TraceIds } from "../hosts/trace-ids.ts";
import type { TracedStream } from "../hosts/traced-stream.ts";
import type { HostileClientSpec } from "./hostile-client-spec.ts";
import { BUSY_STOP_OPTIONS, BUSY_STOP_QUESTION, BusyStops } from "./busy-stops.ts";
import { HostileFilter, type HostileSubscription } from "./hostile-filter.ts";
import { FILTER_OPTIONS, NO_OR_YES, oneIn } from "./hostile-filter-words.ts";
import type { CLIENT_MARKS } from "./marks.ts";
import { rawEventsOf } from "./raw-events.ts";
import {
  type ControlledEvent,
  ControlledProducer,
  createProducerControls,
  SOURCE_ENDS,
  type ProducerControls,
  LONG_MS,
  SLOW_MS,
} from "./controlled-producer.ts";

/** The labels of the choices that the client makes once in each act. */
const ACT_QUESTIONS = { key: "key", act: "act", pause: "pause" } as const;

/** All these labels: the n-th choice with such a label belongs to the n-th act. */
export const ACT_LABELS: readonly string[] = [...Object.values(ACT_QUESTIONS), BUSY_STOP_QUESTION];

/**
 * Pauses between acts in milliseconds, calm first; some outlast any ack timeout of the scenario.
 */
const PAUSE_MS = [0, 0, 1, 10, 100, 400, 1_000, 3_000] as const;
/** What each option of an act is, in words. */
const ACT_WORDS: readonly string[] = [
  ...Array.from({ length: 5 }, () => "publishes events"),
  ...Array.from({ length: 3 }, () => "subscribes a trigger"),
  ...Array.from({ length: 2 }, () => "unsubscribes a trigger"),
  "stops the manager now and then",
  "binds or rejects whether or not an event is open",
  "ends the source",
  "decides how advance ends from now on",
  "decides what fails from now on",
];
/** How `advance` ends from now on. */
const ADVANCE_MODES = ["ok", "slow", "slow", "throws", "throws-oddly"] as const;
/** What fails from now on, by option. */
const FAILING: readonly string[] = ["nothing", "the lane hook", "the factory", "aclose"];

const BURST_MAX = 5;
/** One lane in so many cannot be a key, and so on. */
const UNKEYABLE_ONE_IN = 60;
const LEAVES_ONE_IN = 12;
const TWO_STREAMS_ONE_IN = 8;

const SOURCE_QUESTION = "how the source ends when told to";

/** The options of the client's choices in words, by label, where a number says little. */
export const CLIENT_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  [ACT_QUESTIONS.act, ACT_WORDS],
  ["advance", ADVANCE_MODES],
  ["what fails", FAILING],
  ["how the source ends", ["throws", "returns"]],
  ["stop all", ["publishes events instead", "publishes events instead", "stops the manager"]],
  ["join after stop", NO_OR_YES],
  ["leave in the same turn", oneIn(LEAVES_ONE_IN)],
  ["two streams", oneIn(TWO_STREAMS_ONE_IN)],
  ["unkeyable lane", oneIn(UNKEYABLE_ONE_IN)],
  ["meddle how", ["binds", "rejects"]],
  [
    "after leaving",
    ["does no more", "joins in the same turn", "joins some turns later", "all others leave, too"],
  ],
  [
    "burst",
    Array.from({ length: BURST_MAX }, (_, at) => (at === 0 ? "1 event" : `${at + 1} events`)),
  ],
  [SOURCE_QUESTION, SOURCE_ENDS],
  [ACT_QUESTIONS.pause, PAUSE_MS.map((ms) => `${ms} ms`)],
  ...FILTER_OPTIONS,
  ...BUSY_STOP_OPTIONS,
]);

/**
 * A client that does to a manager, at random, all that its face allows: joins and leaves in any
 * turn, stalls, confirms late, twice, out of order or never, rejects before and after it fires,
 * fails the source, the lane hook, the factory and the advance, and stops everything at once.
 */
export class HostileClient {
  readonly #life: Life;
  readonly #manager: TracedManager;
  readonly #scenario: HostileClientSpec;
  readonly #choice: ChoiceStream;
  /** Apart, so that what a client does is the same whether or not its sources end badly. */
  readonly #sourceChoice: ChoiceStream;
  readonly #controls: ProducerControls[];
  readonly #filter: HostileFilter;
  readonly #busyStops: BusyStops | undefined;
  readonly #active: HostileSubscription[] = [];
  #acts = 0;
  #refs = 0;

  constructor(life: Life, manager: TracedManager, ids: TraceIds, scenario: HostileClientSpec) {
    this.#life = life;
    this.#manager = manager;
    this.#scenario = scenario;
    this.#choice = life.choices("workload");
    this.#sourceChoice = life.world.choices.stream("workload", `${life.name} sources`);
    this.#controls = Array.from({ length: scenario.keys }, () => createProducerControls());
    this.#filter = new HostileFilter({
      life,
      manager,
      ids,
      scenario,
      choice: this.#choice,
      port: {
        leave: (subscription) => this.#leave(subscription),
        leaveSome: (key) => this.#leaveSome(key),
        join: (key) => this.#join(key),
        stopAll: () => void manager.stopAll(),
      },
    });
    if (scenario.hostile.busyStops) this.#busyStops = this.#createBusyStops();
  }

  #createBusyStops(): BusyStops {
    return new BusyStops(this.#life, this.#controls, {
      join: (key) => this.#join(key),
      emit: (key) => this.#emit(key),
      leaveAll: (key) => {
        for (const one of this.#active.filter((other) => other.key === key)) this.#leave(one);
      },
      stopAll: () => void this.#manager.stopAll(),
      later: (fn) => void this.#filter.later(fn),
    });
  }

  /** Performs its acts with random pauses in between; calls `done` when they are finished. */
  start(done: () => void): void {
    const step = (): void => {
      if (this.#acts >= this.#scenario.operations) {
        done();
        return;
      }
      this.#acts += 1;
      this.#act();
      this.#life.after(PAUSE_MS[this.#pick(PAUSE_MS.length, ACT_QUESTIONS.pause)] as number, step);
    };
    step();
  }

  /** How many of its acts it has begun. */
  get acts(): number {
    return this.#acts;
  }

  /** From now on the client behaves: everything succeeds, and no subscriber stalls. */
  calmDown(): void {
    this.#busyStops?.calmDown();
    for (const controls of this.#controls) {
      controls.factoryThrows = false;
      controls.laneThrows = false;
      controls.advance = "ok";
    }
  }

  #sometimes(mark: (typeof CLIENT_MARKS)[number]): void {
    this.#life.world.trace.sometimes(mark);
  }

  #pick(n: number, label: string): number {
    return this.#choice.choose(n, label);
  }

  /** True once in so many times: with the last option. */
  #strikes(oneInTimes: number, label: string): boolean {
    return this.#pick(oneInTimes, label) === oneInTimes - 1;
  }

  #act(): void {
    const { hostile } = this.#scenario;
    const key = this.#pick(this.#scenario.keys, ACT_QUESTIONS.key);
    const act = this.#pick(hostile.failures ? 15 : 12, ACT_QUESTIONS.act);
    if (this.#busyStops?.sometimes() === true) return;
    if (act < 5) this.#emit(key);
    else if (act < 8) this.#join(key);
    else if (act < 10) this.#leaveSome(key);
    else if (act === 10) this.#stopAllSometimes(key);
    else if (act === 11) this.#meddle(key);
    else if (act === 12) this.#endSource(key);
    else this.#turn(key, act);
  }

  #emit(key: number): void {
    const { hostile, lanes } = this.#scenario;
    const size = hostile.bursts ? 1 + this.#pick(BURST_MAX, "burst") : 1;
    const items: ControlledEvent[] = [];
    for (let at = 0; at < size; at += 1) {
      this.#refs += 1;
      const lane = this.#pick(lanes, "lane");
      const ref = `k${key}/${lane}#${this.#refs}`;
      // One lane is the one of a producer that names none.
      items.push({ ref, lane: lanes === 1 ? undefined : ["lane", lane] });
    }
    if (hostile.failures && this.#strikes(UNKEYABLE_ONE_IN, "unkeyable lane")) {
      items.push({ ref: `k${key}/unkeyable#${this.#refs}`, lane: { unkeyable: true } });
    }
    this.#controls[key]?.producer?.emit(items);
  }

  #join(key: number): void {
    // Whoever calls may be a filter: what starts here must not inherit its window.
    this.#manager.clearAmbientWindow();
    const subscription = this.#subscribe(key);
    if (subscription === undefined) return;
    const other = this.#otherStream(key);
    if (other === undefined) void this.#filter.drive(subscription);
    else void this.#filter.driveTwo([subscription, other]);
    this.#manager.clearAmbientWindow();
    if (this.#scenario.hostile.sameTurn && this.#strikes(LEAVES_ONE_IN, "leave in the same turn")) {
      this.#leave(subscription);
    }
  }

  /** A second stream for the task of the first, now and then. */
  #otherStream(key: number): HostileSubscription | undefined {
    const { filter, keys } = this.#scenario;
    if (filter.form === "async" || keys === 1) return undefined;
    if (!this.#strikes(TWO_STREAMS_ONE_IN, "two streams")) return undefined;
    return this.#subscribe((key + 1) % keys);
  }

  #subscribe(key: number): HostileSubscription | undefined {
    const triggerId = 1 + this.#pick(this.#scenario.triggers, "trigger");
    if (this.#active.some((one) => one.triggerId === triggerId && one.key === key))
      return undefined;
    const trigger = this.#trigger(key);
    const streamKey = keyOf(key);
    let stream: TracedStream;
    try {
      stream = this.#manager.subscribe({
        triggerId,
        trigger,
        key: streamKey,
      }) as TracedStream;
    } catch (error) {
      this.#life.world.fail(error);
      return undefined;
    }
    const subscription = { triggerId, key, stream, isOver: false };
    this.#active.push(subscription);
    return subscription;
  }

  #leaveSome(key: number): void {
    const here = this.#active.filter((one) => one.key === key);
    const leaver = here[this.#pick(Math.max(1, here.length), "leaver")];
    if (leaver === undefined) return;
    this.#leave(leaver);
    if (!this.#scenario.hostile.sameTurn) return;
    const after = this.#pick(4, "after leaving");
    if (after === 1) {
      this.#sometimes("the client joined in the turn in which it left");
      this.#join(key);
    }
    if (after === 2) void this.#filter.later(() => this.#join(key));
    if (after === 3) for (const other of here) if (other !== leaver) this.#leave(other);
  }

  #stopAllSometimes(key: number): void {
    if (!this.#scenario.hostile.stopAll || this.#pick(3, "stop all") < 2) {
      this.#emit(key);
      return;
    }
    void this.#manager.stopAll();
    const leavers = [...this.#active];
    void this.#filter.later(() => {
      for (const one of leavers) this.#leave(one);
      if (this.#pick(2, "join after stop") === 1) this.#join(key);
    });
  }

  /** Binds or rejects for a random subscription, whether or not it has an open event. */
  #meddle(key: number): void {
    const here = this.#active.filter((one) => one.key === key);
    const one = here[this.#pick(Math.max(1, here.length), "meddle with")];
    if (one === undefined) return;
    if (this.#pick(2, "meddle how") === 0) this.#filter.fire(one);
    else one.stream.reject();
  }

  #endSource(key: number): void {
    const how = this.#pick(2, "how the source ends") === 0 ? "throws" : "returns";
    this.#controls[key]?.producer?.end(how);
    if (this.#scenario.hostile.sameTurn) void this.#filter.later(() => this.#join(key));
  }

  #turn(key: number, act: number): void {
    const controls = this.#controls[key];
    if (controls === undefined) return;
    if (act === 13) {
      controls.advance = ADVANCE_MODES[this.#pick(ADVANCE_MODES.length, "advance")] ?? "ok";
      return;
    }
    const what = this.#pick(FAILING.length, "what fails");
    controls.laneThrows = what === 1;
    controls.factoryThrows = what === 2;
    controls.closeThrows = what === 3;
  }

  #trigger(key: number): SharedStreamTrigger<unknown> {
    const controls = this.#controls[key] as ProducerControls;
    const { mode } = this.#scenario;
    if (mode === "fast" || (mode === "either" && this.#pick(2, "mode") === 1)) {
      return {
        openSharedStream: (signal) =>
          rawEventsOf(() => {
            if (controls.factoryThrows) throw new Error("The source failed to open");
            return this.#createProducer(controls);
          }, signal),
      };
    }
    return {
      createSharedStreamProducer: () => {
        if (controls.factoryThrows) throw new Error("The factory failed");
        return this.#createProducer(controls);
      },
    };
  }

  #createProducer(controls: ProducerControls): ControlledProducer {
    const { badEnds, longAdvances } = this.#scenario.hostile;
    const end = badEnds ? this.#sourceChoice.choose(SOURCE_ENDS.length, SOURCE_QUESTION) : 0;
    return new ControlledProducer(this.#life.clock, controls, {
      choice: this.#choice,
      ends: SOURCE_ENDS[end] ?? SOURCE_ENDS[0],
      slowMs: longAdvances ? LONG_MS : SLOW_MS,
      sometimes: (mark) => this.#sometimes(mark),
    });
  }

  #leave(subscription: HostileSubscription): void {
    if (subscription.isOver) return;
    subscription.isOver = true;
    const at = this.#active.indexOf(subscription);
    if (at !== -1) this.#active.splice(at, 1);
    const { triggerId, key } = subscription;
    this.#manager
      .unsubscribe({ triggerId, key: keyOf(key) })
      .catch((error: unknown) => this.#life.world.fail(error));
  }

  /** Everybody leaves, and the manager stops. */
  finish(): void {
    for (const one of [...this.#active]) this.#leave(one);
    this.#manager.stopAll().catch((error: unknown) => this.#life.world.fail(error));
  }
}

function keyOf(key: number): StreamKey {
  return ["key", key];
}
