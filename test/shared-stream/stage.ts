import { drain } from "../../sim/realm/drain.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  type SharedStream,
  SharedStreamManager,
  type SharedStreamManagerOptions,
  type SharedStreamTrigger,
  type StreamKey,
} from "../../src/shared-stream/mod.ts";
import type { Logger } from "../../src/time/mod.ts";
import { ScriptedProducer } from "./scripted-producer.ts";

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** What a pull has brought once everything rests, when it has brought nothing. */
export const PARKED = "parked";
export const DONE = "done";

/** Writes what is logged into `log`. */
export function createLogInto(log: LogLine[]): Logger {
  const writer =
    (level: keyof Logger) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      log.push({ level, message, fields });
    };
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
  };
}

type Options = Omit<SharedStreamManagerOptions, "clock" | "logger">;

/** One manager on a virtual clock; its producers, its subscribers, what it logged. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly log: LogLine[] = [];
  readonly manager: SharedStreamManager;
  /** Every producer that a factory made, in order. */
  readonly producers: ScriptedProducer[] = [];
  /** Applied to each new producer before the manager gets it. */
  prepare: (producer: ScriptedProducer) => void = () => undefined;

  constructor(options: Options = {}) {
    const logger = createLogInto(this.log);
    this.manager = new SharedStreamManager({ ...options, clock: this.clock, logger });
  }

  /** A trigger in ack mode. */
  readonly trigger: SharedStreamTrigger<unknown> = {
    createSharedStreamProducer: () => this.createProducer(),
  };

  /** A trigger on the fast path. */
  readonly fastTrigger: SharedStreamTrigger<unknown> = {
    openSharedStream: (signal) => this.createProducer().openRaws(signal),
  };

  /** The newest producer. */
  get producer(): ScriptedProducer {
    const producer = this.producers.at(-1);
    if (producer === undefined) throw new Error("No producer was created yet");
    return producer;
  }

  createProducer(): ScriptedProducer {
    const producer = new ScriptedProducer();
    this.prepare(producer);
    this.producers.push(producer);
    return producer;
  }

  /** Subscribes; nothing has run yet when this returns. */
  subscribe(triggerId: number, key: StreamKey = "k", trigger = this.trigger): Subscriber {
    return new Subscriber(this, { triggerId, key }, trigger);
  }

  subscribeFast(triggerId: number, key: StreamKey = "k"): Subscriber {
    return this.subscribe(triggerId, key, this.fastTrigger);
  }

  /** Until everything is parked. */
  settle(): Promise<void> {
    return drain();
  }

  tick(ms: number): Promise<void> {
    return this.clock.advance(ms, drain);
  }

  /** Settles; the newest producer is polled then. */
  async opened(): Promise<ScriptedProducer> {
    await drain();
    return this.producer;
  }

  async emit(...names: readonly unknown[]): Promise<void> {
    this.producer.emit(...names);
    await drain();
  }

  async confirm(...seqs: readonly (number | null)[]): Promise<void> {
    this.manager.confirmPersisted(seqs.filter((seq) => seq !== null));
    await drain();
  }

  messages(level: keyof Logger): readonly string[] {
    return this.log.filter((line) => line.level === level).map(({ message }) => message);
  }

  keys(): readonly StreamKey[] {
    return this.manager.groupKeys();
  }
}

/** A subscriber that does nothing by itself. */
export class Subscriber {
  readonly stream: SharedStream<unknown>;
  /** What its pulls brought, in order: a raw event, an error, or DONE. */
  readonly seen: unknown[] = [];
  readonly #stage: Stage;
  readonly #place: { readonly triggerId: number; readonly key: StreamKey };

  constructor(
    stage: Stage,
    place: { readonly triggerId: number; readonly key: StreamKey },
    trigger: SharedStreamTrigger<unknown>,
  ) {
    this.#stage = stage;
    this.#place = place;
    this.stream = stage.manager.subscribe({ ...place, trigger });
  }

  /** What was thrown last, when the last thing seen was an error. */
  get error(): Error | undefined {
    const last = this.seen.at(-1);
    return last instanceof Error ? last : undefined;
  }

  /** Pulls and settles; returns what came, or PARKED. */
  async pull(): Promise<unknown> {
    const before = this.seen.length;
    this.ask();
    await drain();
    return this.seen.length > before ? this.seen.at(-1) : PARKED;
  }

  /** Asks for the next item, without settling. */
  ask(): void {
    this.stream.next().then(
      ({ done, value }) => this.seen.push(done === true ? DONE : value),
      (error: unknown) => this.seen.push(error),
    );
  }

  /** Pulls `count` times; for events that are there. */
  async take(count: number): Promise<readonly unknown[]> {
    const taken: unknown[] = [];
    for (let at = 0; at < count; at += 1) taken.push(await this.pull());
    return taken;
  }

  bind(): number | null {
    return this.#stage.manager.bindPendingEvent(this.#place);
  }

  /** Pulls and binds; returns the sequence number. */
  async pullAndBind(): Promise<number> {
    await this.pull();
    const seq = this.bind();
    if (seq === null) throw new Error("There was nothing to bind");
    return seq;
  }

  reject(): void {
    this.stream.reject();
  }

  /** Unsubscribes, without settling. */
  unsubscribe(): Promise<void> {
    return this.#stage.manager.unsubscribe(this.#place);
  }

  /** Unsubscribes and settles. */
  async leave(): Promise<void> {
    await this.unsubscribe();
    await drain();
  }
}
