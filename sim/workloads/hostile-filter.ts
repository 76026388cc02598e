import type { ChoiceStream } from "../choices/choices.ts";
import type { Life } from "../hosts/life.ts";
import type { TracedManager } from "../hosts/traced-manager.ts";
import type { TraceIds } from "../hosts/trace-ids.ts";
import type { TracedStream, TracedWindow } from "../hosts/traced-stream.ts";
import { drawsSync } from "./filter-form.ts";
import type { HostileClientSpec } from "./hostile-client-spec.ts";
import {
  CONFIRM_MS,
  DAWDLES_ONE_IN,
  LINGERS_ONE_IN,
  THINK_MS,
  THINK_TURNS,
} from "./hostile-filter-words.ts";
import type { CLIENT_MARKS } from "./marks.ts";

/** A subscription of a hostile client; the key is a number of the client's. */
export interface HostileSubscription {
  readonly triggerId: number;
  readonly key: number;
  readonly stream: TracedStream;
  isOver: boolean;
}

/** What filters do to the client that drives them. */
export interface HostileFilterPort {
  leave(subscription: HostileSubscription): void;
  leaveSome(key: number): void;
  join(key: number): void;
  stopAll(): void;
}

/** What filters are made of. */
export interface HostileFilterParts {
  readonly life: Life;
  readonly manager: TracedManager;
  readonly ids: TraceIds;
  readonly scenario: HostileClientSpec;
  readonly choice: ChoiceStream;
  readonly port: HostileFilterPort;
}

const TICKS_MAX = 12;
/** How many of the last sequence numbers a visitor picks from when it confirms one. */
const SEQS_KEPT = 8;
const PULLS_ON_MAX = 3;

/** Thrown by a visitor that gives up. */
class GaveUp extends Error {
  override readonly name = "GaveUp";
}

/** Consumes subscriptions as filters would, with every bad habit of filters. */
export class HostileFilter {
  readonly #life: Life;
  readonly #manager: TracedManager;
  readonly #ids: TraceIds;
  readonly #scenario: HostileClientSpec;
  readonly #choice: ChoiceStream;
  readonly #port: HostileFilterPort;
  readonly #seqs: number[] = [];

  constructor({ life, manager, ids, scenario, choice, port }: HostileFilterParts) {
    this.#life = life;
    this.#manager = manager;
    this.#ids = ids;
    this.#scenario = scenario;
    this.#choice = choice;
    this.#port = port;
  }

  /** Consumes one subscription, by pulls or by a visit. */
  async drive(subscription: HostileSubscription): Promise<void> {
    const { stream } = subscription;
    const { filter, hostile } = this.#scenario;
    try {
      if (drawsSync(filter.form, this.#choice) && stream.visit !== undefined) {
        await this.#visit(subscription);
      } else {
        for (;;) {
          const result = await stream.next();
          if (result.done === true) break;
          await this.#think();
          if (subscription.isOver) break;
          if (!this.#process(subscription)) break;
          if (this.#pick(DAWDLES_ONE_IN, "dawdle") === DAWDLES_ONE_IN - 1) await this.#think();
        }
      }
    } catch {
      await this.#think();
    }
    if (hostile.pullsOn) await this.#pullOn(stream);
    if (this.#pick(LINGERS_ONE_IN, "linger") === LINGERS_ONE_IN - 1) await this.#think();
    this.#port.leave(subscription);
  }

  /** Consumes two subscriptions in one task, by turns. */
  async driveTwo(pair: readonly HostileSubscription[]): Promise<void> {
    try {
      for (let isOver = false; !isOver;) isOver = await this.#pullEach(pair);
    } catch {
      await this.#think();
    }
    for (const subscription of pair) this.#port.leave(subscription);
  }

  /** Pulls one event of each; true when one of them is over. */
  async #pullEach(pair: readonly HostileSubscription[]): Promise<boolean> {
    for (const subscription of pair) {
      const result = await subscription.stream.next();
      if (result.done === true) return true;
      if (this.#pick(4, "think amid two") === 3) await this.#think();
      if (subscription.isOver || !this.#process(subscription)) return true;
    }
    return false;
  }

  /** Derives a trigger event, binds it through the manager and confirms it some time, or never. */
  fire({ triggerId, key, stream }: HostileSubscription): void {
    this.#manager.yielded(stream.sub, this.#ids.take());
    this.#confirmSometime(this.#manager.bindPendingEvent({ triggerId, key: ["key", key] }));
  }

  /** Runs `fn` some turns of the microtask queue later. */
  async later(fn: () => void): Promise<void> {
    const ticks = this.#pick(TICKS_MAX, "ticks");
    for (let at = 0; at < ticks; at += 1) await Promise.resolve();
    fn();
  }

  /** Waits for some turns of the microtask queue, amid which events are broadcast. */
  #turns(): Promise<void> {
    return this.later(() => undefined);
  }

  /** What the filter does with the event it has; false when it gives up. */
  #process(subscription: HostileSubscription): boolean {
    switch (this.#pick(10, "filter")) {
      case 1:
      case 2:
      case 3:
      case 4:
        this.fire(subscription);
        return true;
      case 5:
        this.#sometimes("the client fired twice for one event");
        this.fire(subscription);
        this.fire(subscription);
        return true;
      case 6:
        this.#reject(subscription);
        if (this.#pick(2, "reject again") === 1) subscription.stream.reject();
        if (this.#pick(2, "fire after reject") === 1) this.fire(subscription);
        return true;
      case 7:
        this.#sometimes("the client rejected what it had fired");
        this.fire(subscription);
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

  /**
   * Rejects the event in hand: by the stream, by the ambient form, or out of a task of its own; or
   * tries to, when its window was cleared.
   */
  #reject({ stream }: HostileSubscription): void {
    const how = this.#scenario.filter.form === "async" ? 0 : this.#pick(4, "reject how");
    if (how === 0) stream.reject();
    else if (how === 1) stream.rejectAmbiently();
    else if (how === 2) {
      this.#manager.clearAmbientWindow();
      stream.rejectTooLate();
    } else {
      const { pulls } = stream;
      void this.later(() => {
        if (stream.pulls === pulls) stream.rejectAmbiently();
        else stream.rejectTooLate();
      });
    }
  }

  async #visit(subscription: HostileSubscription): Promise<void> {
    const { stream } = subscription;
    if (this.#pick(3, "wait before the visit") === 2) await this.#turns();
    if (this.#pick(6, "pull before the visit") === 5) {
      const result = await stream.next();
      if (result.done === true) return;
      await this.#think();
      if (subscription.isOver || !this.#process(subscription)) return;
    }
    for (;;) {
      try {
        await stream.visit?.((_raw, window) => this.#visitor(subscription, window));
        return;
      } catch (error) {
        if (!(error instanceof GaveUp)) throw error;
      }
      if (this.#pick(2, "how long until the next visit") === 0) await this.#turns();
      else await this.#think();
      if (subscription.isOver || this.#pick(3, "visit again") === 0) return;
    }
  }

  /** What a synchronous filter does with the event that it is called with. */
  #visitor(subscription: HostileSubscription, window: TracedWindow): void {
    switch (this.#pick(12, "visitor")) {
      case 1:
      case 2:
      case 3:
        this.#fireIn(window, subscription);
        break;
      case 4:
        this.#fireAndConfirm(window);
        break;
      case 5:
        this.#fireIn(window, subscription);
        this.#fireIn(window, subscription);
        break;
      case 6:
        this.#rejectIn(window, subscription);
        if (this.#pick(2, "reject again") === 1) window.reject();
        if (this.#pick(2, "fire after reject") === 1) this.#fireIn(window, subscription);
        break;
      case 7:
        this.#fireIn(window, subscription);
        this.#rejectIn(window, subscription);
        break;
      case 8:
        if (this.#pick(2, "give up") === 1) throw new GaveUp("The visitor gave up");
        break;
      case 9:
        this.#meddle(subscription);
        if (this.#pick(2, "fire after meddling") === 1) this.#fireIn(window, subscription);
        break;
      case 10:
        this.#comeBackTo(window, subscription);
        break;
      default:
        break;
    }
  }

  #fireIn(window: TracedWindow, subscription: HostileSubscription): void {
    if (this.#pick(2, "bind how") === 1) {
      this.fire(subscription);
    } else {
      this.#manager.yielded(window.sub, this.#ids.take());
      this.#confirmSometime(window.bind());
    }
  }

  /** A confirmation may arrive in the same turn as the bind. */
  #fireAndConfirm(window: TracedWindow): void {
    this.#manager.yielded(window.sub, this.#ids.take());
    const seq = window.bind();
    if (seq !== null) this.#confirm(seq);
  }

  #rejectIn(window: TracedWindow, { stream }: HostileSubscription): void {
    const how = this.#pick(3, "reject how");
    if (how === 0) window.reject();
    else if (how === 1) window.rejectAmbiently();
    else stream.reject();
  }

  /** Subscribes, unsubscribes or confirms during a visit. */
  #meddle(subscription: HostileSubscription): void {
    const { hostile } = this.#scenario;
    switch (this.#pick(hostile.sameTurn ? 6 : 1, "amid a visit")) {
      case 0: {
        const seq = this.#seqs[this.#pick(SEQS_KEPT, "which seq")];
        if (seq !== undefined) this.#confirm(seq);
        break;
      }
      case 1:
        this.#port.leave(subscription);
        break;
      case 2:
        this.#port.leaveSome(subscription.key);
        break;
      case 3:
        void subscription.stream.return();
        break;
      case 4:
        this.#port.join(subscription.key);
        break;
      default:
        if (hostile.stopAll) this.#port.stopAll();
        break;
    }
  }

  /** Uses the window of an event, or the ambient reject, when the visitor has returned. */
  #comeBackTo(window: TracedWindow, { stream }: HostileSubscription): void {
    switch (this.#pick(3, "come back how")) {
      case 0:
        this.#life.after(CONFIRM_MS[0], () => window.reject());
        break;
      case 1:
        this.#life.after(CONFIRM_MS[0], () => {
          this.#manager.yielded(window.sub, this.#ids.take());
          this.#confirmSometime(window.bind());
        });
        break;
      default:
        void Promise.resolve().then(() => this.later(() => stream.rejectTooLate()));
    }
  }

  /** Continues to pull a stream that has failed or ended, or whose filter has returned. */
  async #pullOn(stream: TracedStream): Promise<void> {
    try {
      for (let left = this.#pick(PULLS_ON_MAX + 1, "pull on"); left > 0; left -= 1) {
        await stream.next();
      }
    } catch {
      await this.#think();
    }
  }

  #confirmSometime(seq: number | null): void {
    if (seq === null) return;
    this.#seqs.push(seq);
    if (this.#seqs.length > SEQS_KEPT) this.#seqs.shift();
    const when = this.#pick(CONFIRM_MS.length + 2, "confirm when");
    if (when === 0) return void this.later(() => this.#confirm(seq));
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
      for (let at = 0; at < how * THINK_TURNS; at += 1) await Promise.resolve();
      return;
    }
    await new Promise<void>((resolve) => void this.#life.after(ms, resolve));
  }

  #sometimes(mark: (typeof CLIENT_MARKS)[number]): void {
    this.#life.world.trace.sometimes(mark);
  }

  #pick(n: number, label: string): number {
    return this.#choice.choose(n, label);
  }
}
