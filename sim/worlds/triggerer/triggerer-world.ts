import type { SharedStreamProducer } from "../../../src/shared-stream/mod.ts";
import { silentLogger } from "../../../src/time/mod.ts";
import { TriggerRunner } from "../../../src/triggerer/mod.ts";
import { LogConsumer } from "../../brokers/log-consumer.ts";
import { type LogRecord, PartitionLog } from "../../brokers/partition-log.ts";
import { FiredAlone } from "../../checkers/stream/fired-alone.ts";
import { FAULT_DETAILS } from "../../faults/fault-details.ts";
import type { SiteName } from "../../faults/site.ts";
import { endFaults } from "../../hosts/end-faults.ts";
import { Host } from "../../hosts/host.ts";
import { HostDied } from "../../kernel/host-died.ts";
import type { Life } from "../../hosts/life.ts";
import { MetadataDatabase } from "../../hosts/metadata-database.ts";
import { Network } from "../../hosts/network.ts";
import { Supervisor, type WatcherWorkload } from "../../hosts/supervisor.ts";
import { observerOf } from "../../hosts/traced-failures.ts";
import { TracedManager } from "../../hosts/traced-manager.ts";
import { TraceIds } from "../../hosts/trace-ids.ts";
import { TracedStream, TracedWindow } from "../../hosts/traced-stream.ts";
import type { FiredPayload } from "../../hosts/fired-payload.ts";
import { drawsSync } from "../../workloads/filter-form.ts";
import { FailingAdvance } from "../../workloads/failing-advance.ts";
import { LogStreamProducer } from "../../workloads/log-stream-producer.ts";
import { Publisher } from "../../workloads/publisher.ts";
import { type RunPhase, WatcherTrigger } from "../../workloads/watcher-trigger.ts";
import { FAULT_WORDS, type FaultName } from "../../trace/fault-words.ts";
import type { World } from "../../kernel/world.ts";
import { type FaultTargets, installFaults, installStorm } from "../install-faults.ts";
import { installOperations, type Triggerer } from "./operations.ts";
import { createManagerOf, traceSettings, versionedSettings } from "../manager/profiles.ts";
import type { StreamSpec } from "../../workloads/stream-spec.ts";
import { Backlogs, installMemoryLimit } from "./memory-limit.ts";
import type {
  OwnTriggererFault,
  TriggererScenario,
  TriggererVersion,
} from "./triggerer-scenario.ts";
import type { ManagerFactory, Stage } from "../stage.ts";

const BROKER = "broker";
const DATABASE = "database";
/** How long a producer may be silent before its broker puts it out of its group, beyond a fetch. */
const SESSION_SLACK_MS = 30_000;
/** How long nothing may be owed before the world is at rest, because closing takes time. */
const REST_MS = 30_000;

/** Where a trigger event that cannot be encoded shows; no fault can strike there. */
const ENCODING = "sync.encode";

/** Builds triggerers, database and broker, with the workload and the faults of a scenario. */
export function buildTriggererWorld(
  world: World,
  scenario: TriggererScenario,
  createManager: ManagerFactory = createManagerOf(scenario.profile),
): Stage {
  return new TriggererStage(world, scenario, createManager);
}

class TriggererStage implements Stage {
  readonly #world: World;
  readonly #scenario: TriggererScenario;
  readonly #createManager: ManagerFactory;
  readonly #network: Network<Host>;
  readonly #database: MetadataDatabase;
  readonly #log: PartitionLog;
  readonly #ids = new TraceIds();
  readonly #phase: RunPhase = { isCalm: false };
  readonly #publisher: Publisher;
  readonly #specs: ReadonlyMap<string, StreamSpec>;
  readonly #supervisors = new Map<string, Supervisor>();
  readonly #aborts = new Map<string, AbortController>();
  readonly #triggerers = new Map<string, Triggerer>();
  readonly #advances = new Map<string, FailingAdvance>();
  readonly #firedAlone = new FiredAlone();
  /** What was deployed to a triggerer, by its name. */
  readonly #versions = new Map<string, TriggererVersion>();
  readonly #backlogs = new Backlogs();
  #restSince: number | undefined;
  #leastOwed = Number.POSITIVE_INFINITY;
  readonly patienceMs: number;

  constructor(world: World, scenario: TriggererScenario, createManager: ManagerFactory) {
    this.#world = world;
    this.#scenario = scenario;
    this.#createManager = createManager;
    this.patienceMs = patienceOf(scenario);
    this.#network = new Network<Host>(world);
    this.#database = new MetadataDatabase(world, DATABASE);
    const sessionTimeoutMs = scenario.fetchWait + SESSION_SLACK_MS;
    this.#log = new PartitionLog(world, BROKER, { sessionTimeoutMs });
    this.#specs = new Map(scenario.streams.map((spec) => [spec.name, spec]));
    this.#publisher = new Publisher(world, this.#log, scenario.streams);
    if (scenario.streams.some(({ mode }) => mode === "standalone")) {
      world.trace.listen((event) => this.#firedAlone.observe(event));
    }
    if (scenario.faults.some((fault) => "memoryLimit" in fault)) {
      world.trace.listen((event) => this.#backlogs.observe(event));
    }
    for (const spec of scenario.streams) this.#createStream(spec);
    for (const name of [BROKER, DATABASE]) new Host(world, this.#network, name, () => undefined);
    for (let at = 1; at <= scenario.triggerers; at += 1) this.#createTriggerer(at);
  }

  start(): void {
    for (const host of this.#network.hosts()) {
      if (host.role !== "child") host.start();
    }
    this.#publisher.start();
    this.#installFaults();
    installOperations(this.#world, this.#scenario.operations, {
      database: this.#database,
      triggerers: this.#triggerers,
      deploy: (triggerer, version) => this.#versions.set(triggerer, version),
    });
  }

  get actors(): number {
    return this.#scenario.streams.reduce((sum, { triggers }) => sum + triggers, 0);
  }

  calmDown(): void {
    this.#phase.isCalm = true;
    this.#publisher.stop();
    endFaults(this.#network);
  }

  isAtRest(): boolean {
    if (this.#owed > 0) {
      this.#restSince = undefined;
      return false;
    }
    this.#restSince ??= this.#world.now;
    return this.#world.now - this.#restSince >= REST_MS;
  }

  /** Nothing is published any more, so that what is owed can only become less. */
  hasProgressed(): boolean {
    const owed = this.#owed;
    const isLess = owed < this.#leastOwed;
    this.#leastOwed = Math.min(this.#leastOwed, owed);
    return isLess;
  }

  /** How many records are not settled, and trigger events without a stream not stored. */
  get #owed(): number {
    return this.#publisher.owed + this.#firedAlone.size;
  }

  #installFaults(): void {
    const { faults, storm } = this.#scenario;
    const isOver = (): boolean => this.#phase.isCalm;
    const network = this.#network;
    const targets: FaultTargets<OwnTriggererFault> = {
      network,
      strike: (fault) => {
        if ("memoryLimit" in fault) {
          const backlogs = this.#backlogs;
          installMemoryLimit(this.#world, fault, { network, backlogs, isOver });
          // A machine has its size, whether or not anybody outgrows it.
          return fault.for === undefined;
        }
        const stream = "rebalance" in fault ? fault.rebalance : fault.expireConsumers;
        const isStruck = this.#log.hasMembers(stream);
        if ("rebalance" in fault) this.#rebalance(stream);
        else this.#log.expireAll(stream);
        return isStruck;
      },
      isArmed: () => !isOver(),
    };
    installFaults(this.#world, faults, targets);
    if (storm === undefined) return;
    const streams = [...this.#specs.keys()];
    installStorm(this.#world, storm, targets, {
      name: "rebalance",
      rate: storm.rebalances,
      draw: (choice) => {
        const stream = streams[choice.choose(streams.length, FAULT_DETAILS.stream)];
        return stream === undefined ? undefined : { rebalance: stream };
      },
    });
  }

  #createStream(spec: StreamSpec): void {
    this.#log.createTopic(spec.name, spec.partitions);
    this.#log.createTopic(deadLetterTopic(spec.name), 1);
    this.#advances.set(spec.name, new FailingAdvance(spec, this.#phase));
    for (let at = 1; at <= spec.triggers; at += 1) this.#database.createTrigger(spec.name, at);
  }

  /** Creates supervisor and runner, which crash together unless the scenario says otherwise. */
  #createTriggerer(number: number): void {
    const { restartRunnerAlone } = this.#scenario;
    const supervisorName = `supervisor-${number}`;
    const bootRunner = (life: Life): void => {
      this.#bootRunner(life, supervisorName, this.#versions.get(`triggerer-${number}`));
      if (!restartRunnerAlone) life.onDeath(() => supervisor.crash(RESTART_MS));
    };
    const runner = new Host(this.#world, this.#network, `runner-${number}`, bootRunner, {
      role: "child",
    });
    const supervisor: Host = new Host(this.#world, this.#network, supervisorName, (life) => {
      this.#bootSupervisor(life, `triggerer-${number}`);
      runner.start();
      life.onDeath(() => runner.crash());
    });
    this.#triggerers.set(`triggerer-${number}`, {
      supervisor,
      drain: () => this.#aborts.get(runner.name)?.abort(),
    });
  }

  #bootSupervisor(life: Life, triggerer: string): void {
    const { heartbeat, claimAfter, syncEvery } = this.#scenario;
    const supervisor = new Supervisor(life, this.#database, {
      triggerer,
      database: DATABASE,
      roundMs: syncEvery,
      heartbeatMs: heartbeat,
      staleMs: claimAfter,
    });
    this.#supervisors.set(life.name, supervisor);
    supervisor.start();
  }

  #bootRunner(life: Life, supervisorName: string, version: TriggererVersion = {}): void {
    const settings = versionedSettings(this.#scenario, version);
    const { profile } = version;
    const create = profile === undefined ? this.#createManager : createManagerOf(profile);
    traceSettings(life, settings);
    const manager = new TracedManager(
      life,
      create(life, settings, observerOf(life, this.#ids)),
      this.#ids,
      refOf,
    );
    const runner = new TriggerRunner<WatcherWorkload>(
      life.clock,
      manager,
      this.#port(life, supervisorName),
      {
        runnerId: `${life.name}/${life.incarnation}`,
        createTrigger: (workload) => this.#createTrigger(life, manager, workload),
        logger: silentLogger,
        syncInterval: { milliseconds: this.#scenario.syncEvery },
      },
    );
    const abort = new AbortController();
    this.#aborts.set(life.name, abort);
    runner.run(abort.signal).catch((error: unknown) => {
      if (!(error instanceof HostDied)) this.#world.fail(error);
    });
  }

  #port(
    life: Life,
    supervisorName: string,
  ): ConstructorParameters<typeof TriggerRunner<WatcherWorkload>>[2] {
    return {
      sync: (request) =>
        life.call("sync.request", supervisorName, () => {
          const supervisor = this.#supervisors.get(supervisorName) as Supervisor;
          return supervisor.handle(request);
        }),
      assertEncodable: ({ payload }) => {
        if ((payload as FiredPayload).circular === undefined) return;
        traceFault(life, ENCODING, "encode");
        throw new TypeError("Circular payload");
      },
    };
  }

  #createTrigger(life: Life, manager: TracedManager, workload: WatcherWorkload): WatcherTrigger {
    const spec = this.#specs.get(workload.stream) as StreamSpec;
    return new WatcherTrigger({
      clock: life.clock,
      choice: life.choices("workload"),
      ids: this.#ids,
      phase: this.#phase,
      spec,
      ordinal: workload.ordinal,
      isSync: drawsSync(spec.filter.form, life.choices("workload")),
      onYield: (place, event) => {
        if (isTraced(place)) manager.yielded(place.sub, event);
        life.point("runner.yield");
      },
      rejectAmbiently: (place) => {
        if (isTraced(place)) place.rejectAmbiently();
      },
      laterReject: (stream) => (stream instanceof TracedStream ? stream.laterReject() : () => {}),
      rejectAlone: () => {
        life.trace({ kind: "reject-alone", trigger: workload.triggerId });
        manager.rejectAlone();
      },
      onFiredAlone: ({ event, ref }) =>
        life.trace({ kind: "fired-alone", trigger: workload.triggerId, event, ref }),
      onRaise: () => traceFault(life, "runner.filter", "raise"),
      sometimes: (mark) => this.#world.trace.sometimes(mark),
      createProducer: () => this.#createProducer(life, spec, groupOf(spec, workload)),
    });
  }

  #createProducer(life: Life, spec: StreamSpec, group: string): SharedStreamProducer<unknown> {
    const member = `${life.name}/${life.incarnation}/${this.#ids.take()}`;
    const consumer = new LogConsumer(life, this.#log, member, {
      broker: BROKER,
      group,
      topic: spec.name,
      maxWaitMs: this.#scenario.fetchWait,
    });
    const deadLetter = (record: LogRecord): Promise<void> =>
      life.call("broker.produce", BROKER, () => {
        this.#log.produce(deadLetterTopic(spec.name), 0, () => record.value);
        this.#world.trace.emit(BROKER, { kind: "dead-lettered", ref: refOf(record.value) });
      });
    const producer = new LogStreamProducer(life.clock, consumer, deadLetter, spec.inFlightMax);
    return (this.#advances.get(spec.name) as FailingAdvance).around(producer);
  }

  #rebalance(stream: string): void {
    this.#world.injector.count(`rebalance ${stream}`);
    this.#log.forceRebalance(stream);
  }
}

const RESTART_MS = 3_000;

/**
 * A record may have to wait for all of these, one after the other: another triggerer claims its
 * triggers, the broker gives up the old consumer, the new one fetches, a filter takes long, a
 * subscriber times out.
 */
function patienceOf(scenario: TriggererScenario): number {
  const { manager, claimAfter, heartbeat, syncEvery, fetchWait, streams } = scenario;
  const slow = streams.map(({ filter, slowPartition }) =>
    Math.max(filter.slowFor, slowPartition?.for ?? 0),
  );
  const claimedMs = claimAfter + heartbeat + syncEvery;
  const fetchedMs = SESSION_SLACK_MS + 2 * fetchWait;
  const timedOutMs = Math.ceil(1.5 * manager.ackTimeout) + manager.cohortGracePeriod;
  return claimedMs + fetchedMs + Math.max(...slow) + timedOutMs + REST_MS;
}

function isTraced(place: object): place is TracedStream | TracedWindow {
  return place instanceof TracedStream || place instanceof TracedWindow;
}

/** A fault that is the workload's own doing. */
function traceFault(life: Life, site: SiteName | typeof ENCODING, fault: FaultName): void {
  const verdict = FAULT_WORDS[fault];
  life.trace({ kind: "fault", site, verdict, rule: "workload" });
  life.world.injector.count(`${site}: ${verdict}`);
}

/** The consumer group of a stream; a trigger that reads its topic alone has its own. */
function groupOf({ name, mode }: StreamSpec, { triggerId }: WatcherWorkload): string {
  return mode === "standalone" ? `${name}/${triggerId}` : name;
}

function deadLetterTopic(stream: string): string {
  return `${stream}.dead-letter`;
}

function refOf(raw: unknown): string {
  return typeof raw === "object" && raw !== null && "ref" in raw ? String(raw.ref) : "?";
}
