import {
  type EventWindow,
  clearAmbientWindow,
  type SharedStreamManager,
  type StreamKey,
} from "../shared-stream/mod.ts";
import {
  type Clock,
  type DurationLike,
  type Logger,
  millisecondsFrom,
  consoleLogger,
} from "../time/mod.ts";
import {
  type DeferralTrigger,
  TaskDeferralTimeout,
  TriggerFiredNothing,
} from "./deferral-trigger.ts";
import { EndHooks } from "./end-hooks.ts";
import { checkedOptions } from "../checked-options.ts";
import { type EventTrigger, forEachFiltered } from "./event-trigger.ts";
import { Outbox } from "./outbox.ts";
import { type Failure, type RunningTrigger, runningTrigger } from "./running-trigger.ts";
import type { SupervisorPort, SyncReply } from "./supervisor-port.ts";
import { flawIn, type TriggerEvent } from "./trigger-event.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** The part of a {@linkcode SharedStreamManager} that a runner uses. */
export type StreamManagerPort = Pick<
  SharedStreamManager,
  "subscribe" | "bindPendingEvent" | "confirmPersisted" | "unsubscribe" | "stopAll"
>;

/** A trigger to create: its id, and whatever else `createTrigger` needs. */
export interface TriggerWorkload {
  /** The id under which the trigger is subscribed and reported. */
  readonly triggerId: number;
  /** When its deferral times out, as epoch milliseconds; without it, never. */
  readonly timeoutAfter?: number;
}

/** The options of a {@linkcode TriggerRunner}. */
export interface TriggerRunnerOptions<Workload extends TriggerWorkload> {
  /** Identifies this incarnation; never used twice. */
  readonly runnerId: string;
  /** Creates a trigger that the supervisor asked for. If it throws, the trigger has failed. */
  readonly createTrigger: (workload: Workload) => EventTrigger | DeferralTrigger;
  /** Default: `consoleLogger`: warnings and errors reach the console. */
  readonly logger?: Logger;
  /** The time between a reply and the next request. Default 1 s. */
  readonly syncInterval?: DurationLike;
  /** How long `onKill` and `cleanup` of a trigger may take, each. Default 30 s. */
  readonly hookTimeout?: DurationLike;
}

const OPTIONS: readonly (keyof TriggerRunnerOptions<TriggerWorkload>)[] = [
  "runnerId",
  "createTrigger",
  "logger",
  "syncInterval",
  "hookTimeout",
];
const SYNC_INTERVAL = Object.freeze({ seconds: 1 });
const HOOK_TIMEOUT = Object.freeze({ seconds: 30 });

/**
 * Runs triggers: drives their filters, sends what they fire to the supervisor, and passes the
 * confirmations on to the manager.
 *
 * Holds:
 * - a trigger event is bound to the raw event that it was made from, because nothing awaits between
 *   taking it from a filter and queueing it;
 * - what is queued is sent until a request that contains it got a reply;
 * - a trigger that ends, for whatever reason, is unsubscribed, and reported once;
 * - a trigger that fires something else than a trigger event fails, and no other does;
 * - only the supervisor has triggers created.
 *
 * Source: Airflow 3.3, airflow.jobs.triggerer_job_runner, TriggerRunner
 *
 * @example
 * ```ts
 * import { SharedStreamManager, TriggerEvent, TriggerRunner } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const stop = new AbortController();
 * const supervisor = {
 *   sync({ events }: { readonly events: readonly { readonly event: TriggerEvent }[] }) {
 *     for (const { event } of events) console.log(event.payload);
 *     if (events.length > 0) stop.abort();
 *     return Promise.resolve({ toCreate: [{ triggerId: 7 }], toCancel: [], persistedSeqs: [] });
 *   },
 * };
 * const runner = new TriggerRunner(systemClock, new SharedStreamManager(), supervisor, {
 *   runnerId: "triggerer-1/7",
 *   createTrigger: () => ({
 *     sharedStreamKey: () => null,
 *     filterSharedStream: (stream) => stream as AsyncIterable<TriggerEvent>,
 *     async *run() {
 *       yield new TriggerEvent("it is midnight");
 *     },
 *   }),
 *   syncInterval: { milliseconds: 10 },
 * });
 * await runner.run(stop.signal); // => it is midnight
 * ```
 */
export class TriggerRunner<Workload extends TriggerWorkload> {
  readonly #clock: Clock;
  readonly #manager: StreamManagerPort;
  readonly #supervisor: SupervisorPort<Workload>;
  readonly #createTrigger: TriggerRunnerOptions<Workload>["createTrigger"];
  readonly #logger: Logger;
  readonly #syncIntervalMs: number;
  readonly #endHooks: EndHooks;
  readonly #outbox: Outbox;
  readonly #triggers = new Map<number, RunningTrigger>();

  /**
   * Creates a runner without triggers.
   *
   * @throws {TypeError | RangeError} when `syncInterval` or `hookTimeout` is no duration, or there
   *   is another option
   */
  constructor(
    clock: Clock,
    manager: StreamManagerPort,
    supervisor: SupervisorPort<Workload>,
    options: TriggerRunnerOptions<Workload>,
  ) {
    checkedOptions(options, OPTIONS, "TriggerRunner");
    this.#clock = clock;
    this.#manager = manager;
    this.#supervisor = supervisor;
    this.#createTrigger = options.createTrigger;
    this.#logger = options.logger ?? consoleLogger;
    this.#syncIntervalMs = millisecondsFrom(options.syncInterval ?? SYNC_INTERVAL, "syncInterval");
    const hookTimeoutMs = millisecondsFrom(options.hookTimeout ?? HOOK_TIMEOUT, "hookTimeout");
    this.#endHooks = new EndHooks(clock, this.#logger, hookTimeoutMs);
    this.#outbox = new Outbox(options.runnerId);
  }

  /** Returns the ids of the triggers that have not been reported as finished. */
  runningIds(): readonly number[] {
    return [...this.#triggers.keys()];
  }

  /**
   * Sends one request after the other until `signal` aborts; then ends all triggers and stops the
   * streams.
   *
   * Holds: a reply that has not arrived when `signal` aborts is not awaited, so that a supervisor
   * that never replies cannot keep the streams from stopping.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sync(signal);
      if (!signal.aborted) await this.#pause(signal);
    }
    for (const trigger of [...this.#triggers.values()]) this.#cancel(trigger);
    await this.#manager.stopAll();
    await Promise.all([...this.#triggers.values()].map(({ ending }) => ending));
  }

  async #sync(signal: AbortSignal): Promise<void> {
    this.#dropUnencodable();
    const request = this.#outbox.nextRequest();
    let reply: SyncReply<Workload> | undefined;
    try {
      reply = await unlessAborted(this.#supervisor.sync(request), signal);
    } catch (error) {
      this.#logger.warn("Cannot sync with the supervisor, will send again", {
        round: request.round,
        error,
      });
      return;
    }
    if (reply === undefined) return;
    for (const triggerId of this.#outbox.acknowledge()) this.#triggers.delete(triggerId);
    this.#manager.confirmPersisted(reply.persistedSeqs);
    for (const workload of reply.toCreate) this.#create(workload);
    for (const triggerId of reply.toCancel) {
      const trigger = this.#triggers.get(triggerId);
      if (trigger !== undefined) this.#cancel(trigger);
    }
    for (const triggerId of reply.toKill ?? []) {
      const trigger = this.#triggers.get(triggerId);
      if (trigger === undefined) continue;
      trigger.isKilled = true;
      this.#cancel(trigger);
    }
  }

  /**
   * Fails the triggers whose events cannot be encoded. The raw events that those were made from are
   * never confirmed (K23).
   */
  #dropUnencodable(): void {
    const assertEncodable = this.#supervisor.assertEncodable?.bind(this.#supervisor);
    if (assertEncodable === undefined) return;
    this.#outbox.dropEvents(({ triggerId, event }) => {
      try {
        assertEncodable(event);
        return false;
      } catch (error) {
        this.#logger.error("Cannot encode a trigger event", { triggerId, error });
        this.#outbox.addFailure(triggerId, error);
        return true;
      }
    });
  }

  #create(workload: Workload): void {
    const { triggerId } = workload;
    if (this.#triggers.has(triggerId)) return;
    const trigger = runningTrigger(triggerId);
    this.#triggers.set(triggerId, trigger);
    try {
      const created = this.#createTrigger(workload);
      trigger.hooks = created;
      this.#start(trigger, created);
      this.#timeOut(trigger, workload.timeoutAfter);
    } catch (error) {
      this.#end(trigger, { error });
      return;
    }
    // The trigger made its first pull in this task; the next trigger must not inherit that window.
    clearAmbientWindow();
  }

  #start(running: RunningTrigger, trigger: EventTrigger | DeferralTrigger): void {
    if (!("sharedStreamKey" in trigger)) {
      running.mustFire = true;
      this.#runAlone(running, trigger);
      return;
    }
    const key = this.#keyOf(running, trigger);
    if (key === null) {
      this.#runAlone(running, trigger);
      return;
    }
    const { triggerId } = running;
    const stream = this.#manager.subscribe({ triggerId, trigger, key });
    running.key = key;
    if (trigger.filterSharedEvent === undefined || stream.visit === undefined) {
      this.#pull(running, trigger.filterSharedStream(stream));
      return;
    }
    const visit = stream.visit(this.#visitorFor(running, trigger));
    void visit.then(
      () => this.#end(running, undefined),
      (error: unknown) => this.#end(running, { error }),
    );
  }

  #runAlone(running: RunningTrigger, trigger: Pick<EventTrigger, "run">): void {
    if (trigger.run === undefined) {
      throw new TypeError("Cannot run a trigger without a shared stream key: it has no run method");
    }
    this.#pull(running, trigger.run(running.abort.signal));
  }

  /** Fails the trigger of a deferral once that has timed out. */
  #timeOut(trigger: RunningTrigger, timeoutAfter: number | undefined): void {
    if (timeoutAfter === undefined || trigger.state !== "running") return;
    const waitMs = Math.max(0, timeoutAfter - this.#clock.wallNow());
    trigger.timer = this.#clock.setTimer(waitMs, () => {
      if (trigger.fired === 0) this.#cancel(trigger, { error: new TaskDeferralTimeout() });
    });
  }

  #pull(running: RunningTrigger, events: AsyncIterable<TriggerEvent>): void {
    running.iterator = events[Symbol.asyncIterator]();
    void this.#drive(running, running.iterator);
  }

  /** Returns the visitor that calls the filter, and binds and queues the trigger events. */
  #visitorFor(
    running: RunningTrigger,
    trigger: EventTrigger,
  ): (raw: unknown, window: EventWindow) => void {
    const { triggerId } = running;
    return (raw, window) =>
      forEachFiltered(trigger.filterSharedEvent?.(raw, window), (event) => {
        running.fired += 1;
        this.#outbox.addEvent({ triggerId, event, seq: window.bind() });
      });
  }

  /** Returns the key of the shared stream; null when the trigger cannot compute it (T1). */
  #keyOf({ triggerId }: RunningTrigger, trigger: EventTrigger): StreamKey | null {
    try {
      return trigger.sharedStreamKey();
    } catch (error) {
      this.#logger.error("Cannot compute the shared stream key, running alone", {
        triggerId,
        error,
      });
      return null;
    }
  }

  async #drive(trigger: RunningTrigger, iterator: AsyncIterator<TriggerEvent>): Promise<void> {
    try {
      for (;;) {
        const result = await iterator.next();
        if (trigger.state !== "running" || result.done === true) break;
        const error = flawIn(result.value);
        if (error !== undefined) {
          this.#cancel(trigger, { error });
          return;
        }
        this.#queue(trigger, result.value);
      }
      if (trigger.mustFire && trigger.fired === 0) throw new TriggerFiredNothing();
      this.#end(trigger, undefined);
    } catch (error) {
      this.#end(trigger, { error });
    }
  }

  /** Binds and queues without an await, during which the filter could open another window. */
  #queue(trigger: RunningTrigger, event: TriggerEvent): void {
    const { triggerId, key } = trigger;
    const seq = key === null ? null : this.#manager.bindPendingEvent({ triggerId, key });
    trigger.fired += 1;
    this.#outbox.addEvent({ triggerId, event, seq });
  }

  /** Unsubscribes first, so that a cancelled trigger does not delay others on its stream (E-22). */
  #cancel(trigger: RunningTrigger, failure?: Failure): void {
    if (trigger.state !== "running") return;
    const { iterator } = trigger;
    this.#end(trigger, failure);
    trigger.abort.abort();
    // A filter that awaits something else ends when that settles, and is not waited for.
    void this.#close(trigger.triggerId, iterator);
  }

  /** Closes a filter. Whether it throws or rejects, the trigger is ended already. */
  async #close(
    triggerId: number,
    iterator: AsyncIterator<TriggerEvent> | undefined,
  ): Promise<void> {
    try {
      await iterator?.return?.();
    } catch (error) {
      this.#logger.warn("A cancelled trigger failed", { triggerId, error });
    }
  }

  #end(trigger: RunningTrigger, failure: Failure | undefined): void {
    if (trigger.state !== "running") return;
    trigger.state = "ending";
    if (trigger.timer !== undefined) this.#clock.clearTimer(trigger.timer);
    trigger.ending = this.#finish(trigger, failure);
  }

  async #finish(trigger: RunningTrigger, failure: Failure | undefined): Promise<void> {
    const { triggerId, key, fired, hooks, isKilled } = trigger;
    if (failure !== undefined) this.#logger.error("A trigger failed", { triggerId, ...failure });
    if (key !== null) {
      try {
        await this.#manager.unsubscribe({ triggerId, key });
      } catch (cause) {
        this.#logger.error("Cannot unsubscribe a trigger", { triggerId, error: cause });
      }
    }
    if (isKilled) await this.#endHooks.call("onKill", trigger);
    if (hooks.cleanup !== undefined) await this.#endHooks.call("cleanup", trigger);
    trigger.state = "over";
    // A trigger that fails after it has fired is reported as finished only (T18, E-38).
    if (failure !== undefined && fired === 0) this.#outbox.addFailure(triggerId, failure.error);
    this.#outbox.addFinished(triggerId);
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const clock = this.#clock;
      const timer = clock.setTimer(this.#syncIntervalMs, done);
      function done(): void {
        clock.clearTimer(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
