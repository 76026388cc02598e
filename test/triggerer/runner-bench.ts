import { drain } from "../../sim/realm/drain.ts";
import { VirtualClock } from "../../sim/kernel/virtual-clock.ts";
import {
  type SharedStream,
  SharedStreamManager,
  type SharedStreamManagerOptions,
} from "../../src/shared-stream/mod.ts";
import {
  type DeferralTrigger,
  type EventTrigger,
  type OutboundEvent,
  type SupervisorPort,
  type SyncReply,
  type SyncRequest,
  TriggerEvent,
  TriggerRunner,
  type TriggerRunnerOptions,
  type TriggerWorkload,
} from "../../src/triggerer/mod.ts";
import { ScriptedProducer } from "../shared-stream/scripted-producer.ts";
import { createLogInto, type LogLine } from "../shared-stream/stage.ts";

export type Filter = (stream: SharedStream<unknown>) => AsyncIterable<TriggerEvent>;

/** How a sync fails: before its effect, or with its reply lost. */
export type SyncFault = "refuse" | "lose" | "pass";

/**
 * A supervisor that keeps its side of the port: it takes each round once, and repeats confirmations
 * until a later round proves that they arrived.
 */
class ScriptedSupervisor implements SupervisorPort<TriggerWorkload> {
  readonly requests: SyncRequest[] = [];
  /** Every event that was taken, in order. */
  readonly taken: OutboundEvent[] = [];
  readonly faults: SyncFault[] = [];
  /** Sent with the next new reply. */
  toCreate: TriggerWorkload[] = [];
  toCancel: number[] = [];
  toKill: number[] = [];
  persistedSeqs: number[] = [];
  /**
   * Whether a taken event is stored before the next round, so that its confirmation goes out then.
   */
  isStoring = true;
  /** If set, replies are sent once it resolves. */
  gate: Promise<void> | undefined;
  /** Throws what an event that cannot be encoded throws. */
  encode: (event: TriggerEvent) => void = () => undefined;
  readonly #answers = new Map<number, SyncReply<TriggerWorkload>>();

  get last(): SyncRequest {
    const request = this.requests.at(-1);
    if (request === undefined) throw new Error("There was no sync yet");
    return request;
  }

  async sync(request: SyncRequest): Promise<SyncReply<TriggerWorkload>> {
    this.requests.push(request);
    const fault = this.faults.shift() ?? "pass";
    if (fault === "refuse") throw new Error("connection refused");
    await this.gate;
    const answer = this.#answers.get(request.round) ?? this.#answer(request);
    if (fault === "lose") throw new Error("answer lost");
    return answer;
  }

  assertEncodable(event: TriggerEvent): void {
    this.encode(event);
  }

  #answer(request: SyncRequest): SyncReply<TriggerWorkload> {
    const { toCreate, toCancel, toKill, persistedSeqs } = this;
    const answer = { toCreate, toCancel, toKill, persistedSeqs };
    this.toKill = [];
    this.toCreate = [];
    this.toCancel = [];
    this.persistedSeqs = [];
    this.#answers.set(request.round, answer);
    for (const event of request.events) {
      this.taken.push(event);
      if (this.isStoring && event.seq !== null) this.persistedSeqs.push(event.seq);
    }
    return answer;
  }
}

type Options = Omit<SharedStreamManagerOptions, "clock" | "logger"> &
  Partial<Pick<TriggerRunnerOptions<TriggerWorkload>, "runnerId" | "syncInterval">>;

/**
 * One runner on a virtual clock with a scripted supervisor, scripted producers and test triggers.
 */
export class RunnerBench {
  readonly clock = new VirtualClock();
  readonly log: LogLine[] = [];
  readonly supervisor = new ScriptedSupervisor();
  readonly manager: SharedStreamManager;
  readonly runner: TriggerRunner<TriggerWorkload>;
  readonly producers: ScriptedProducer[] = [];
  /** Each confirmation that the runner handed to its manager. */
  readonly confirmed: number[][] = [];
  /**
   * What `createTrigger` makes for an id; a watcher that fires every raw event where there is none.
   */
  readonly makers = new Map<number, () => EventTrigger | DeferralTrigger>();
  readonly created: number[] = [];
  readonly abort = new AbortController();
  unsubscribeBy: (() => void) | undefined;
  isOver = false;

  constructor(options: Options = {}) {
    const { runnerId = "triggerer-1/1", syncInterval, ...streams } = options;
    const { clock, supervisor } = this;
    const logger = createLogInto(this.log);
    const manager = new SharedStreamManager({ ...streams, clock, logger });
    this.manager = manager;
    const port = {
      subscribe: manager.subscribe.bind(manager),
      bindPendingEvent: manager.bindPendingEvent.bind(manager),
      confirmPersisted: (seqs: Iterable<number>) => {
        const list = [...seqs];
        if (list.length > 0) this.confirmed.push(list);
        manager.confirmPersisted(list);
      },
      unsubscribe: async (place: Parameters<typeof manager.unsubscribe>[0]) => {
        this.unsubscribeBy?.();
        await manager.unsubscribe(place);
      },
      stopAll: manager.stopAll.bind(manager),
    };
    this.runner = new TriggerRunner(clock, port, supervisor, {
      runnerId,
      createTrigger: ({ triggerId }) => {
        this.created.push(triggerId);
        return this.makers.get(triggerId)?.() ?? this.watcher();
      },
      logger,
      ...(syncInterval === undefined ? {} : { syncInterval }),
    });
  }

  /** The newest producer. */
  get producer(): ScriptedProducer {
    const producer = this.producers.at(-1);
    if (producer === undefined) throw new Error("No producer was created yet");
    return producer;
  }

  createProducer(): ScriptedProducer {
    const producer = new ScriptedProducer();
    this.producers.push(producer);
    return producer;
  }

  /** A trigger that shares the stream "k"; by default it fires every raw event. */
  watcher(filter: Filter = fireAll): EventTrigger {
    return {
      sharedStreamKey: () => "k",
      createSharedStreamProducer: () => this.createProducer(),
      filterSharedStream: filter,
    };
  }

  /** Starts the runner with triggers of these ids, and lets the first round pass. */
  async start(...ids: readonly number[]): Promise<void> {
    this.create(...ids);
    void this.runner.run(this.abort.signal).then(() => {
      this.isOver = true;
    });
    await drain();
  }

  /** Makes the supervisor ask for a trigger that is made so, in its next reply. */
  createBy(workload: TriggerWorkload, make: () => EventTrigger | DeferralTrigger): void {
    this.makers.set(workload.triggerId, make);
    this.supervisor.toCreate.push(workload);
  }

  /** Makes the supervisor ask for triggers in its next reply. */
  create(...ids: readonly number[]): void {
    this.supervisor.toCreate.push(...ids.map((triggerId) => ({ triggerId })));
  }

  settle(): Promise<void> {
    return drain();
  }

  /** Lets `count` rounds pass. */
  async rounds(count = 1): Promise<void> {
    await this.clock.advance(count * 1_000, drain);
  }

  async emit(...names: readonly unknown[]): Promise<void> {
    this.producer.emit(...names);
    await drain();
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await drain();
  }

  /** What the supervisor took, as payloads with their sequence numbers. */
  fired(): readonly unknown[] {
    return this.supervisor.taken.map(({ triggerId, event, seq }) => [
      triggerId,
      event.payload,
      seq,
    ]);
  }

  messages(): readonly string[] {
    return this.log.map(({ message }) => message);
  }
}

async function* fireAll(stream: SharedStream<unknown>): AsyncGenerator<TriggerEvent> {
  for await (const raw of stream) yield new TriggerEvent(raw);
}
