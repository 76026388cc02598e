import { InvariantViolation } from "../../src/invariant.ts";
import type {
  SharedStream,
  SharedStreamProducer,
  SharedStreamTrigger,
  StreamKey,
} from "../../src/shared-stream/mod.ts";
import type { AdvancedItem } from "../trace/trace.ts";
import { HostDied } from "../kernel/host-died.ts";
import { isKeyable, textFromKey } from "./key-text.ts";
import type { Life } from "./life.ts";
import type { TraceIds } from "./trace-ids.ts";
import {
  type Box,
  nameFrom,
  TracedSource,
  TracedStream,
  type TracedStreamPort,
} from "./traced-stream.ts";

/**
 * The methods of a shared-stream manager that a world calls; {@linkcode SharedStreamManager} of
 * `faultlane` and the reference have them.
 */
export interface StreamManager {
  /** Subscribes a trigger to the stream of its key. */
  subscribe<Raw>(s: {
    readonly triggerId: number;
    readonly trigger: SharedStreamTrigger<Raw>;
    readonly key: StreamKey;
  }): SharedStream<Raw>;
  /** Returns the sequence number of the event in the open window; null when there is none. */
  bindPendingEvent(s: { readonly triggerId: number; readonly key: StreamKey }): number | null;
  /** Called when the database has stored the trigger events with these sequence numbers. */
  confirmPersisted(seqs: Iterable<number>): void;
  /** Ends a subscription; resolves when its group has stopped, if it was the last one. */
  unsubscribe(s: { readonly triggerId: number; readonly key: StreamKey }): Promise<void>;
  /** Stops all groups. */
  stopAll(): Promise<void>;
  /** Returns the keys of the groups that the manager has now. */
  groupKeys(): readonly StreamKey[];
  /** The ambient reject, which finds its stream by the task that calls; absent where there is none. */
  readonly ambient?: {
    /** Rejects the event that the calling filter processes. */
    reject(): void;
    /** Clears the window of the current task, so that the tasks that it starts inherit none. */
    clear(): void;
  };
  /** Returns how much the manager holds; I22 is not checked for a manager without this method. */
  outstandingCounts?(): {
    readonly outstanding: number;
    readonly lanes: number;
    readonly unconfirmed: number;
    readonly windows: number;
  };
}

/** How the workload names a raw event in traces; equal for all copies of one record. */
export type RefOf = (raw: unknown) => string;

/**
 * A shared-stream manager with every crossing of its face recorded, seen from outside.
 *
 * Holds: the recording changes nothing: raw events and payloads travel in boxes that are taken off
 * before a filter or a producer sees them.
 *
 * An oracle that read the manager's internal state would believe its mistakes; what it returns,
 * when it calls its producer and what it delivers are observed from outside.
 */
export class TracedManager implements StreamManager {
  readonly #life: Life;
  readonly #manager: StreamManager;
  readonly #ids: TraceIds;
  readonly #refOf: RefOf;
  readonly #subs = new Map<string, number>();
  /** The trigger events that each subscription yielded: a bind is about the first unbound one. */
  readonly #yielded = new Map<number, number[]>();
  readonly #port: TracedStreamPort;
  #isDirty = false;
  #hasAdvanced = false;
  #isTraceDue = false;

  constructor(life: Life, manager: StreamManager, ids: TraceIds, refOf: RefOf) {
    this.#life = life;
    this.#manager = manager;
    this.#ids = ids;
    this.#refOf = refOf;
    const { ambient } = manager;
    this.#port = {
      bind: (sub, call) => this.#bind(sub, call),
      failureOf: (error) => ids.failureOf(error),
      ...(ambient !== undefined && { rejectAmbiently: () => ambient.reject() }),
    };
    this.#noteChange();
  }

  subscribe<Raw>(s: {
    readonly triggerId: number;
    readonly trigger: SharedStreamTrigger<Raw>;
    readonly key: StreamKey;
  }): SharedStream<Raw> {
    const key = textFromKey(s.key);
    const sub = this.#ids.take();
    const trigger = this.#tracedTrigger(s.trigger, key);
    this.#noteChange();
    try {
      const stream = this.#manager.subscribe({ ...s, trigger });
      this.#life.trace({ kind: "subscribe", sub, trigger: s.triggerId, key });
      this.#subs.set(`${s.triggerId}/${key}`, sub);
      return new TracedStream(
        this.#life,
        stream,
        sub,
        this.#port,
      ) as SharedStream<unknown> as SharedStream<Raw>;
    } catch (error) {
      const name = nameFrom(error);
      this.#life.trace({ kind: "subscribe-refused", trigger: s.triggerId, key, error: name });
      throw error;
    }
  }

  bindPendingEvent(s: { readonly triggerId: number; readonly key: StreamKey }): number | null {
    const sub = this.#subs.get(`${s.triggerId}/${textFromKey(s.key)}`) ?? 0;
    return this.#bind(sub, () => this.#manager.bindPendingEvent(s));
  }

  confirmPersisted(seqs: Iterable<number>): void {
    const list = [...seqs];
    if (list.length > 0) {
      this.#life.point("runner.confirm");
      this.#life.trace({ kind: "confirm", seqs: list });
    }
    // A one-shot iterable on purpose: every group must get its share of it.
    this.#guard("confirmPersisted", undefined, () => this.#manager.confirmPersisted(list.values()));
  }

  async unsubscribe(s: { readonly triggerId: number; readonly key: StreamKey }): Promise<void> {
    const name = `${s.triggerId}/${textFromKey(s.key)}`;
    const sub = this.#subs.get(name);
    this.#noteChange();
    if (sub !== undefined) this.#life.trace({ kind: "unsubscribe", sub });
    this.#subs.delete(name);
    try {
      await this.#manager.unsubscribe(s);
    } catch (error) {
      this.#traceThrown("unsubscribe", error);
    } finally {
      this.#noteChange();
      if (sub !== undefined) this.#life.trace({ kind: "unsubscribed", sub });
    }
  }

  async stopAll(): Promise<void> {
    this.#noteChange();
    this.#life.trace({ kind: "stop-all" });
    try {
      await this.#manager.stopAll();
    } catch (error) {
      this.#traceThrown("stopAll", error);
    }
    this.#noteChange();
    this.#life.trace({ kind: "stopped" });
  }

  groupKeys(): readonly StreamKey[] {
    return this.#manager.groupKeys();
  }

  /** Called by the filter's driver, which sees a trigger event before it is bound. */
  yielded(sub: number, event: number): void {
    const unbound = this.#yielded.get(sub);
    if (unbound === undefined) this.#yielded.set(sub, [event]);
    else unbound.push(event);
    this.#life.trace({ kind: "yield", sub, event });
  }

  /** Clears the window of the current task, as a driver does that starts another one. */
  clearAmbientWindow(): void {
    this.#manager.ambient?.clear();
  }

  /** The ambient reject of a task without a stream, which must do nothing. */
  rejectAlone(): void {
    this.#manager.ambient?.reject();
  }

  #bind(sub: number, call: () => number | null): number | null {
    const seq = this.#guard("bindPendingEvent", null, call);
    this.#life.trace({ kind: "bind", sub, event: this.#yielded.get(sub)?.shift() ?? 0, seq });
    this.#life.point("runner.bound");
    return seq;
  }

  #guard<T>(method: string, otherwise: T, call: () => T): T {
    try {
      return call();
    } catch (error) {
      this.#traceThrown(method, error);
      return otherwise;
    }
  }

  /** A manager that throws is a finding; a broken invariant is a fault of the kit. */
  #traceThrown(method: string, error: unknown): void {
    if (error instanceof InvariantViolation || error instanceof HostDied) throw error;
    this.#life.trace({ kind: "manager-threw", method, error: nameFrom(error) });
  }

  /** The groups may have changed. */
  #noteChange(): void {
    this.#isDirty = true;
    this.#traceAtRest();
  }

  #traceAtRest(): void {
    if (this.#isTraceDue) return;
    this.#isTraceDue = true;
    this.#life.world.callAtRest(() => {
      this.#isTraceDue = false;
      this.#traceGroups();
      this.#traceOutstanding();
    });
  }

  #traceGroups(): void {
    if (!this.#isDirty || !this.#life.alive) return;
    this.#isDirty = false;
    const keys = this.#manager.groupKeys().map(textFromKey).toSorted();
    this.#life.trace({ kind: "groups", keys });
  }

  #traceOutstanding(): void {
    if (!this.#hasAdvanced || !this.#life.alive) return;
    this.#hasAdvanced = false;
    const counts = this.#manager.outstandingCounts?.();
    if (counts !== undefined) this.#life.trace({ kind: "outstanding", ...counts });
  }

  #tracedTrigger(trigger: SharedStreamTrigger<unknown>, key: string): SharedStreamTrigger<unknown> {
    const traced: SharedStreamTrigger<unknown> = {};
    if (trigger.openSharedStream !== undefined) {
      traced.openSharedStream = (signal) => this.#openFast(trigger, key, signal);
    }
    if (trigger.createSharedStreamProducer !== undefined) {
      traced.createSharedStreamProducer = () => this.#createProducer(trigger, key);
    }
    return traced;
  }

  #openFast(
    trigger: SharedStreamTrigger<unknown>,
    key: string,
    signal: AbortSignal,
  ): AsyncIterable<unknown> {
    const poll = this.#ids.take();
    this.#life.trace({ kind: "open", key, poll, ack: false });
    const source = trigger.openSharedStream?.(signal) as AsyncIterable<unknown>;
    return new TracedSource(source, {
      wrap: (raw) => this.#box(poll, raw, raw),
      ended: (how, error) => this.#ended(poll, how, error),
    });
  }

  #createProducer(
    trigger: SharedStreamTrigger<unknown>,
    key: string,
  ): SharedStreamProducer<unknown> {
    const poll = this.#ids.take();
    this.#life.trace({ kind: "factory", key, poll });
    let producer: SharedStreamProducer<unknown>;
    try {
      producer = trigger.createSharedStreamProducer?.() as SharedStreamProducer<unknown>;
    } catch (error) {
      this.#noteChange();
      const failure = this.#ids.failureOf(error);
      this.#life.trace({ kind: "factory-failed", poll, failure });
      throw error;
    }
    return this.#tracedProducer(producer, key, poll);
  }

  #tracedProducer(
    producer: SharedStreamProducer<unknown>,
    key: string,
    poll: number,
  ): SharedStreamProducer<unknown> {
    const life = this.#life;
    return {
      openStream: (signal) => {
        life.point("producer.connect");
        life.trace({ kind: "open", key, poll, ack: true });
        return new TracedSource(producer.openStream(signal), {
          wrap: (item) => this.#boxPair(poll, item),
          ended: (how, error) => this.#ended(poll, how, error),
        }) as AsyncIterable<readonly [unknown, unknown]>;
      },
      getAdvanceLane: (payload) => this.#lane(producer, poll, payload as Box),
      advance: async (batch) => {
        const items = batch.map(
          ({ brokerPayload, outcome: { acked, failed, rejected, isClean } }): AdvancedItem => [
            (brokerPayload as Box).copy,
            acked,
            failed,
            rejected,
            isClean,
          ],
        );
        life.trace({ kind: "advance", poll, items });
        let thrown: { readonly failure?: number } = {};
        try {
          life.point("producer.advance");
          await producer.advance(
            batch.map(({ brokerPayload, outcome }) => ({
              brokerPayload: (brokerPayload as Box).value,
              outcome,
            })),
          );
        } catch (error) {
          thrown = { failure: this.#ids.failureOf(error) };
          throw error;
        } finally {
          const ok = thrown.failure === undefined;
          if (!ok) this.#noteChange();
          this.#hasAdvanced = true;
          this.#traceAtRest();
          life.trace({ kind: "advanced", poll, ok, ...thrown });
        }
      },
      aclose: async () => {
        life.trace({ kind: "aclose", poll });
        try {
          life.point("producer.close");
          await producer.aclose?.();
        } finally {
          life.trace({ kind: "aclosed", poll });
        }
      },
    };
  }

  #lane(
    producer: SharedStreamProducer<unknown>,
    poll: number,
    box: Box,
  ): StreamKey | null | undefined {
    const { copy } = box;
    try {
      this.#life.point("producer.broadcast");
      const lane = producer.getAdvanceLane?.(box.value);
      if (isKeyable(lane)) {
        this.#life.trace({ kind: "fan-out", poll, copy, lane: textFromKey(lane) });
      } else {
        this.#noteChange();
        this.#life.trace({ kind: "lane-failed", poll, copy });
      }
      return lane;
    } catch (error) {
      this.#noteChange();
      this.#life.trace({ kind: "lane-failed", poll, copy, failure: this.#ids.failureOf(error) });
      throw error;
    }
  }

  #boxPair(poll: number, item: unknown): unknown {
    if (!Array.isArray(item) || item.length !== 2) return item;
    const raw: unknown = item[0];
    const box = this.#box(poll, raw, raw);
    return [box, { copy: box.copy, value: item[1] as unknown }];
  }

  #box(poll: number, raw: unknown, value: unknown): Box {
    this.#life.point("producer.fetched");
    const copy = this.#ids.take();
    this.#life.trace({ kind: "emit", poll, copy, ref: this.#refOf(raw) });
    return { copy, value };
  }

  #ended(poll: number, how: "threw" | "returned" | "closed", error?: unknown): void {
    this.#noteChange();
    const thrown = how === "threw" ? { failure: this.#ids.failureOf(error) } : {};
    this.#life.trace({ kind: "poll-ended", poll, how, ...thrown });
  }
}
