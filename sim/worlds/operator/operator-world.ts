import type { TaskCheckpointed, TaskDeferred } from "../../../src/operator/mod.ts";
import { MemoryStateBackend } from "../../../src/store/mod.ts";
import type { Violation } from "../../checkers/checker.ts";
import { deferralTimeoutMs, deferralTimesOutAt } from "../../hosts/deferral-timeout.ts";
import { endFaults } from "../../hosts/end-faults.ts";
import { AttemptGone } from "../../hosts/task-database.ts";
import { Host } from "../../hosts/host.ts";
import type { Life } from "../../hosts/life.ts";
import { Network } from "../../hosts/network.ts";
import { scopeText, TracedStore } from "../../hosts/traced-store.ts";
import { textFromJobId } from "../../jobs/job-id.ts";
import type { JobRequest } from "../../jobs/job.ts";
import type { JobSystem } from "../../jobs/job-system.ts";
import type { World } from "../../kernel/world.ts";
import { errorWords } from "../../trace/error-words.ts";
import type { TaskRowState } from "../../trace/task-events.ts";
import { addJobSystem, JOB_SYSTEM_HOST } from "../add-job-system.ts";
import { calmAttemptsMax, latencyOf } from "../job-patience.ts";
import { FailureWords } from "../failure-words.ts";
import { installFaults } from "../install-faults.ts";
import { knobsFrom } from "../job-system-spec.ts";
import type { CodeUnderTest, Stage } from "../stage.ts";
import { type AttemptEnding, type AttemptStart, OperatorAttempt } from "./operator-attempt.ts";
import { type OperatorTask, operatorTask, runKey } from "./operator-task.ts";
import { AttemptFaults } from "./attempt-faults.ts";
import { CalmAttempts } from "./calm-attempts.ts";
import { DeferredTask } from "./deferred-task.ts";
import type { DeferralEnd } from "./operator-trigger.ts";
import { OtherSubmitters, OwnJobs } from "./own-jobs.ts";
import { isCalm, isFaultOfWorld, type OperatorScenario } from "./operator-scenario.ts";
import type { OperatorUnderTest } from "./operator-under-test.ts";
import type { Uses } from "./uses-in.ts";

const NO_USES: Uses = { keys: [], areAtOnce: false };
const STORE = "store";
const SCHEDULER = "scheduler";
/** So many of its longest waits an operator may need after its job has ended, one after the other. */
const OWN_WAITS = 20;
const REST_CHECK_MS = 60_000;
/** How often a task that its user has stopped looks whether its jobs are over. */
const LAST_JOBS_MS = 5_000;

/** Builds a job system, a state store and a task whose operator is under test. */
export function buildOperatorWorld(
  world: World,
  scenario: OperatorScenario,
  operator: OperatorUnderTest,
): Stage {
  return new OperatorStage(world, scenario, operator);
}

/** One task, whose attempts run one after the other, each in a process of its own. */
class OperatorStage implements Stage {
  readonly restCheckMs = REST_CHECK_MS;
  readonly codeUnderTest: CodeUnderTest;
  readonly #world: World;
  readonly #scenario: OperatorScenario;
  readonly #operator: OperatorUnderTest;
  readonly #task: OperatorTask;
  readonly #network: Network<Host>;
  readonly #system: JobSystem;
  readonly #store: TracedStore;
  readonly #jobs: OwnJobs;
  readonly #others: OtherSubmitters;
  readonly #attemptFaults: AttemptFaults;
  #attempts = 0;
  #tries = 0;
  /** Whether the next attempt is part of the try of the last one. */
  #isSameTry = false;
  /** The longest time until a date to which the task was rescheduled. */
  #longestRestMs = 0;
  #isCalm = false;
  #isStuck = false;
  /** Whether its user has cleared the task, whose attempt is not over yet. */
  #isCleared = false;
  /** How the next attempt begins; undefined: from the beginning. */
  #start: AttemptStart | undefined;
  readonly #words = new FailureWords();
  #attemptsSeen = 0;
  /** How many jobs the task had when the faults ended. */
  #jobsBeforeCalm = 0;
  #retryAt = 0;
  /** When the last attempt began. */
  #begunAt = 0;
  readonly #calmAttempts: CalmAttempts;
  readonly #lives = new Set<Life>();

  constructor(world: World, scenario: OperatorScenario, operator: OperatorUnderTest) {
    this.#world = world;
    this.#scenario = scenario;
    this.#operator = operator;
    this.#task = operatorTask(scenario.runId);
    this.#network = new Network<Host>(world);
    const knobs = knobsFrom(scenario.system, operator.knobs);
    this.#system = addJobSystem(world, this.#network, knobs);
    this.#store = new TracedStore(world, STORE, { backend: new MemoryStateBackend() });
    this.#calmAttempts = new CalmAttempts(calmAttemptsMax(this.#system.knobs));
    this.#jobs = new OwnJobs(world.trace, this.#task.key);
    if (scenario.faults.length + scenario.operations.length === 0) this.#noteOrders();
    this.#others = new OtherSubmitters(this.#system, this.#jobs);
    this.#attemptFaults = new AttemptFaults(world, scenario.faults, {
      isArmed: () => !this.#isCalm,
      onClear: (attempt) => this.#clear(attempt),
    });
    this.codeUnderTest = { noun: "operator" };
  }

  start(): void {
    const { runId, system: spec } = this.#scenario;
    const { system } = spec;
    const result = this.#operator.calmResults.get(runKey(system, runId)) ?? "";
    const calm = isCalm(this.#scenario, this.#system.knobs) ? ({ isCalm: true } as const) : {};
    const expected = { kind: "result-expected", task: this.#task.key, result } as const;
    const ids = this.#operator.calmForms.get(system);
    this.#world.trace.emit(SCHEDULER, { ...expected, ...calm, ...(ids && { ids }) });
    this.#systemHost().start();
    installFaults<never>(this.#world, this.#scenario.faults.filter(isFaultOfWorld), {
      network: this.#network,
      strike: () => false,
      mayCome: (host) => host.startsWith("attempt-"),
      isArmed: () => !this.#isCalm,
    });
    for (const operation of this.#scenario.operations) {
      this.#world.schedule(operation.at, { lane: "operations", hop: false }, () => {
        if (!this.#isCalm && this.#systemHost().isUp) this.#submitForOthers(operation);
      });
    }
    this.#attempt();
  }

  /** Notes what the task submits in this run, which has no faults, for those beside which it runs. */
  #noteOrders(): void {
    const { runId, system } = this.#scenario;
    const orders: JobRequest[] = [];
    this.#operator.calmOrders.set(runKey(system.system, runId), orders);
    this.#world.trace.listen((event) => {
      if (event.kind !== "job-accepted" || event.task !== this.#task.key) return;
      orders.push(this.#system.requestOf(event.job));
    });
  }

  #submitForOthers(operation: OperatorScenario["operations"][number]): void {
    if ("otherJobs" in operation) {
      for (let nth = 0; nth < operation.otherJobs; nth += 1) this.#others.submit();
    } else {
      const run = runKey(this.#scenario.system.system, operation.otherRun);
      const orders = this.#operator.calmOrders.get(run) ?? [];
      if (orders.length === 0) return;
      this.#others.submitAgain(orders);
    }
    this.#world.injector.tookEffect(operation);
  }

  calmDown(): void {
    this.#isCalm = true;
    this.#jobsBeforeCalm = this.#jobs.count;
    endFaults(this.#network);
  }

  isAtRest(): boolean {
    return this.#isStuck;
  }

  /** A new attempt, one that will begin, and jobs that run; of these as many as attempts need. */
  hasProgressed(): boolean {
    const isNewAttempt = this.#attempts > this.#attemptsSeen;
    this.#attemptsSeen = this.#attempts;
    if (isNewAttempt || this.#retryAt > this.#world.now) return true;
    return this.#isJobAtWork();
  }

  /** How late the system may reply, and the waits of the operator itself. */
  get patienceMs(): number {
    return latencyOf(this.#system.knobs) + OWN_WAITS * this.#longestWaitMs();
  }

  #longestWaitMs(): number {
    const waits = [...this.#lives].map(({ longestWaitMs }) => longestWaitMs);
    return Math.max(this.#world.realm.longestWaitMs, this.#longestRestMs, ...waits);
  }

  remarkOn(violation: Violation): string | undefined {
    const { knobs } = this.#system;
    const isUnfinished = violation.symptom === "task-unfinished";
    const remark = this.#words.remarkOn(violation);
    if (remark !== undefined || !isUnfinished || !isCalm(this.#scenario, knobs)) return remark;
    // An operator that is checked on another system than its own may wait for that one's words.
    const { active, success, failure } = knobs.statusVocabulary;
    const words = [...active, ...success, ...failure].join(", ");
    return `Nothing befell it. The statuses of ${this.#scenario.system.system} are ${words}`;
  }

  #calmJobs(): number {
    return this.#jobs.count - this.#jobsBeforeCalm;
  }

  #systemHost(): Host {
    return this.#network.host(JOB_SYSTEM_HOST) as Host;
  }

  #attempt(): void {
    this.#attempts += 1;
    if (!this.#isSameTry) this.#tries += 1;
    // A task that goes on in its try while a job is at work may wait as often as it needs.
    if (this.#isCalm && !(this.#isSameTry && this.#isJobAtWork())) {
      this.#calmAttempts.begin({ isSameTry: this.#isSameTry });
    }
    this.#isSameTry = false;
    if (this.#calmAttempts.areUsedUp) {
      this.#isStuck = true;
      return;
    }
    const number = this.#attempts;
    const boot = (life: Life): void => this.#boot(life, number);
    const options = { role: "attempt" } as const;
    new Host(this.#world, this.#network, `attempt-${number}`, boot, options).start();
  }

  /** Whether a job is at work that the task may wait for: not if it submits more and more. */
  #isJobAtWork(): boolean {
    return this.#system.isAtWork && this.#calmJobs() <= this.#calmAttempts.max;
  }

  #boot(life: Life, number: number): void {
    const store = this.#store;
    const attempt = new OperatorAttempt(life, {
      task: this.#task,
      number,
      tryNumber: this.#tries,
      createJob: this.#operator.createJob,
      system: this.#system,
      store: {
        getState: (of, scope, key) => store.as(of).get(scope, key),
        // A commit may be late, and come when its attempt is over: its token is refused then.
        writeState: (of, write) =>
          life.alive ? write(store.as(of)) : Promise.reject(new AttemptGone(of, "infrastructure")),
      },
      uses: this.#operator.calmUses.get(this.#scenario.system.system) ?? NO_USES,
      start: this.#start,
      onEnd: (ending) => this.#end(life, number, ending),
    });
    this.#lives.add(life);
    const lost = (): void => attempt.end({ outcome: "lost" });
    life.onDeath(() => this.#world.schedule(0, { lane: SCHEDULER }, lost));
    this.#begunAt = this.#world.now;
    const scope = scopeText(this.#task.scope);
    const task = this.#task.key;
    const start = this.#start?.kind ?? "execute";
    const tryNumber = this.#tries;
    life.trace({ kind: "attempt", task, attempt: number, tryNumber, scope, start });
    this.#traceState("running", number, "");
    if (!attempt.create()) return;
    this.#attemptFaults.schedule(life, number, attempt);
    attempt.run();
  }

  /** Its user wants the task to run again: what runs of it is killed, and it begins anew. */
  #clear(attempt: OperatorAttempt): void {
    this.#isCleared = true;
    const body = { kind: "user-cleared", task: this.#task.key, keepState: true } as const;
    this.#world.trace.emit(SCHEDULER, body);
    attempt.kill("user");
  }

  #end(life: Life, attempt: number, ending: AttemptEnding): void {
    const { outcome, error, killedBy, checkpoint } = ending;
    const failure = outcome === "failed" ? errorWords(error) : "";
    const left =
      checkpoint === undefined ? {} : { checkpoint: textFromJobId(checkpoint.remoteJobId) };
    const task = this.#task.key;
    life.trace({ kind: "attempt-ended", task, attempt, outcome, error: failure, ...left });
    life.host.stop();
    this.#words.endedWith(task, error);
    // A checkpoint and an event outlive the loss of the attempt that was to go on with them.
    if (outcome !== "lost" && killedBy !== "infrastructure") this.#start = undefined;
    if (ending.rescheduleAt !== undefined) {
      this.#reschedule(life, attempt, ending.rescheduleAt);
      return;
    }
    if (ending.deferral !== undefined) {
      this.#defer(
        attempt,
        ending.deferral,
        deferralTimesOutAt(ending.deferral, life.clock.wallNow()),
      );
      return;
    }
    if (outcome === "success") {
      this.#finish("success", attempt, this.#jobs.textFrom(ending.result));
    } else if (this.#isCleared) {
      this.#isCleared = false;
      this.#start = undefined;
      this.#traceState("scheduled", attempt, "");
      this.#retry(attempt);
    } else if (killedBy === "user") {
      // A task that its user has stopped is not tried again.
      this.#finish("failed", attempt, "");
    } else if (checkpoint !== undefined) {
      this.#checkpoint(attempt, checkpoint);
    } else {
      this.#traceState("up_for_retry", attempt, "");
      this.#retry(attempt);
    }
  }

  /** The next attempt goes on with the job, in the same try. */
  #checkpoint(attempt: number, { methodName, kwargs, remoteJobId }: TaskCheckpointed): void {
    this.#start = { kind: "resume", methodName, kwargs, argument: remoteJobId };
    this.#isSameTry = true;
    this.#traceState("checkpointed", attempt, "");
    this.#retry(attempt);
  }

  /** The task gives its worker back and begins anew at its date, in the same try. */
  #reschedule({ clock }: Life, attempt: number, rescheduleAt: number): void {
    this.#isSameTry = true;
    this.#traceState("up_for_reschedule", attempt, "");
    const restMs = Math.max(0, rescheduleAt - clock.wallNow());
    this.#longestRestMs = Math.max(this.#longestRestMs, restMs);
    this.#retry(attempt, restMs);
  }

  #retry(attempt: number, atLeastMs = 0): void {
    const retry = (): void => this.#attempt();
    const delayMs = Math.max(atLeastMs, this.#attemptFaults.delayBefore(attempt + 1));
    this.#retryAt = this.#world.now + delayMs;
    this.#world.schedule(delayMs, { lane: SCHEDULER }, retry);
  }

  #defer(attempt: number, deferral: TaskDeferred, timeoutAfter: number | undefined): void {
    this.#traceState("deferred", attempt, "", deferralTimeoutMs(deferral));
    new DeferredTask(this.#world, this.#network, {
      task: this.#task,
      attempt,
      tryNumber: this.#tries,
      deferral,
      timeoutAfter,
      system: this.#system,
      createJob: this.#operator.createJob,
      begunAt: this.#begunAt,
      faults: this.#attemptFaults.all,
      isArmed: () => !this.#isCalm,
      onLife: (life) => this.#lives.add(life),
      onEnd: (end) => this.#undefer(attempt, deferral, end),
      onUserEnd: (state, leavesJobs) => this.#endDeferred(attempt, state, leavesJobs),
    }).start();
  }

  /** A user has stopped the deferred task, or cleared it, so that it runs again. */
  #endDeferred(attempt: number, state: "failed" | "scheduled", leavesJobs: boolean): void {
    const body = { task: this.#task.key, ...(leavesJobs ? ({ leavesJobs } as const) : {}) };
    const cleared = { kind: "user-cleared", keepState: true, ...body } as const;
    const isOver = state === "failed";
    this.#world.trace.emit(SCHEDULER, isOver ? { kind: "user-stopped", ...body } : cleared);
    this.#traceState(state, attempt, "");
    if (isOver) this.#endWithJobs();
    else this.#retry(attempt);
  }

  /** The run goes on until the jobs of the task are over, be it that they are cancelled. */
  #endWithJobs(): void {
    if (this.#jobs.live === 0) this.#world.end();
    else this.#world.schedule(LAST_JOBS_MS, { lane: SCHEDULER }, () => this.#endWithJobs());
  }

  #undefer(attempt: number, { methodName, kwargs }: TaskDeferred, end: DeferralEnd): void {
    if (end.kind === "event") {
      this.#start = { kind: "event", methodName, kwargs, argument: end.payload };
      this.#isSameTry = true;
      this.#traceState("scheduled", attempt, "");
    } else {
      this.#words.triggerFailed(this.#task.key, end);
      this.#traceState("up_for_retry", attempt, "");
    }
    this.#retry(attempt);
  }

  #finish(state: "success" | "failed", attempt: number, result: string): void {
    this.#traceState(state, attempt, result);
    const { longestWaitMs } = this.#operator;
    this.#operator.longestWaitMs = Math.max(longestWaitMs, this.#longestWaitMs());
    this.#world.end();
  }

  #traceState(state: TaskRowState, number: number, result: string, waits?: number): void {
    const attempt = state === "running" ? number : 0;
    const task = this.#task.key;
    const tryNumber = this.#tries;
    const body = { kind: "task-state", task, state, tryNumber, attempt, result } as const;
    this.#world.trace.emit(SCHEDULER, waits === undefined ? body : { ...body, waits });
  }
}
