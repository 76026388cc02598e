import type { SharedStreamTrigger, StreamKey } from "../../src/shared-stream/mod.ts";
import type { ChoiceStream } from "../choices/choices.ts";
import type { Life } from "../hosts/life.ts";
import type { TraceIds, TracedManager } from "../hosts/traced-manager.ts";
import type { TracedStream } from "../hosts/traced-stream.ts";
import type { CLIENT_MARKS } from "./marks.ts";
import {
  type ControlledEvent,
  ControlledProducer,
  createProducerControls,
  type ProducerControls,
} from "./controlled-producer.ts";

/** How many of each thing a hostile client works with, and what it may do. */
export interface HostileClientSpec {
  readonly keys: number;
  readonly triggers: number;
  readonly lanes: number;
  /** How many acts the client performs. */
  readonly operations: number;
  /** What the client may do beside the ordinary. */
  readonly hostile: {
    readonly failures: boolean;
    readonly stopAll: boolean;
    readonly sameTurn: boolean;
    readonly bursts: boolean;
  };
}

interface Subscription {
  readonly triggerId: number;
  readonly key: number;
  readonly stream: TracedStream;
  isOver: boolean;
}

/** What the client asks of chance once in each act. */
const ACT_QUESTIONS = { key: "key", act: "act", pause: "pause" } as const;

/** The labels of those questions: the n-th answer belongs to the n-th act. */
export const ACT_LABELS: readonly string[] = Object.values(ACT_QUESTIONS);

const TICKS_MAX = 12;
const BURST_MAX = 5;
/**
 * Pauses between acts in milliseconds, calm first; some outlast any ack timeout of the scenario.
 */
const PAUSE_MS = [0, 0, 1, 10, 100, 400, 1_000, 3_000] as const;
const THINK_MS = [0, 0, 0, 5, 50, 500, 2_500, 60_000] as const;
const CONFIRM_MS = [1, 20, 200, 900, 2_000, 9_000] as const;

/**
 * A client that does to a manager, at random, all that its face allows: joins and leaves in any
 * turn, stalls, confirms late, twice, out of order or never, rejects before and after it fires,
 * fails the source, the lane hook, the factory and the advance, and stops everything at once.
 */
export class HostileClient {
  readonly #life: Life;
  readonly #manager: TracedManager;
  readonly #ids: TraceIds;
  readonly #scenario: HostileClientSpec;
  readonly #choice: ChoiceStream;
  readonly #controls: ProducerControls[];
  readonly #active: Subscription[] = [];
  #acts = 0;
  #refs = 0;

  constructor(life: Life, manager: TracedManager, ids: TraceIds, scenario: HostileClientSpec) {
    this.#life = life;
    this.#manager = manager;
    this.#ids = ids;
    this.#scenario = scenario;
    this.#choice = life.choices("workload");
    this.#controls = Array.from({ length: scenario.keys }, () => createProducerControls());
  }

  /** Performs its acts, a random pause between two of them; answers when they are done. */
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

  /** From here on the client behaves: everything succeeds, nobody stalls. */
  calmDown(): void {
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

  #act(): void {
    const { hostile } = this.#scenario;
    const key = this.#pick(this.#scenario.keys, ACT_QUESTIONS.key);
    const act = this.#pick(hostile.failures ? 15 : 12, ACT_QUESTIONS.act);
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
      items.push({ ref: `k${key}/${lane}#${this.#refs}`, lane: ["lane", lane] });
    }
    if (hostile.failures && this.#pick(60, "unkeyable lane") === 59) {
      items.push({ ref: `k${key}/unkeyable#${this.#refs}`, lane: { unkeyable: true } });
    }
    this.#controls[key]?.producer?.emit(items);
  }

  #join(key: number): void {
    const triggerId = 1 + this.#pick(this.#scenario.triggers, "trigger");
    if (this.#active.some((one) => one.triggerId === triggerId && one.key === key)) return;
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
      return;
    }
    const subscription = { triggerId, key, stream, isOver: false };
    this.#active.push(subscription);
    void this.#drive(subscription);
    if (this.#scenario.hostile.sameTurn && this.#pick(12, "leave in the same turn") === 11) {
      this.#leave(subscription);
    }
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
    if (after === 2) void this.#later(() => this.#join(key));
    if (after === 3) for (const other of here) if (other !== leaver) this.#leave(other);
  }

  #stopAllSometimes(key: number): void {
    if (!this.#scenario.hostile.stopAll || this.#pick(3, "stop all") < 2) {
      this.#emit(key);
      return;
    }
    void this.#manager.stopAll();
    const leavers = [...this.#active];
    void this.#later(() => {
      for (const one of leavers) this.#leave(one);
      if (this.#pick(2, "join after stop") === 1) this.#join(key);
    });
  }

  /** Binds or rejects for somebody, whether or not an event is open there. */
  #meddle(key: number): void {
    const here = this.#active.filter((one) => one.key === key);
    const one = here[this.#pick(Math.max(1, here.length), "meddle with")];
    if (one === undefined) return;
    if (this.#pick(2, "meddle how") === 0) this.#fire(one);
    else one.stream.reject();
  }

  #endSource(key: number): void {
    const how = this.#pick(2, "how the source ends") === 0 ? "throws" : "returns";
    this.#controls[key]?.producer?.end(how);
    if (this.#scenario.hostile.sameTurn) void this.#later(() => this.#join(key));
  }

  #turn(key: number, act: number): void {
    const controls = this.#controls[key];
    if (controls === undefined) return;
    if (act === 13) {
      const modes = ["ok", "slow", "slow", "throws", "throws-oddly"] as const;
      controls.advance = modes[this.#pick(modes.length, "advance")] ?? "ok";
      return;
    }
    const what = this.#pick(4, "what fails");
    controls.laneThrows = what === 1;
    controls.factoryThrows = what === 2;
    controls.closeThrows = what === 3;
  }

  /** Runs `fn` some turns of the microtask queue later. */
  async #later(fn: () => void): Promise<void> {
    const ticks = this.#pick(TICKS_MAX, "ticks");
    for (let at = 0; at < ticks; at += 1) await Promise.resolve();
    fn();
  }

  #trigger(key: number): SharedStreamTrigger<unknown> {
    const controls = this.#controls[key] as ProducerControls;
    return {
      createSharedStreamProducer: () => {
        if (controls.factoryThrows) throw new Error("The factory failed");
        return new ControlledProducer(this.#life.clock, controls, this.#choice);
      },
    };
  }

  /** Consumes one subscription as a filter would, with every bad habit of filters. */
  async #drive(subscription: Subscription): Promise<void> {
    const { stream } = subscription;
    try {
      for (;;) {
        const result = await stream.next();
        if (result.done === true) break;
        await this.#think();
        if (subscription.isOver) break;
        if (!this.#process(subscription)) break;
        if (this.#pick(8, "dawdle") === 7) await this.#think();
      }
    } catch {
      await this.#think();
    }
    if (this.#pick(3, "linger") === 2) await this.#think();
    this.#leave(subscription);
  }

  /** What the filter does with the event it has; false when it gives up. */
  #process(subscription: Subscription): boolean {
    switch (this.#pick(10, "filter")) {
      case 1:
      case 2:
      case 3:
      case 4:
        this.#fire(subscription);
        return true;
      case 5:
        this.#sometimes("the client fired twice for one event");
        this.#fire(subscription);
        this.#fire(subscription);
        return true;
      case 6:
        subscription.stream.reject();
        if (this.#pick(2, "reject again") === 1) subscription.stream.reject();
        if (this.#pick(2, "fire after reject") === 1) this.#fire(subscription);
        return true;
      case 7:
        this.#sometimes("the client rejected what it had fired");
        this.#fire(subscription);
        subscription.stream.reject();
        return true;
      case 8:
        if (this.#pick(2, "give up") === 0) return true;
        this.#sometimes("the client gave up with an event in hand");
        return false;
      default:
        return true;
    }
  }

  #fire({ triggerId, key, stream }: Subscription): void {
    this.#manager.yielded(stream.sub, this.#ids.take());
    const seq = this.#manager.bindPendingEvent({ triggerId, key: keyOf(key) });
    if (seq === null) return;
    const when = this.#pick(CONFIRM_MS.length + 2, "confirm when");
    if (when === 0) return void this.#later(() => this.#confirm(seq));
    if (when === CONFIRM_MS.length + 1) return;
    this.#life.after(CONFIRM_MS[when - 1] as number, () => this.#confirm(seq));
  }

  /** Confirms a sequence number; now and then twice, or together with some that mean nothing. */
  #confirm(seq: number): void {
    const how = this.#pick(6, "confirm how");
    if (how === 4) {
      this.#sometimes("the client confirmed one sequence number twice");
      this.#manager.confirmPersisted([seq, seq]);
    } else if (how === 5) this.#manager.confirmPersisted([1_000_000_007, seq]);
    else this.#manager.confirmPersisted([seq]);
  }

  async #think(): Promise<void> {
    const how = this.#pick(THINK_MS.length, "think");
    const ms = THINK_MS[how] as number;
    if (ms === 0) {
      for (let at = 0; at < how * 3; at += 1) await Promise.resolve();
      return;
    }
    await new Promise<void>((resolve) => void this.#life.after(ms, resolve));
  }

  #leave(subscription: Subscription): void {
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
