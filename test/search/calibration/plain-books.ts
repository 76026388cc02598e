/** How a subscriber's part in an event ended. */
export type Fate = "acked" | "failed" | "rejected";

interface PlainEvent {
  readonly lane: number;
  /** By subscriber: its fate, or undefined while it is owed. Who was not there is not in it. */
  readonly fates: Map<number, Fate | undefined>;
  isAdvanced: boolean;
}

interface PlainSubscriber {
  readonly queue: number[];
  open: number | undefined;
  /** It has asked for its next event, and there was none. */
  isWaiting: boolean;
  hasBound: boolean;
  hasLeft: boolean;
  hasFailed: boolean;
}

/** An advanced event and its counts. */
export interface PlainItem {
  readonly event: number;
  readonly acked: number;
  readonly failed: number;
  readonly rejected: number;
}

/** Which sequence number a subscriber draws for an event: the same whatever the order. */
const EVENTS_MAX = 8;

/** What a ledger is to keep, written as plainly as can be: no index, no cursor, no chain. */
export class PlainBooks {
  readonly #events: PlainEvent[] = [];
  readonly #subscribers: PlainSubscriber[];
  /** Sequence numbers that are waited for. */
  readonly #gates = new Set<number>();
  /** Those of them whose confirmation will never come. */
  readonly #lost = new Set<number>();
  /** Lanes with a resolved head, in the order in which they became ready. */
  readonly ready: number[] = [];

  constructor(subscribers: number) {
    this.#subscribers = Array.from({ length: subscribers }, () => ({
      queue: [],
      open: undefined,
      isWaiting: false,
      hasBound: false,
      hasLeft: false,
      hasFailed: false,
    }));
  }

  get published(): number {
    return this.#events.length;
  }

  get outstanding(): number {
    return this.#events.filter(({ isAdvanced }) => !isAdvanced).length;
  }

  get lanes(): number {
    const open = this.#events.filter(({ isAdvanced }) => !isAdvanced);
    return new Set(open.map(({ lane }) => lane)).size;
  }

  get gates(): number {
    return this.#gates.size;
  }

  /** What may still be confirmed. */
  underWay(): readonly number[] {
    return [...this.#gates].filter((seq) => !this.#lost.has(seq));
  }

  lose(seq: number): void {
    this.#lost.add(seq);
  }

  /**
   * All that matters from here on; the same for books that differ by the subscribers' names alone,
   * and by how events ended that are advanced.
   */
  text(): string {
    const open = this.#events.map(({ lane, isAdvanced }) => `${lane}${isAdvanced ? "a" : ""}`);
    const subscribers = this.#subscribers.map((one, sub) => this.#textOf(one, sub)).sort();
    return `${open.join()};${subscribers.join(";")};${this.ready.join()}`;
  }

  #textOf(one: PlainSubscriber, sub: number): string {
    let text = `${one.queue.length}${one.open ?? "-"}`;
    if (one.isWaiting) text += "w";
    if (one.open !== undefined && one.hasBound) text += "b";
    if (one.hasLeft) text += "l";
    if (one.hasFailed) text += "f";
    for (const [event, { fates, isAdvanced }] of this.#events.entries()) {
      const fate = fates.has(sub) ? (fates.get(sub)?.[0] ?? "o") : "-";
      text += isAdvanced ? "." : fate;
      if (this.#gates.has(seqOf(sub, event))) text += this.#lost.has(seqOf(sub, event)) ? "!" : "?";
    }
    return text;
  }

  hasLeft(sub: number): boolean {
    return this.#of(sub).hasLeft;
  }

  hasFailed(sub: number): boolean {
    return this.#of(sub).hasFailed;
  }

  isGone(sub: number): boolean {
    return this.hasLeft(sub) || this.hasFailed(sub);
  }

  hasOpen(sub: number): boolean {
    return this.#of(sub).open !== undefined;
  }

  hasQueued(sub: number): boolean {
    return this.#of(sub).queue.length > 0;
  }

  isWaiting(sub: number): boolean {
    return this.#of(sub).isWaiting;
  }

  wait(sub: number): void {
    this.#of(sub).isWaiting = true;
  }

  /** Whether it sits on an event that it has not resolved. */
  isOpen(sub: number): boolean {
    const { open, hasFailed } = this.#of(sub);
    return open !== undefined && !hasFailed && this.#fate(sub, open) === undefined;
  }

  hasBound(sub: number): boolean {
    return this.#of(sub).hasBound;
  }

  /** Events that somebody owes. */
  pendingEvents(): readonly number[] {
    return this.#events.flatMap(({ fates }, event) =>
      [...fates.values()].includes(undefined) ? [event] : [],
    );
  }

  publish(lane: number): void {
    const fates = new Map<number, Fate | undefined>();
    const event = this.#events.length;
    for (const [sub, one] of this.#subscribers.entries()) {
      if (one.hasLeft || one.hasFailed) continue;
      fates.set(sub, undefined);
      one.queue.push(event);
    }
    this.#events.push({ lane, fates, isAdvanced: false });
    this.#noteReady(lane);
  }

  pull(sub: number): void {
    const one = this.#of(sub);
    one.open = one.queue.shift();
    one.isWaiting = false;
    one.hasBound = false;
  }

  close(sub: number): void {
    const one = this.#of(sub);
    const { open } = one;
    one.open = undefined;
    if (open === undefined || this.#gates.has(seqOf(sub, open))) return;
    this.#resolve(sub, open, "acked");
  }

  bind(sub: number): number {
    const one = this.#of(sub);
    const seq = seqOf(sub, one.open ?? 0);
    one.hasBound = true;
    this.#gates.add(seq);
    return seq;
  }

  confirm(seq: number): void {
    if (!this.#gates.delete(seq)) return;
    const sub = Math.floor(seq / EVENTS_MAX);
    const event = seq % EVENTS_MAX;
    if (this.#of(sub).open !== event) this.#resolve(sub, event, "acked");
  }

  settle(sub: number, fate: Fate): void {
    const { open } = this.#of(sub);
    if (open !== undefined) this.#resolve(sub, open, fate);
  }

  failAll(sub: number): void {
    const one = this.#of(sub);
    one.hasFailed = true;
    for (const event of this.#events.keys()) this.#resolve(sub, event, "failed");
  }

  leave(sub: number): void {
    const one = this.#of(sub);
    one.hasLeft = true;
    one.isWaiting = false;
    this.close(sub);
    for (const event of one.queue) this.#resolve(sub, event, "failed");
    one.queue.length = 0;
  }

  /** Everything up to this event is overdue. */
  timeOut(until: number): void {
    for (const [event, { fates }] of this.#events.entries()) {
      if (event > until) return;
      for (const [sub, fate] of fates) if (fate === undefined) this.failAll(sub);
    }
  }

  /** The longest resolved prefix of the lane that became ready first. */
  harvest(): readonly PlainItem[] {
    const lane = this.ready.shift();
    const items: PlainItem[] = [];
    for (const [event, one] of this.#events.entries()) {
      if (one.lane !== lane || one.isAdvanced) continue;
      const fates = [...one.fates.values()];
      if (fates.includes(undefined)) break;
      one.isAdvanced = true;
      const count = (fate: Fate): number => fates.filter((each) => each === fate).length;
      const [acked, failed, rejected] = [count("acked"), count("failed"), count("rejected")];
      items.push({ event, acked, failed, rejected });
    }
    return items;
  }

  #of(sub: number): PlainSubscriber {
    return this.#subscribers[sub] as PlainSubscriber;
  }

  #fate(sub: number, event: number): Fate | undefined {
    return this.#events[event]?.fates.get(sub);
  }

  #resolve(sub: number, event: number, fate: Fate): void {
    const one = this.#events[event] as PlainEvent;
    if (!one.fates.has(sub) || one.fates.get(sub) !== undefined) return;
    one.fates.set(sub, fate);
    this.#gates.delete(seqOf(sub, event));
    this.#noteReady(one.lane);
  }

  #noteReady(lane: number): void {
    const head = this.#events.find((one) => one.lane === lane && !one.isAdvanced);
    const isResolved = head !== undefined && ![...head.fates.values()].includes(undefined);
    if (isResolved && !this.ready.includes(lane)) this.ready.push(lane);
  }
}

function seqOf(sub: number, event: number): number {
  return sub * EVENTS_MAX + event;
}
