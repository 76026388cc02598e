import {
  type EventWindow,
  leaveEventWindow,
  type SharedStreamManager,
  type StreamKey,
} from "../shared-stream/mod.ts";
import {
  type Clock,
  type DurationLike,
  type Logger,
  millisecondsFrom,
  silentLogger,
} from "../time/mod.ts";
import { type EventTrigger, takeEach } from "./event-trigger.ts";
import { Outbox } from "./outbox.ts";
import type { SupervisorPort, SyncReply } from "./supervisor-port.ts";
import type { TriggerEvent } from "./trigger-event.ts";

/** The part of a shared-stream manager that a runner uses. */
export type StreamManagerPort = Pick<
  SharedStreamManager,
  "subscribe" | "bindPendingEvent" | "confirmPersisted" | "unsubscribe" | "stopAll"
>;

/** A trigger to create: its id and whatever else the factory needs. */
export interface TriggerWorkload {
  readonly triggerId: number;
}

export interface TriggerRunnerOptions<Workload extends TriggerWorkload> {
  /** Names this incarnation; never used twice. */
  readonly runnerId: string;
  readonly createTrigger: (workload: Workload) => EventTrigger;
  readonly logger?: Logger;
  /** From one sync to the next; default one second. */
  readonly syncInterval?: DurationLike;
}

const SYNC_INTERVAL = Object.freeze({ seconds: 1 });

/** One trigger instance from its creation to the round that reports its end. */
interface RunningTrigger {
  readonly triggerId: number;
  readonly abort: AbortController;
  key: StreamKey | null;
  iterator: AsyncIterator<TriggerEvent> | undefined;
  state: "running" | "ending" | "over";
  fired: number;
}

/** What a trigger threw, which may be anything, undefined included. */
interface Failure {
  readonly error: unknown;
}

/**
 * Runs triggers: drives their filters, sends what they fire, brings confirmations back.
 *
 * Holds:
 * - between taking a trigger event from a filter and queueing it outbound nothing awaits, so that
 *   it is bound to the raw event that it came from;
 * - what is queued outbound stays queued until a sync was answered;
 * - a trigger that ends, whichever way, is unsubscribed, and reported once;
 * - nothing is created again by itself: that is the supervisor's to say.
 *
 * Source: Airflow 3.3, airflow.jobs.triggerer_job_runner, TriggerRunner; spec, section D
 */
export class TriggerRunner<Workload extends TriggerWorkload> {
  readonly #clock: Clock;
  readonly #manager: StreamManagerPort;
  readonly #supervisor: SupervisorPort<Workload>;
  readonly #createTrigger: (workload: Workload) => EventTrigger;
  readonly #logger: Logger;
  readonly #syncIntervalMs: number;
  readonly #outbox: Outbox;
  readonly #triggers = new Map<number, RunningTrigger>();
  readonly #endings = new Set<Promise<void>>();

  constructor(
    clock: Clock,
    manager: StreamManagerPort,
    supervisor: SupervisorPort<Workload>,
    options: TriggerRunnerOptions<Workload>,
  ) {
    this.#clock = clock;
    this.#manager = manager;
    this.#supervisor = supervisor;
    this.#createTrigger = options.createTrigger;
    this.#logger = options.logger ?? silentLogger;
    this.#syncIntervalMs = millisecondsFrom(options.syncInterval ?? SYNC_INTERVAL, "syncInterval");
    this.#outbox = new Outbox(options.runnerId);
  }

  /** The triggers that run now, by id. */
  runningIds(): readonly number[] {
    return [...this.#triggers.keys()];
  }

  /**
   * Syncs round after round until `signal` aborts; then ends every trigger and stops the streams.
   *
   * Holds: an answer that is still awaited at the abort is not waited for any longer, so that a
   * supervisor that never answers cannot keep the streams from being stopped.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sync(signal);
      if (!signal.aborted) await this.#pause(signal);
    }
    for (const trigger of [...this.#triggers.values()]) this.#cancel(trigger);
    await this.#manager.stopAll();
    await Promise.all(this.#endings);
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
    for (const triggerId of this.#outbox.answered()) this.#triggers.delete(triggerId);
    this.#manager.confirmPersisted(reply.persistedSeqs);
    for (const workload of reply.toCreate) this.#create(workload);
    for (const triggerId of reply.toCancel) {
      const trigger = this.#triggers.get(triggerId);
      if (trigger !== undefined) this.#cancel(trigger);
    }
  }

  /** An event that cannot be encoded fails its trigger; its raw event is never confirmed (K23). */
  #dropUnencodable(): void {
    const assertEncodable = this.#supervisor.assertEncodable?.bind(this.#supervisor);
    if (assertEncodable === undefined) return;
    this.#outbox.dropEvents(({ triggerId, event }) => {
      try {
        assertEncodable(event);
        return false;
      } catch (error) {
        this.#logger.error("Cannot encode a trigger event", { triggerId, error });
        this.#outbox.addFailure(triggerId, nameFrom(error));
        return true;
      }
    });
  }

  #create(workload: Workload): void {
    const { triggerId } = workload;
    if (this.#triggers.has(triggerId)) return;
    const trigger: RunningTrigger = {
      triggerId,
      abort: new AbortController(),
      key: null,
      iterator: undefined,
      state: "running",
      fired: 0,
    };
    this.#triggers.set(triggerId, trigger);
    try {
      this.#start(trigger, this.#createTrigger(workload));
    } catch (error) {
      this.#end(trigger, { error });
      return;
    }
    // Its first pull was made in this very task, and must not be that of whoever is created next.
    leaveEventWindow();
  }

  #start(running: RunningTrigger, trigger: EventTrigger): void {
    const key = this.#keyOf(running, trigger);
    if (key === null) {
      if (trigger.run === undefined) {
        throw new TypeError(
          "Cannot run a trigger without a shared stream key: it has no run method",
        );
      }
      this.#pull(running, trigger.run(running.abort.signal));
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

  #pull(running: RunningTrigger, events: AsyncIterable<TriggerEvent>): void {
    running.iterator = events[Symbol.asyncIterator]();
    void this.#drive(running, running.iterator);
  }

  /** The synchronous filter's turn: what it derives is bound and queued while the window is open. */
  #visitorFor(
    running: RunningTrigger,
    trigger: EventTrigger,
  ): (raw: unknown, window: EventWindow) => void {
    const { triggerId } = running;
    return (raw, window) =>
      takeEach(trigger.filterSharedEvent?.(raw, window), (event) => {
        running.fired += 1;
        this.#outbox.addEvent({ triggerId, event, seq: window.bind() });
      });
  }

  /** A key that cannot be computed means no sharing (spec T1). */
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
        this.#queue(trigger, result.value);
      }
      this.#end(trigger, undefined);
    } catch (error) {
      this.#end(trigger, { error });
    }
  }

  /** Binds and queues at one stretch; an await in here would lose which raw event was open. */
  #queue(trigger: RunningTrigger, event: TriggerEvent): void {
    const { triggerId, key } = trigger;
    const seq = key === null ? null : this.#manager.bindPendingEvent({ triggerId, key });
    trigger.fired += 1;
    this.#outbox.addEvent({ triggerId, event, seq });
  }

  /** Unsubscribes first: a trigger that is going must not hold up its siblings (spec E-22). */
  #cancel(trigger: RunningTrigger): void {
    if (trigger.state !== "running") return;
    const { iterator } = trigger;
    this.#end(trigger, undefined);
    trigger.abort.abort();
    // A filter that awaits something else ends when it comes back; nobody waits for it.
    void this.#close(trigger.triggerId, iterator);
  }

  /** An iterator written by hand may throw at the call; that, too, is the trigger's own trouble. */
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
    const ending = this.#finish(trigger, failure);
    this.#endings.add(ending);
    void ending.then(() => this.#endings.delete(ending));
  }

  async #finish(trigger: RunningTrigger, failure: Failure | undefined): Promise<void> {
    const { triggerId, key, fired } = trigger;
    if (failure !== undefined) this.#logger.error("A trigger failed", { triggerId, ...failure });
    if (key !== null) {
      try {
        await this.#manager.unsubscribe({ triggerId, key });
      } catch (cause) {
        this.#logger.error("Cannot unsubscribe a trigger", { triggerId, error: cause });
      }
    }
    trigger.state = "over";
    // Once it has fired, a trigger that dies is only reported as finished (spec T18, E-38).
    if (failure !== undefined && fired === 0) {
      this.#outbox.addFailure(triggerId, nameFrom(failure.error));
    }
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

/** What `promise` comes to, or undefined as soon as `signal` aborts: then nobody waits for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    function giveUp(): void {
      resolve(undefined);
    }
    signal.addEventListener("abort", giveUp, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

function nameFrom(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
