import type { KillCategory, Operator, TaskFunction, TaskKey } from "../../../src/operator/mod.ts";
import { MemoryStateBackend, type StateBackend, type StoreScope } from "../../../src/store/mod.ts";
import type { DeferralTrigger } from "../../../src/triggerer/mod.ts";
import type { Violation } from "../../checkers/checker.ts";
import { FAULT_DETAILS } from "../../faults/fault-details.ts";
import { type ApiAddress, ApiServer } from "../../hosts/api-server.ts";
import { endFaults } from "../../hosts/end-faults.ts";
import { Host, type HostRole } from "../../hosts/host.ts";
import type { Life } from "../../hosts/life.ts";
import type { Stores } from "../../hosts/traced-store.ts";
import { Network } from "../../hosts/network.ts";
import { PayloadServer } from "../../hosts/payload-server.ts";
import { startScheduler } from "../../hosts/scheduler.ts";
import { type Assignment, isOver, TaskDatabase, type TaskRow } from "../../hosts/task-database.ts";
import { bootTaskProcess, type TaskServices } from "../../hosts/task-process.ts";
import { Worker, type WorkerSlot } from "../../hosts/worker.ts";
import { startTaskTriggerer } from "../../hosts/task-triggerer.ts";
import type { JobClient } from "../../jobs/job-client.ts";
import type { PresetJob } from "../../workloads/preset-job.ts";
import { RowSource } from "../../workloads/row-source.ts";
import type { World } from "../../kernel/world.ts";
import { FailureWords } from "../failure-words.ts";
import { type FaultTargets, hostNamed, installFaults, installStorm } from "../install-faults.ts";
import { outputOf } from "../../jobs/job.ts";
import { DatabaseTrouble } from "./database-trouble.ts";
import { isJobSpec, JobServer } from "./job-server.ts";
import { addStoreHosts } from "./store-hosts.ts";
import { StoreUpgrade } from "./store-upgrade.ts";
import type { Stage } from "../stage.ts";
import type { TaskWorldParts } from "./task-parts.ts";
import { installTaskOperations } from "./task-operations.ts";
import { progressScopeOf } from "../../workloads/progress-memory.ts";
import { Reschedules } from "./reschedules.ts";
import { patienceOf } from "./task-patience.ts";
import { operatorFrom, type OperatorParts, retentionFrom } from "./task-operators.ts";
import type { FailOver, JobSpec, OwnTaskFault, TaskScenario, TaskSpec } from "./task-scenario.ts";

const API = "api";
const DATABASE = "database";
const SCHEDULER = "scheduler";
const TRIGGERER = "triggerer";
const PAYLOADS = "payloads";
const TRIGGERER_EVERY_MS = 2_000;
const RESTART_MS = 3_000;
/** How often an idle worker asks for a task. */
const ASK_EVERY_MS = 1_000;
/** How often it is checked whether a task's next run may start. */
const RUN_CHECK_MS = 1_000;
const DAG_ID = "etl";

/** Builds scheduler, workers, API server and database, with the tasks and faults of a scenario. */
export function buildTaskWorld(
  world: World,
  scenario: TaskScenario,
  parts: TaskWorldParts = {},
): Stage {
  return new TaskStage(world, scenario, parts);
}

class TaskStage implements Stage {
  readonly #world: World;
  readonly #scenario: TaskScenario;
  readonly #parts: TaskWorldParts;
  readonly #network: Network<Host>;
  readonly #database: TaskDatabase;
  readonly #trouble: DatabaseTrouble;
  readonly #upgrade: StoreUpgrade | undefined;
  readonly #specs: ReadonlyMap<string, TaskSpec>;
  readonly #sources = new Map<string, RowSource>();
  readonly #taskIds = new Map<string, string>();
  readonly #jobs: JobServer;
  readonly #payloads = new PayloadServer(PAYLOADS);
  readonly #workers = new Map<string, Worker>();
  readonly #api: ApiAddress;
  #apiServer: ApiServer | undefined;
  #runsBegun = 0;
  #runsByHand = 0;
  /** When the last of the runs that are planned is due. */
  #runDueAt = 0;
  readonly #pages = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #words = new FailureWords();
  readonly #reschedules = new Reschedules();
  #score = 0;
  readonly patienceMs: number;
  #isCalm = false;

  constructor(world: World, scenario: TaskScenario, parts: TaskWorldParts) {
    this.#world = world;
    this.#scenario = scenario;
    this.#parts = parts;
    this.#network = new Network<Host>(world);
    const create = (): StateBackend => parts.createBackend?.(world) ?? new MemoryStateBackend();
    const withValues = (backend: StateBackend): Stores => ({
      backend,
      readable: scenario.payloads && this.#payloads.readable(backend),
      ...(this.#upgrade && {
        of: (attempt: number) => this.#upgrade?.store.of(attempt) ?? backend,
      }),
    });
    const plan = parts.schemaPlan;
    this.#upgrade = StoreUpgrade.of(world, scenario, { host: DATABASE, create, plan });
    const opened = (): StateBackend => this.#upgrade?.store.platform ?? create();
    this.#trouble = new DatabaseTrouble(world, DATABASE, { create: opened, withValues, scenario });
    const { store } = this.#trouble;
    this.#database = new TaskDatabase(world, DATABASE, store, {
      canGoBack: scenario.faults.some((fault) => "failOver" in fault),
    });
    this.patienceMs = patienceOf(scenario);
    world.trace.listen((event) => {
      this.#reschedules.observe(event);
      if (event.kind === "page-loaded") this.#pages.add(`${event.task} ${event.page}`);
    });
    this.#specs = new Map(scenario.tasks.map((spec) => [spec.name, spec]));
    this.#api = { host: API, server: () => this.#apiServer as ApiServer };
    this.#jobs = new JobServer(world, this.#network, scenario);
    this.#createHosts();
    for (const spec of scenario.tasks) {
      if (spec.operator !== "watermark") continue;
      this.#sources.set(spec.name, new RowSource(world, spec.name, spec.rowsEvery));
    }
  }

  start(): void {
    for (const host of this.#network.hosts()) if (host.role !== "child") host.start();
    for (const source of this.#sources.values()) source.start();
    for (const spec of this.#specs.values()) this.#startRuns(spec);
    this.#installFaults();
    installTaskOperations(this.#world, this.#scenario.operations, {
      database: this.#database,
      deploy: ({ deploy: task, taskId, externalIdKey, durable }) => {
        if (taskId !== undefined) this.#taskIds.set(task, taskId);
        this.#jobs.deploy(task, {
          ...(externalIdKey === undefined ? {} : { externalIdKey }),
          ...(durable === undefined ? {} : { durable }),
        });
      },
      migrate: async (operation) =>
        this.#upgrade?.migrate(operation, {
          workers: [...this.#workers.keys()],
          replace: (name) => {
            this.#softKill(name, "infrastructure", this.#scenario.grace, RESTART_MS);
          },
          mayReplace: () => !this.#isCalm,
        }),
      runsOf: (task) => this.#specs.get(task)?.runs ?? 0,
      removed: this.#removed,
      triggerRun: (task, logicalAt) => this.#triggerRun(task, logicalAt),
      watermarkScope: (task) => this.#watermarkScope(task),
    });
  }

  #watermarkScope(task: string): StoreScope | undefined {
    const spec = this.#specs.get(task);
    const row = this.#database.rows().findLast((one) => one.task === task);
    if (spec?.operator !== "watermark" || spec.progressIn === "xcom") return undefined;
    return row === undefined ? undefined : progressScopeOf(row, spec.progressIn);
  }

  calmDown(): void {
    this.#isCalm = true;
    for (const source of this.#sources.values()) source.stop();
    endFaults(this.#network);
    this.#trouble.end();
  }

  remarkOn(violation: Violation): string | undefined {
    return this.#words.remarkOn(violation);
  }

  isAtRest(): boolean {
    const runs = this.#scenario.tasks.reduce((sum, spec) => sum + spec.runs, 0);
    const isOverAll = this.#runsBegun === runs && this.#database.rows().every(isOver);
    return isOverAll && this.#jobs.live === 0;
  }

  #createHosts(): void {
    const { workers, schedulerEvery, deadAfter } = this.#scenario;
    const database = this.#database;
    this.#host(DATABASE, () => undefined);
    if (this.#scenario.payloads !== undefined) this.#host(PAYLOADS, () => undefined);
    this.#host(API, (life) => {
      this.#apiServer = new ApiServer(life, database, DATABASE);
    });
    this.#host(SCHEDULER, (life) =>
      startScheduler(life, database, {
        database: DATABASE,
        everyMs: schedulerEvery,
        staleMs: deadAfter,
      }),
    );
    this.#host(TRIGGERER, (life) =>
      startTaskTriggerer(life, database, {
        database: DATABASE,
        everyMs: TRIGGERER_EVERY_MS,
        createTrigger: (own, { row, deferral }) => this.#createTrigger(own, row, deferral.trigger),
        onFailure: ({ name }, failure) => this.#words.triggerFailed(name, failure),
      }),
    );
    addStoreHosts(this.#scenario, {
      database,
      databaseHost: DATABASE,
      api: this.#api,
      removed: this.#removed,
      addHost: (name, boot) => void this.#host(name, boot),
    });
    for (let at = 1; at <= workers; at += 1) this.#createWorker(at);
  }

  #host(
    name: string,
    boot: (life: Life) => void,
    role: HostRole = "service",
    machine?: Host,
  ): Host {
    const options = { restartAfterMs: RESTART_MS, role, ...(machine && { machine }) };
    return new Host(this.#world, this.#network, name, boot, options);
  }

  /** Supervisor and task process: the process dies with its supervisor, and not the other way. */
  #createWorker(number: number): void {
    const { heartbeat, heartbeatFailures, grace, payloads } = this.#scenario;
    const slot: WorkerSlot = { pending: undefined };
    const name = `worker-${number}`;
    const boot = (life: Life): void => {
      if (slot.pending !== undefined) this.#upgrade?.began(name, slot.pending.assignment.attempt);
      bootTaskProcess(life, slot, {
        api: this.#api,
        retentionOf: ({ row }) => retentionFrom(this.#specOf(row)),
        offloading: payloads && { server: this.#payloads, inlineChars: payloads.inlineChars },
        createOperator: (services) => this.#createOperator(services),
      });
    };
    const role = "child";
    const taskProcess = new Host(this.#world, this.#network, `task-${number}`, boot, { role });
    const bootWorker = (life: Life): void => {
      this.#upgrade?.started(name);
      const worker = new Worker(life, this.#api, taskProcess, slot, {
        askEveryMs: ASK_EVERY_MS,
        heartbeatMs: heartbeat,
        heartbeatFailuresMax: heartbeatFailures,
        graceMs: grace,
        executionTimeoutMs: ({ row }: Assignment) => this.#specOf(row).executionTimeout,
      });
      this.#workers.set(name, worker);
      worker.start();
    };
    this.#host(name, bootWorker, "worker", taskProcess);
  }

  #createOperator(services: TaskServices): Operator | TaskFunction {
    const spec = this.#specOf(services.assignment.row);
    const { life, assignment } = services;
    const given = this.#parts.createOperator?.(spec, services, () =>
      this.#jobs.clientFor(life, assignment.row, assignment.attempt),
    );
    if (given !== undefined) return given;
    return operatorFrom(spec, services, {
      source: this.#sources.get(spec.name),
      job: isJobSpec(spec) ? this.#jobParts(spec, services) : undefined,
    });
  }

  #jobParts(spec: JobSpec, { life, assignment }: TaskServices): OperatorParts["job"] {
    const jobFor = (part?: number): PresetJob =>
      this.#jobs.jobFor(spec, life, assignment.row, { attempt: assignment.attempt, part });
    return {
      job: jobFor(),
      secondJob: () => jobFor(2),
      settings: this.#jobs.settingsOf(spec),
      deferralTimeout: spec.deferralTimeout,
    };
  }

  /** Creates what a task has deferred to: a trigger of its own, or the job that it waits for. */
  #createTrigger(life: Life, row: TaskRow, trigger: unknown): DeferralTrigger {
    const spec = this.#specOf(row);
    const hook = (): JobClient => this.#jobs.clientFor(life, row);
    const own = this.#parts.createTrigger?.(trigger, spec, life, hook);
    return own ?? this.#jobs.triggerFor(spec, life, row, trigger);
  }

  #specOf({ task }: TaskRow): TaskSpec {
    return this.#specs.get(task) as TaskSpec;
  }

  /** A task's runs: the next begins when it is due and, unless they overlap, the last is over. */
  #startRuns(spec: TaskSpec): void {
    let run = 0;
    let dueAt = 0;
    let names: readonly string[] = [];
    const check = (): void => {
      const rows = this.#database.rows().filter(({ name }) => names.includes(name));
      if (this.#world.now >= dueAt && (spec.overlap === true || rows.every(isOver))) {
        run += 1;
        dueAt = this.#world.now + spec.every;
        if (run < spec.runs) this.#runDueAt = Math.max(this.#runDueAt, dueAt);
        names = this.#createRun(spec, run);
      }
      if (run < spec.runs) this.#world.schedule(RUN_CHECK_MS, { lane: "runs" }, check);
    };
    check();
  }

  #createRun(spec: TaskSpec, run: number): readonly string[] {
    this.#runsBegun += 1;
    const taskId = this.#taskIds.get(spec.name) ?? spec.name;
    const indices = spec.mapped === 0 ? [-1] : Array.from({ length: spec.mapped }, (_, at) => at);
    return indices.map((mapIndex) => {
      const key: TaskKey = { dagId: DAG_ID, runId: `run-${run}`, taskId, mapIndex };
      const name = `${taskId}/run-${run}${mapIndex === -1 ? "" : `[${mapIndex}]`}`;
      const { retries, retryDelay, clearOnSuccess } = spec;
      const settings = { retries, retryDelay, clearOnSuccess };
      if (isJobSpec(spec)) {
        const result = this.#jobs.givesIds ? JSON.stringify(outputOf(name)) : "null";
        this.#world.trace.emit(DATABASE, { kind: "result-expected", task: name, result });
      }
      if (clearOnSuccess) this.#world.trace.emit(DATABASE, { kind: "clear-asked", task: name });
      this.#database.create({ name, task: spec.name, key, settings });
      return name;
    });
  }

  #triggerRun(task: string, logicalAt: number): void {
    const { retries, retryDelay, clearOnSuccess } = this.#specs.get(task) as TaskSpec;
    this.#runsByHand += 1;
    const runId = `manual-${this.#runsByHand}`;
    const taskId = this.#taskIds.get(task) ?? task;
    const name = `${taskId}/${runId}`;
    const triggered = { kind: "run-triggered", task: name, process: task, logicalAt } as const;
    this.#world.trace.emit(DATABASE, triggered);
    const key: TaskKey = { dagId: DAG_ID, runId, taskId, mapIndex: -1 };
    const settings = { retries, retryDelay, clearOnSuccess };
    this.#database.create({ name, task, key, settings, logicalAt });
  }

  /** A new run, try or page, a task instance that is over, a job that runs, something that is not due yet. */
  hasProgressed(): boolean {
    const rows = this.#database.rows();
    const over = rows.filter(isOver).length;
    const tries = rows.reduce((sum, { tryNumber }) => sum + tryNumber, 0);
    const score = this.#runsBegun + over + tries + this.#pages.size;
    const isMore = score > this.#score;
    this.#score = score;
    const { now, wallMs } = this.#world;
    const isWaiting = rows.some((row) => this.#isResting(row) && row.dueAt > wallMs);
    return isMore || isWaiting || this.#runDueAt > now || this.#jobs.isAtWork;
  }

  /** A task that is rescheduled for ever makes no progress. */
  #isResting({ state, name, tryNumber }: TaskRow): boolean {
    if (state === "up_for_retry") return true;
    return state === "up_for_reschedule" && !this.#reschedules.areTooMany(name, tryNumber);
  }

  #installFaults(): void {
    const { faults, storm, grace } = this.#scenario;
    const targets: FaultTargets<OwnTaskFault> = {
      network: this.#network,
      strike: (fault) => {
        if ("lag" in fault) return this.#trouble.lag(fault);
        if ("failOver" in fault) return this.#failOver(fault);
        const { softKill, category, grace: graceMs, restartAfter } = fault;
        const { isUp } = hostNamed(this.#network, softKill);
        this.#softKill(softKill, category, graceMs, restartAfter);
        return isUp;
      },
      isArmed: () => !this.#isCalm,
    };
    installFaults(this.#world, faults, targets);
    if (storm === undefined) return;
    const workers = this.#network.hosts().filter(({ role }) => role === "worker");
    installStorm(this.#world, storm, targets, {
      name: "soft kill",
      rate: storm.softKills,
      draw: (choice) => {
        const worker = workers[choice.choose(workers.length, FAULT_DETAILS.worker)];
        if (worker === undefined) return undefined;
        const category: KillCategory = "infrastructure";
        return { softKill: worker.name, category, grace, restartAfter: RESTART_MS };
      },
    });
  }

  #failOver(fault: FailOver): boolean {
    const host = hostNamed(this.#network, DATABASE);
    return this.#trouble.failOver(fault, this.#database, (ms) => host.crash(ms));
  }

  /** SIGTERM: the worker takes no more tasks, and stops when its grace period is over. */
  #softKill(name: string, category: KillCategory, graceMs: number, restartAfterMs: number): void {
    const host = this.#network.host(name);
    const life = host?.life;
    if (host === undefined || life === undefined) return;
    this.#world.injector.count(`soft kill ${name}`);
    this.#workers.get(name)?.softKill(category, graceMs);
    life.after(graceMs, () => host.crash(restartAfterMs));
  }
}
