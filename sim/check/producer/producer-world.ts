import {
  SharedStreamManager,
  type SharedStreamProducer,
  type StreamKey,
} from "../../../src/shared-stream/mod.ts";
import type { Broker, BrokerLink, BrokerModel, ClientPort } from "../../brokers/broker.ts";
import { strikeNth } from "../../faults/rule.ts";
import { Host } from "../../hosts/host.ts";
import { HostDied, type Life } from "../../hosts/life.ts";
import { Network } from "../../hosts/network.ts";
import { observerOf, TracedManager, TraceIds } from "../../hosts/traced-manager.ts";
import type { World } from "../../kernel/world.ts";
import type { Conduct, ProducerAct, ProducerPlan } from "./producer-plan.ts";
import { Subscriber } from "./producer-subscriber.ts";
import { type Identify, ProducerObserver } from "./producer-observer.ts";
import { errorWords } from "../../trace/error-words.ts";

export type CreateProducer<Client> = (parts: {
  readonly client: Client;
}) => SharedStreamProducer<unknown>;

/** What is under test, and on which broker. */
export interface ProducerUnderTest<Client> {
  readonly broker: BrokerModel<Client>;
  readonly createProducer: CreateProducer<Client>;
  readonly identify?: Identify;
}

/** The user's factory itself threw at once, with nothing amiss: nothing can be judged. */
export class FactoryThrew extends Error {
  override readonly name = "FactoryThrew";
}

/** The user's factory gave something that nobody can open a stream of. */
export class NoProducer extends TypeError {
  override readonly name = "NoProducer";

  constructor(found: unknown) {
    const isOther = typeof found === "object" && found !== null;
    const other = isOther ? "an object without them" : found === null ? "null" : typeof found;
    const what = found instanceof Promise ? "a promise" : other;
    super(
      `createProducer has to return an object with openStream(signal) and advance(batch), at once; it returned ${what}`,
    );
  }
}

const BROKER = "broker";
const TRIGGERER = "triggerer";
const KEY: StreamKey = ["checked"];
const RESTART_MS = 2_000;
/** After its end a producer may take so long until all that it held is closed. */
const RELEASE_MS = 5_000;
/** A confirmation is quick and a filter well-behaved once all is calm. */
const CALM: { readonly how: Conduct; readonly ms: number } = { how: "accept", ms: 0 };

type ActOf<K extends ProducerAct["kind"]> = Extract<ProducerAct, { kind: K }>;

/** The world of one plan: a broker, a triggerer with a real manager, subscribers, faults. */
export class ProducerWorld<Client> {
  readonly #world: World;
  readonly #plan: ProducerPlan;
  readonly #test: ProducerUnderTest<Client>;
  readonly #network: Network<Host>;
  readonly #broker: Broker<Client>;
  readonly #brokerHost: Host;
  readonly #triggerer: Host;
  readonly #ids = new TraceIds();
  readonly #refs = new Map<unknown, string>();
  /** Which subscribers want to be there now; it outlives the triggerer. */
  readonly #wanted = new Set<number>();
  readonly #sightings = new Map<string, number>();
  #subscribers = new Map<number, Subscriber>();
  #manager: TracedManager | undefined;
  #poll = 0;
  #factoryCalls = 0;
  #calls = 0;
  #isCalm = false;
  #isStopped = false;

  constructor(world: World, plan: ProducerPlan, test: ProducerUnderTest<Client>) {
    this.#world = world;
    this.#plan = plan;
    this.#test = test;
    this.#network = new Network<Host>(world);
    this.#broker = test.broker.start(world, BROKER);
    this.#brokerHost = new Host(world, this.#network, BROKER, () => undefined);
    this.#triggerer = new Host(world, this.#network, TRIGGERER, (life) => this.#boot(life), {
      restartAfterMs: RESTART_MS,
    });
    world.trace.listen((event) => {
      if (event.kind === "factory") this.#poll = event.poll;
    });
  }

  get broker(): Broker<Client> {
    return this.#broker;
  }

  start(): void {
    this.#brokerHost.start();
    this.#triggerer.start();
    for (const act of this.#plan.acts) this.#schedule(act);
  }

  /** Ends all faults; everybody who was ever there comes back and behaves. */
  calmDown(): void {
    this.#isCalm = true;
    this.#broker.calmDown();
    this.#network.repairAll();
    for (const host of [this.#brokerHost, this.#triggerer]) {
      if (host.life === undefined) host.start();
      else host.life.pausedUntil = 0;
    }
    for (const act of this.#plan.acts) if (act.kind === "subscriber") this.#join(act.id);
  }

  isAtRest(): boolean {
    return this.#broker.owed().length === 0;
  }

  /** The orderly end: the manager stops its group, and the producer closes. */
  stop(): void {
    this.#isStopped = true;
    for (const subscriber of this.#subscribers.values()) subscriber.leave();
    const manager = this.#manager;
    this.#triggerer.life?.after(1, () => void manager?.stopAll());
  }

  /** After the orderly end: only the producer sets timers of the global object. */
  lookForTimers(): void {
    const timers = this.#world.globals.timersSet;
    if (timers === 0) return;
    this.#world.trace.emit(TRIGGERER, { kind: "still-open", poll: 0, what: [], timers });
  }

  #schedule(act: ProducerAct): void {
    switch (act.kind) {
      case "publish":
        this.#at(act.at, () => this.#broker.publish({ ref: act.ref, key: act.key }));
        break;
      case "subscriber":
        this.#at(act.joinAt, () => this.#join(act.id));
        if (act.leaveAt !== undefined) this.#at(act.leaveAt, () => this.#leave(act.id));
        break;
      case "strike": {
        const { site, verdict, nth, times } = act;
        this.#world.injector.install(strikeNth({ site }, verdict, nth, times));
        break;
      }
      case "disturb":
        this.#at(act.at, () => this.#disturb(act.name));
        break;
      case "close-unopened":
        this.#at(act.at, () => this.#closeUnopened());
        break;
      case "conduct":
      case "factory-fails":
        break;
      default:
        this.#at(act.at, () => this.#breakDown(act));
    }
  }

  #breakDown(act: ActOf<"crash"> | ActOf<"pause"> | ActOf<"link">): void {
    switch (act.kind) {
      case "crash":
        (act.host === "broker" ? this.#brokerHost : this.#triggerer).crash(act.downMs);
        break;
      case "pause":
        this.#triggerer.pause(act.ms);
        break;
      case "link":
        for (const [from, to] of [
          [TRIGGERER, BROKER],
          [BROKER, TRIGGERER],
        ] as const) {
          if (act.state === "cut") this.#network.cut(from, to);
          else this.#network.hold(from, to);
          this.#world.schedule(act.ms, { lane: "plan" }, () => this.#network.repair(from, to));
        }
        break;
      default:
        act satisfies never;
    }
  }

  #disturb(name: string): void {
    const disturbance = this.#broker.disturbances.find((one) => one.name === name);
    if (disturbance === undefined || this.#isCalm) return;
    this.#world.trace.emit(BROKER, { kind: "disturbed", name });
    this.#world.injector.count(name);
    disturbance.strike();
  }

  /** A step of the plan, dropped once all is calm: only the past troubles the liveness phase. */
  #at(ms: number, fn: () => void): void {
    this.#world.schedule(ms, { lane: "plan" }, fn);
  }

  #join(id: number): void {
    this.#wanted.add(id);
    const life = this.#triggerer.life;
    if (life === undefined) return;
    life.after(0, () => {
      if (!this.#isStopped) this.#subscribers.get(id)?.join();
    });
  }

  #leave(id: number): void {
    if (this.#isCalm) return;
    this.#wanted.delete(id);
    const life = this.#triggerer.life;
    if (life === undefined) return;
    // A paused host gets to it when all is calm already, and the subscriber wanted again.
    life.after(0, () => {
      if (!this.#wanted.has(id)) this.#subscribers.get(id)?.leave();
    });
  }

  #boot(life: Life): void {
    const { ackTimeoutMs, subscriberQueueMax, strictPersistence } = this.#plan;
    const plain = new SharedStreamManager({
      clock: life.clock,
      observer: observerOf(life),
      ackTimeout: { milliseconds: ackTimeoutMs },
      maxSubscriberQueue: subscriberQueueMax,
      strictPersistence,
    });
    const manager = new TracedManager(life, plain, this.#ids, (raw) => this.#refOf(raw));
    this.#manager = manager;
    this.#subscribers = new Map();
    const trigger = { createSharedStreamProducer: () => this.#createProducer(life) };
    for (const act of this.#plan.acts) {
      if (act.kind !== "subscriber") continue;
      const conductFor = (raw: unknown) => this.#conductFor(act.id, raw);
      const parts = { manager, ids: this.#ids, trigger, key: KEY, conductFor };
      const subscriber = new Subscriber(life, act.id, parts);
      this.#subscribers.set(act.id, subscriber);
      if (this.#wanted.has(act.id) && !this.#isStopped) subscriber.join();
    }
  }

  #refOf(raw: unknown): string {
    return this.#refs.get(raw) ?? "?";
  }

  #conductFor(subscriber: number, raw: unknown): { readonly how: Conduct; readonly ms: number } {
    const ref = this.#refOf(raw);
    const name = `${subscriber}/${ref}`;
    const seen = (this.#sightings.get(name) ?? 0) + 1;
    this.#sightings.set(name, seen);
    for (const act of this.#plan.acts) {
      if (act.kind !== "conduct" || act.ref !== ref || act.subscriber !== subscriber) continue;
      if (seen > act.times) continue;
      // What a filter thinks of a record does not change when the weather does.
      if (this.#isCalm && act.how !== "reject") continue;
      return act;
    }
    return CALM;
  }

  #createProducer(life: Life): SharedStreamProducer<unknown> {
    this.#factoryCalls += 1;
    const nth = this.#factoryCalls;
    const poll = this.#poll;
    const link = this.#connect(life, poll);
    const producer = this.#callFactory(link.client);
    const mustFail = this.#plan.acts.some(
      (act) => act.kind === "factory-fails" && act.nth === nth && !this.#isCalm,
    );
    if (mustFail) {
      this.#world.injector.count("the factory fails after it made its producer");
      this.#expectReleased(life, poll, link);
      throw new Error("The factory failed after it had made its producer");
    }
    const face = new ProducerObserver(life, poll, producer, {
      identify: this.#test.identify,
      refs: this.#refs,
      calls: () => this.#calls,
      onWork: () => this.#world.codeObservers.codeBegan(),
    }).asProducer();
    return {
      ...face,
      aclose: async () => {
        try {
          await face.aclose?.();
        } finally {
          this.#expectReleased(life, poll, link);
        }
      },
    };
  }

  #callFactory(client: Client): SharedStreamProducer<unknown> {
    try {
      const producer: Partial<SharedStreamProducer<unknown>> | undefined =
        this.#test.createProducer({ client });
      this.#world.codeObservers.codeBegan();
      if (typeof producer?.openStream !== "function" || typeof producer.advance !== "function") {
        this.#world.fail(new NoProducer(producer));
      }
      return producer as SharedStreamProducer<unknown>;
    } catch (cause) {
      if (!(cause instanceof HostDied)) {
        const why = cause instanceof Error ? cause.message : String(cause);
        this.#world.fail(new FactoryThrew(`createProducer threw: ${why}`, { cause }));
      }
      throw cause;
    }
  }

  #connect(life: Life, poll: number): BrokerLink<Client> {
    return this.#broker.connect(clientPortOf(life, (site) => this.#heardCall(life, poll, site)));
  }

  /** Calls are traced only where there must be none. */
  #heardCall(life: Life, poll: number, site: string): void {
    this.#calls += 1;
    if (this.#released.has(poll)) life.trace({ kind: "client-call", poll, site });
  }

  readonly #released = new Set<number>();

  #expectReleased(life: Life, poll: number, link: BrokerLink<Client>): void {
    this.#released.add(poll);
    life.after(RELEASE_MS, () => {
      const what = link.open();
      if (what.length > 0) life.trace({ kind: "still-open", poll, what, timers: 0 });
    });
  }

  /** A producer that is closed before anybody asked it for its stream. */
  #closeUnopened(): void {
    const life = this.#triggerer.life;
    if (life === undefined || this.#isCalm) return;
    life.after(0, () => void this.#probe(life));
  }

  async #probe(life: Life): Promise<void> {
    const poll = this.#ids.take();
    life.trace({ kind: "factory", key: "unopened", poll });
    const link = this.#connect(life, poll);
    const producer = this.#callFactory(link.client);
    life.trace({ kind: "aclose", poll });
    try {
      await producer.aclose?.();
    } catch (error) {
      const breach = { what: "aclose-threw", error: errorWords(error) } as const;
      life.trace({ kind: "breach", poll, breach, ref: "" });
    }
    life.trace({ kind: "aclosed", poll });
    this.#expectReleased(life, poll, link);
  }
}

/** The life as one client sees it, with each of its calls heard. */
function clientPortOf(life: Life, heard: (site: string) => void): ClientPort {
  return {
    name: life.name,
    incarnation: life.incarnation,
    get alive() {
      return life.alive;
    },
    world: life.world,
    clock: life.clock,
    choices: (kind) => life.choices(kind),
    onDeath: (listener) => life.onDeath(listener),
    after: (ms, fn, options) => life.after(ms, fn, options),
    trace: (body) => life.trace(body),
    call(site, to, effect) {
      heard(site);
      return life.call(site, to, effect);
    },
    callAsync(site, to, effect) {
      heard(site);
      return life.callAsync(site, to, effect);
    },
  };
}
