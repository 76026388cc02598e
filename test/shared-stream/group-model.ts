/**
 * A reference model of a group: what it does, act by act, each act atomic.
 *
 * It knows no promise and no clock. Which resolved lane is served first is not the contract's, so
 * the model does not choose: it is told of each batch, and says what the batch should have been.
 *
 * @module
 */

import type { Books } from "./facts.ts";

/** What a subscriber sees: an event, the name of a failure, or the end. */
export type Sight = number | string;

export const END = "end";

export interface SubscriberModel {
  readonly group: GroupModel;
  readonly seen: Sight[];
  queue: EntryModel[];
  open: EntryModel | undefined;
  isWaiting: boolean;
  /** Force-failed: in no later snapshot. */
  isFailed: boolean;
  failure: { readonly name: string; isRead: boolean } | undefined;
  hasLeft: boolean;
}

interface BindingModel {
  isClosed: boolean;
  isBound: boolean;
  readonly seqs: Set<number>;
}

export interface EntryModel {
  readonly event: number;
  readonly at: number;
  readonly pending: Map<SubscriberModel, BindingModel>;
  readonly counts: { acked: number; failed: number; rejected: number };
}

export interface ModelPolicy {
  readonly queueMax: number;
  readonly timeoutMs: number;
  readonly isStrict: boolean;
}

/** Where a sequence number belongs. */
interface SeqOwner {
  readonly entry: EntryModel;
  readonly subscriber: SubscriberModel;
}

/** `broken`: an advance raised. In `dying` what is resolved is still handed out; then never. */
type Phase = "live" | "dying" | "broken" | "dead";

export class GroupModel {
  readonly subscribers: Set<SubscriberModel> = new Set();
  readonly lanes: Map<string, EntryModel[]> = new Map();
  phase: Phase = "live";
  isTold = false;
  readonly #policy: ModelPolicy;
  readonly #seqs: Map<number, SeqOwner>;

  constructor(policy: ModelPolicy, seqs: Map<number, SeqOwner>) {
    this.#policy = policy;
    this.#seqs = seqs;
  }

  get entries(): readonly EntryModel[] {
    return [...this.lanes.values()].flat().toSorted((one, other) => one.event - other.event);
  }

  get mayAdvance(): boolean {
    return this.phase === "live" || this.phase === "dying";
  }

  /** The lanes with a resolved head. */
  get readyLanes(): readonly string[] {
    return [...this.lanes.keys()].filter((lane) => this.prefixOf(lane).length > 0);
  }

  /** The maximal resolved prefix of a lane. */
  prefixOf(lane: string): readonly EntryModel[] {
    const entries = this.lanes.get(lane) ?? [];
    const end = entries.findIndex(({ pending }) => pending.size > 0);
    return end === -1 ? entries : entries.slice(0, end);
  }

  join(): SubscriberModel {
    const subscriber: SubscriberModel = {
      group: this,
      seen: [],
      queue: [],
      open: undefined,
      isWaiting: false,
      isFailed: false,
      failure: undefined,
      hasLeft: false,
    };
    this.subscribers.add(subscriber);
    return subscriber;
  }

  emit(event: number, lane: string, at: number): void {
    const members = [...this.subscribers].filter(({ isFailed }) => !isFailed);
    const pending = new Map(members.map((member) => [member, newBinding()]));
    const entry = { event, at, pending, counts: { acked: 0, failed: 0, rejected: 0 } };
    this.lanes.set(lane, [...(this.lanes.get(lane) ?? []), entry]);
    for (const member of members) {
      const { queueMax } = this.#policy;
      if (member.isWaiting) this.#handOut(member, entry);
      else if (queueMax > 0 && member.queue.length >= queueMax) {
        this.#forceFail(member, "SubscriberOverflow");
      } else member.queue.push(entry);
    }
  }

  ask(subscriber: SubscriberModel): void {
    const { open, failure } = subscriber;
    subscriber.open = undefined;
    if (open !== undefined) this.#close(open, subscriber);
    const next = subscriber.queue.shift();
    if (failure !== undefined && !failure.isRead) {
      failure.isRead = true;
      subscriber.seen.push(failure.name);
    } else if (failure !== undefined || subscriber.hasLeft) subscriber.seen.push(END);
    else if (next !== undefined) this.#handOut(subscriber, next);
    else subscriber.isWaiting = true;
  }

  /** Whether the event that the subscriber sits on can still be gated. */
  canBind(subscriber: SubscriberModel): boolean {
    const { open } = subscriber;
    if (open === undefined || !open.pending.has(subscriber)) return false;
    if (this.phase === "live") return true;
    if (this.#policy.isStrict) this.#resolve(open, subscriber, "failed");
    return false;
  }

  bind(subscriber: SubscriberModel, seq: number): void {
    const entry = subscriber.open as EntryModel;
    const binding = entry.pending.get(subscriber) as BindingModel;
    binding.isBound = true;
    binding.seqs.add(seq);
    this.#seqs.set(seq, { entry, subscriber });
  }

  confirm(seq: number, { entry, subscriber }: SeqOwner): void {
    this.#seqs.delete(seq);
    entry.pending.get(subscriber)?.seqs.delete(seq);
    this.#complete(entry, subscriber);
  }

  reject(subscriber: SubscriberModel): void {
    if (subscriber.open !== undefined) this.#resolve(subscriber.open, subscriber, "rejected");
  }

  scan(now: number): void {
    for (const entry of this.entries) {
      if (now - entry.at < this.#policy.timeoutMs) continue;
      for (const subscriber of entry.pending.keys()) {
        if (subscriber.hasLeft) this.#failAll(subscriber);
        else this.#forceFail(subscriber, "AckTimeout");
      }
    }
  }

  leave(subscriber: SubscriberModel): void {
    const { open } = subscriber;
    for (const entry of this.phase === "live" ? this.entries : []) {
      const binding = entry.pending.get(subscriber);
      if (binding === undefined) continue;
      const isSatOn = entry === open && (binding.isBound || !this.#policy.isStrict);
      if (binding.isClosed || isSatOn) this.#close(entry, subscriber);
      else this.#resolve(entry, subscriber, "failed");
    }
    this.subscribers.delete(subscriber);
    if (subscriber.isWaiting) subscriber.seen.push(END);
    Object.assign(subscriber, { hasLeft: true, isWaiting: false, open: undefined, queue: [] });
  }

  /** One batch of a lane is handed to `advance`. */
  harvest(lane: string, count: number): void {
    const rest = (this.lanes.get(lane) ?? []).slice(count);
    if (rest.length > 0) this.lanes.set(lane, rest);
    else this.lanes.delete(lane);
  }

  /** The poll, or an advance, failed: everybody is told, once. */
  die(name: string): void {
    if (this.phase === "live") this.stop();
    if (this.isTold) return;
    this.isTold = true;
    for (const subscriber of this.subscribers) tell(subscriber, name);
  }

  stop(): void {
    this.phase = "dying";
    for (const { pending } of this.entries) {
      for (const { seqs } of pending.values()) for (const seq of seqs) this.#seqs.delete(seq);
    }
  }

  #handOut(subscriber: SubscriberModel, entry: EntryModel): void {
    subscriber.isWaiting = false;
    subscriber.open = entry;
    subscriber.seen.push(entry.event);
  }

  #close(entry: EntryModel, subscriber: SubscriberModel): void {
    const binding = entry.pending.get(subscriber);
    if (binding === undefined) return;
    binding.isClosed = true;
    this.#complete(entry, subscriber);
  }

  #complete(entry: EntryModel, subscriber: SubscriberModel): void {
    const binding = entry.pending.get(subscriber);
    if (binding?.isClosed === true && binding.seqs.size === 0) {
      this.#resolve(entry, subscriber, "acked");
    }
  }

  #resolve(entry: EntryModel, subscriber: SubscriberModel, fate: keyof EntryModel["counts"]): void {
    const binding = entry.pending.get(subscriber);
    if (binding === undefined) return;
    entry.pending.delete(subscriber);
    for (const seq of binding.seqs) this.#seqs.delete(seq);
    entry.counts[fate] += 1;
  }

  #failAll(subscriber: SubscriberModel): void {
    for (const entry of this.entries) this.#resolve(entry, subscriber, "failed");
  }

  #forceFail(subscriber: SubscriberModel, name: string): void {
    subscriber.isFailed = true;
    tell(subscriber, name);
    this.#failAll(subscriber);
  }
}

/** The groups of a manager, and its sequence numbers. */
export class ManagerModel {
  readonly groups: Map<string, GroupModel> = new Map();
  readonly seqs: Map<number, SeqOwner> = new Map();
  readonly #policy: ModelPolicy;
  nextSeq = 0;

  constructor(policy: ModelPolicy) {
    this.#policy = policy;
  }

  subscribe(key: string): SubscriberModel {
    const group = this.groups.get(key) ?? new GroupModel(this.#policy, this.seqs);
    this.groups.set(key, group);
    return group.join();
  }

  bind(subscriber: SubscriberModel): number | null {
    if (!subscriber.group.canBind(subscriber)) return null;
    subscriber.group.bind(subscriber, this.nextSeq);
    return this.nextSeq++;
  }

  confirm(seqs: readonly number[]): void {
    for (const seq of seqs) {
      const owner = this.seqs.get(seq);
      if (owner !== undefined) owner.subscriber.group.confirm(seq, owner);
    }
  }

  unsubscribe(key: string, subscriber: SubscriberModel): void {
    const { group } = subscriber;
    group.leave(subscriber);
    if (group.phase !== "live" || group.subscribers.size > 0) return;
    this.groups.delete(key);
    group.stop();
  }

  die(key: string, group: GroupModel, name: string): void {
    if (this.groups.get(key) === group) this.groups.delete(key);
    group.die(name);
  }

  /** What the live groups hold. */
  books(): Books {
    const live = [...this.groups.values()];
    const subscribers = live.flatMap((group) => [...group.subscribers]);
    return {
      outstanding: live.reduce((sum, { entries }) => sum + entries.length, 0),
      lanes: live.reduce((sum, { lanes }) => sum + lanes.size, 0),
      unconfirmed: this.seqs.size,
      windows: subscribers.filter(({ open }) => open !== undefined).length,
    };
  }

  /** When each event was broadcast that somebody in a live group has not resolved. */
  pendingSince(): readonly number[] {
    const entries = [...this.groups.values()].flatMap((group) => group.entries);
    return entries.filter(({ pending }) => pending.size > 0).map(({ at }) => at);
  }

  stopAll(): void {
    for (const group of this.groups.values()) group.stop();
    this.groups.clear();
  }
}

function newBinding(): BindingModel {
  return { isClosed: false, isBound: false, seqs: new Set() };
}

/** A failure takes the place of all that was queued, and of a failure that was not read. */
function tell(subscriber: SubscriberModel, name: string): void {
  if (subscriber.failure?.isRead === true) return;
  subscriber.failure = { name, isRead: subscriber.isWaiting };
  if (subscriber.isWaiting) subscriber.seen.push(name);
  subscriber.isWaiting = false;
  subscriber.queue = [];
}
