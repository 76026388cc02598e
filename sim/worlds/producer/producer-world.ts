import type { SharedStreamProducer, StreamKey } from "../../../src/shared-stream/mod.ts";
import type { Broker, BrokerLink } from "../../brokers/broker.ts";
import { FACTORY_SITE } from "../../faults/site.ts";
import { type Verdict, wordsFrom } from "../../faults/verdict.ts";
import { endFaults } from "../../hosts/end-faults.ts";
import { Host } from "../../hosts/host.ts";
import { HostDied } from "../../kernel/host-died.ts";
import type { Life } from "../../hosts/life.ts";
import { Network } from "../../hosts/network.ts";
import { observerOf } from "../../hosts/traced-failures.ts";
import { TracedManager } from "../../hosts/traced-manager.ts";
import { TraceIds } from "../../hosts/trace-ids.ts";
import type { World } from "../../kernel/world.ts";
import { errorWords } from "../../trace/error-words.ts";
import type { Breach } from "../../trace/producer-events.ts";
import { installFaults } from "../install-faults.ts";
import { createManagerOf, settingsFrom } from "../manager/profiles.ts";
import type { CodeUnderTest, ManagerFactory, Stage } from "../stage.ts";
import { brokerFrom, leaseMsOf } from "./broker-spec.ts";
import { clientPortOf } from "./client-port.ts";
import { OwnWaits } from "./own-waits.ts";
import { ProducerObserver } from "./producer-observer.ts";
import { FactoryThrew, NoProducer, type ProducerUnderTest } from "./producer-under-test.ts";
import type { Behaviour, ProducerFault, ProducerScenario } from "./producer-scenario.ts";
import { RefusedCalls } from "./refused-calls.ts";
import { Subscriber } from "./subscriber.ts";

const BROKER = "broker";
const TRIGGERER = "triggerer";
const KEY: StreamKey = ["checked"];
const RESTART_MS = 2_000;
/** How long a producer may take after its end to close everything. */
const RELEASE_MS = 5_000;
/** How often the liveness phase checks whether it may end. */
const REST_CHECK_MS = 2_000;
/** For closing: the manager drains, the producer closes. */
const CLOSING_MS = 70_000;
/** A record that was rejected, or failed, so often without faults is so whenever it comes. */
const REFUSALS_MANY = 6;
/** A confirmation is quick and a filter well-behaved once all is calm. */
const CALM: BehaviourNow = { does: "accept", for: 0 };

interface BehaviourNow {
  readonly does: Behaviour;
  readonly for: number;
}

/**
 * Builds a broker, a triggerer with a real manager, subscribers, and the faults of a scenario.
 *
 * @throws {TypeError} when there is no producer among the parts, or no model of the broker
 */
export function buildProducerWorld(
  world: World,
  scenario: ProducerScenario,
  { producer, createManager = createManagerOf(scenario.profile) }: BuildParts,
): Stage {
  if (producer === undefined) {
    throw new TypeError(`Cannot run "${scenario.name}": its producer has to be given`);
  }
  return new ProducerStage(world, scenario, producer, createManager);
}

interface BuildParts {
  readonly producer?: ProducerUnderTest;
  readonly createManager?: ManagerFactory;
}

class ProducerStage implements Stage {
  readonly restCheckMs: number = REST_CHECK_MS;
  readonly codeUnderTest: CodeUnderTest;
  readonly shutdown: NonNullable<Stage["shutdown"]>;
  readonly #world: World;
  readonly #scenario: ProducerScenario;
  readonly #test: ProducerUnderTest;
  readonly #createManager: ManagerFactory;
  readonly #network: Network<Host>;
  readonly #broker: Broker<unknown>;
  readonly #brokerHost: Host;
  readonly #triggerer: Host;
  readonly #ids = new TraceIds();
  readonly #refs = new Map<unknown, string>();
  /** Which subscribers want to be there now; it outlives the triggerer. */
  readonly #wanted = new Set<number>();
  readonly #sightings = new Map<string, number>();
  /** How often each record was rejected, or failed, since the faults are over. */
  readonly #refusals = new Map<string, number>();
  readonly #ownWaits: OwnWaits;
  #subscribers = new Map<number, Subscriber>();
  #manager: TracedManager | undefined;
  #poll = 0;
  #calls = 0;
  #isCalm = false;
  #isStopped = false;
  readonly #refused = new RefusedCalls();
  readonly remarkOn: NonNullable<Stage["remarkOn"]> = (one) => this.#refused.remarkOn(one);
  #leastOwed = Number.POSITIVE_INFINITY;
  /** Whether a record that fails a number of times has failed since `hasProgressed` was called. */
  #hasFailed = false;

  constructor(
    world: World,
    scenario: ProducerScenario,
    test: ProducerUnderTest,
    createManager: ManagerFactory,
  ) {
    this.#world = world;
    this.#scenario = scenario;
    this.#ownWaits = new OwnWaits(world, scenario.faults, BROKER);
    this.#test = test;
    this.#createManager = createManager;
    this.#network = new Network<Host>(world);
    this.#broker = (test.broker ?? brokerFrom(scenario.broker)).start(world, BROKER);
    this.#brokerHost = new Host(world, this.#network, BROKER, () => undefined);
    this.#triggerer = new Host(world, this.#network, TRIGGERER, (life) => this.#boot(life), {
      restartAfterMs: RESTART_MS,
    });
    world.trace.listen((event) => {
      if (event.kind === "factory") this.#poll = event.poll;
    });
    this.codeUnderTest = {
      noun: "producer",
      onUnhandled: (error) =>
        this.#breach({ what: "unhandled-rejection", error: errorWords(error) }),
      onSpinning: (steps, ms) => this.#breach({ what: "spinning", steps, ms }),
      records: scenario.records.length,
    };
    this.shutdown = {
      begin: () => this.#stop(),
      takesMs: CLOSING_MS,
      inspect: () => this.#inspectTimers(),
    };
  }

  start(): void {
    const { records, subscribers, faults } = this.#scenario;
    this.#brokerHost.start();
    this.#triggerer.start();
    this.#ownWaits.start();
    for (const record of records) {
      const { at, publish: ref, key, garbled: isGarbled } = record;
      this.#at(at, () => {
        // When the safety phase was cut short, later records are not published.
        if (this.#isCalm) return;
        this.#world.injector.tookEffect(record);
        this.#broker.publish({ ref, key, isGarbled });
      });
    }
    for (const { subscriber, joinAt, leaveAt } of subscribers) {
      this.#at(joinAt, () => this.#join(subscriber));
      if (leaveAt !== undefined) this.#at(leaveAt, () => this.#leave(subscriber));
    }
    installFaults<ProducerFault>(this.#world, faults, {
      network: this.#network,
      strike: (fault) => {
        if (!("disturb" in fault)) return this.#closeUnopened();
        this.#disturb(fault.disturb);
        return true;
      },
      isArmed: () => !this.#isCalm,
    });
  }

  /** Ends all faults; every subscriber subscribes again and behaves. */
  calmDown(): void {
    this.#isCalm = true;
    this.#network.onRefused = (site, error) => this.#refused.add(site, error);
    this.#broker.calmDown();
    endFaults(this.#network);
    for (const { subscriber } of this.#scenario.subscribers) this.#join(subscriber);
  }

  /** What is rejected whenever it comes, and given back each time, would keep the run going for ever. */
  isAtRest(): boolean {
    return this.#broker.owed().every((ref) => (this.#refusals.get(ref) ?? 0) >= REFUSALS_MANY);
  }

  /**
   * Nothing is published any more, so that what is owed can only become less; and what fails a
   * number of times has to come so often first.
   */
  hasProgressed(): boolean {
    const owed = this.#broker.owed().length;
    const hasProgressed = owed < this.#leastOwed || this.#hasFailed;
    this.#leastOwed = Math.min(this.#leastOwed, owed);
    this.#hasFailed = false;
    return hasProgressed;
  }

  /**
   * A record may have to wait until its subscriber is done or times out, until its lease ends, and
   * for the producer itself; and then once more, when it comes again.
   */
  get patienceMs(): number {
    const { manager, behaviours, broker } = this.#scenario;
    // Who never answers is done when it times out.
    const slow = behaviours.map((one) => (one.does === "lose" ? manager.ackTimeout : one.for));
    const heldMs = Math.min(manager.ackTimeout, Math.max(0, ...slow)) + manager.cohortGracePeriod;
    return 2 * (heldMs + leaseMsOf(broker)) + this.#ownWaits.patienceMs;
  }

  /** The orderly end: the manager stops its group, and the producer closes. */
  #stop(): void {
    this.#isStopped = true;
    for (const subscriber of this.#subscribers.values()) subscriber.leave();
    const manager = this.#manager;
    this.#triggerer.life?.after(1, () => void manager?.stopAll());
  }

  /** After the orderly end: only the producer sets timers of the global object. */
  #inspectTimers(): void {
    const timers = this.#world.realm.timersSet;
    if (timers === 0) return;
    this.#world.trace.emit(TRIGGERER, { kind: "still-open", poll: 0, what: [], timers });
  }

  /** What would take a real triggerer down, or at best be a line in its log. */
  #breach(breach: Breach): void {
    this.#world.trace.emit(TRIGGERER, { kind: "breach", poll: 0, breach, ref: "" });
  }

  /** @throws {RangeError} when the broker has no such disturbance */
  #disturb(name: string): void {
    const { disturbances } = this.#broker;
    const disturbance = disturbances.find((one) => one.name === name);
    if (disturbance === undefined) {
      const known = disturbances.map((one) => `"${one.name}"`).join(", ");
      this.#world.fail(
        new RangeError(`The broker has no disturbance "${name}"; there are ${known}`),
      );
      return;
    }
    const isFatal = disturbance.isFatal === true ? ({ isFatal: true } as const) : {};
    this.#world.trace.emit(BROKER, { kind: "disturbed", name, ...isFatal });
    this.#world.injector.count(name);
    disturbance.strike();
  }

  /** A step of the workload. */
  #at(ms: number, fn: () => void): void {
    this.#world.schedule(ms, { lane: "workload" }, fn);
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
    // A paused host may run this in the liveness phase, when the subscriber is needed again.
    life.after(0, () => {
      if (!this.#wanted.has(id)) this.#subscribers.get(id)?.leave();
    });
  }

  #boot(life: Life): void {
    life.onAskedAtOnce = (site, times) => this.#breach({ what: "asked-at-once", site, times });
    const observer = observerOf(life, this.#ids);
    const plain = this.#createManager(life, settingsFrom(this.#scenario), observer);
    const manager = new TracedManager(life, plain, this.#ids, (raw) => this.#refOf(raw));
    this.#manager = manager;
    this.#subscribers = new Map();
    const trigger = { createSharedStreamProducer: () => this.#createProducer(life) };
    for (const { subscriber: id } of this.#scenario.subscribers) {
      const behaviourFor = (raw: unknown) => this.#behaviourFor(id, raw);
      const parts = { manager, ids: this.#ids, trigger, key: KEY, behaviourFor };
      const subscriber = new Subscriber(life, id, parts);
      this.#subscribers.set(id, subscriber);
      if (this.#wanted.has(id) && !this.#isStopped) subscriber.join();
    }
  }

  #refOf(raw: unknown): string {
    return this.#refs.get(raw) ?? "?";
  }

  #behaviourFor(subscriber: number, raw: unknown): BehaviourNow {
    const ref = this.#refOf(raw);
    const name = `${subscriber}/${ref}`;
    const seen = (this.#sightings.get(name) ?? 0) + 1;
    this.#sightings.set(name, seen);
    for (const behaviour of this.#scenario.behaviours) {
      const { on, does, times = Number.POSITIVE_INFINITY } = behaviour;
      if (on !== ref || behaviour.subscriber !== subscriber || seen > times) continue;
      // Whether a filter rejects a record, or cannot cope with it, depends on the record alone.
      if (this.#isCalm && does !== "reject" && does !== "fail") continue;
      this.#world.injector.tookEffect(behaviour);
      const isPassing = does === "fail" && Number.isFinite(times);
      if (isPassing) this.#hasFailed = true;
      else if (this.#isCalm) this.#refusals.set(ref, (this.#refusals.get(ref) ?? 0) + 1);
      return behaviour;
    }
    return CALM;
  }

  #createProducer(life: Life): SharedStreamProducer<unknown> {
    const verdict = this.#judgeCreation(life);
    if (verdict.kind === "fail" && verdict.when === "before") throw new Error("The factory failed");
    const poll = this.#poll;
    const link = this.#connect(life, poll);
    const producer = this.#callFactory(link.client);
    if (verdict.kind === "fail") {
      this.#expectReleased(life, poll, link);
      throw new Error("The factory failed after it had made its producer");
    }
    const observer = new ProducerObserver(life, poll, producer, {
      identify: this.#test.identify,
      refs: this.#refs,
      calls: () => this.#calls,
    });
    return observer.asProducer(() => this.#expectReleased(life, poll, link));
  }

  /** A factory returns at once: it can fail, or its host die there; no other fault can strike it. */
  #judgeCreation(life: Life): Verdict {
    const site = FACTORY_SITE;
    const { verdict, rule } = this.#world.injector.judge(
      site,
      life.name,
      life.world.now,
      undefined,
    );
    if (verdict.kind === "pass") return verdict;
    life.trace({ kind: "fault", site, verdict: wordsFrom(verdict), rule });
    if (verdict.kind === "crash") {
      life.crash(verdict);
      throw new HostDied();
    }
    return verdict;
  }

  #callFactory(client: unknown): SharedStreamProducer<unknown> {
    try {
      const producer: Partial<SharedStreamProducer<unknown>> | undefined =
        // The client is of the broker that the scenario names for this producer.
        this.#test.createProducer({ client: client as never });
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

  #connect(life: Life, poll: number): BrokerLink<unknown> {
    return this.#broker.connect(clientPortOf(life, (site) => this.#countCall(life, poll, site)));
  }

  /** Calls are traced only where there must be none. */
  #countCall(life: Life, poll: number, site: string): void {
    this.#calls += 1;
    if (this.#released.has(poll)) life.trace({ kind: "client-call", poll, site });
  }

  readonly #released = new Set<number>();

  #expectReleased(life: Life, poll: number, link: BrokerLink<unknown>): void {
    this.#released.add(poll);
    life.after(RELEASE_MS, () => {
      const what = link.open();
      if (what.length > 0) life.trace({ kind: "still-open", poll, what, timers: 0 });
    });
  }

  /** Creates a producer and closes it before its stream was opened. */
  #closeUnopened(): boolean {
    const life = this.#triggerer.life;
    life?.after(0, () => void this.#probe(life));
    return life !== undefined;
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
