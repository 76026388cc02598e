import type { TaskCheckpointed, TaskDeferred } from "../../../src/operator/mod.ts";
import { MemoryStateBackend } from "../../../src/store/mod.ts";
import type { DeferralTrigger } from "../../../src/triggerer/mod.ts";
import type { Violation } from "../../checkers/checker.ts";
import { endFaults } from "../../hosts/end-faults.ts";
import { AttemptGone } from "../../hosts/task-database.ts";
import { Host } from "../../hosts/host.ts";
import type { Life } from "../../hosts/life.ts";
import { Network } from "../../hosts/network.ts";
import { scopeText, TracedStore } from "../../hosts/traced-store.ts";
import { JobClient } from "../../jobs/job-client.ts";
import { JobConflict } from "../../jobs/job-errors.ts";
import type { JobSystem } from "../../jobs/job-system.ts";
import type { World } from "../../kernel/world.ts";
import { errorWords } from "../../trace/error-words.ts";
import type { TaskRowState } from "../../trace/task-events.ts";
import { addJobSystem, JOB_SYSTEM_HOST } from "../add-job-system.ts";
import { calmAttemptsMax, latencyOf } from "../job-patience.ts";
import { installFaults } from "../install-faults.ts";
import { knobsFrom } from "../job-system-spec.ts";
import type { CodeUnderTest, Stage } from "../stage.ts";
import {
  type AttemptEnding,
  type AttemptStart,
  GRACE_MS,
  OPERATOR_SCOPE,
  OPERATOR_TASK,
  OperatorAttempt,
  surroundingsOf,
} from "./operator-attempt.ts";
import { CalmAttempts } from "./calm-attempts.ts";
import { type DeferralEnd, runTrigger, type StopTriggerer, timeoutOf } from "./operator-trigger.ts";
import { OwnJobs } from "./own-jobs.ts";
import {
  type AttemptFault,
  isAttemptFault,
  isCalm,
  isFaultOfWorld,
  type OperatorScenario,
} from "./operator-scenario.ts";
import type { OperatorUnderTest } from "./operator-under-test.ts";

const STORE = "store";
const SCHEDULER = "scheduler";
/** The usual delay of a retry. */
const RETRY_MS = 2_000;
/** So many of its longest waits an operator may need after its job has ended, one after the other. */
const OWN_WAITS = 20;
const REST_CHECK_MS = 60_000;

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
  readonly #network: Network<Host>;
  readonly #system: JobSystem;
  readonly #store: TracedStore;
  readonly #jobs: OwnJobs;
  readonly #attemptFaults: readonly AttemptFault[];
  #attempts = 0;
  #tries = 0;
  /** Whether the next attempt is part of the try of the last one. */
  #isSameTry = false;
  /** The longest time until a date to which the task was rescheduled. */
  #longestRestMs = 0;
  #others = 0;
  #isCalm = false;
  #isStuck = false;
  /** How the next attempt begins; undefined: from the beginning. */
  #start: AttemptStart | undefined;
  #lastError: unknown;
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
    this.#network = new Network<Host>(world);
    const knobs = knobsFrom(scenario.system, operator.knobs);
    this.#system = addJobSystem(world, this.#network, knobs);
    this.#store = new TracedStore(world, STORE, { backend: new MemoryStateBackend() });
    this.#calmAttempts = new CalmAttempts(calmAttemptsMax(this.#system.knobs));
    this.#jobs = new OwnJobs(world.trace, OPERATOR_TASK);
    this.#attemptFaults = scenario.faults.filter(isAttemptFault);
    this.codeUnderTest = {
      noun: "operator",
      onSpinning: () => (this.#isStuck = true),
    };
  }

  start(): void {
    const { system } = this.#scenario.system;
    const result = this.#operator.calmResults.get(system) ?? "";
    const calm = isCalm(this.#scenario, this.#system.knobs) ? ({ isCalm: true } as const) : {};
    const expected = { kind: "result-expected", task: OPERATOR_TASK, result } as const;
    this.#world.trace.emit(SCHEDULER, { ...expected, ...calm });
    this.#systemHost().start();
    installFaults<never>(this.#world, this.#scenario.faults.filter(isFaultOfWorld), {
      network: this.#network,
      strike: () => false,
      mayCome: (host) => host.startsWith("attempt-"),
      isArmed: () => !this.#isCalm,
    });
    for (const operation of this.#scenario.operations) {
      const { at, otherJobs } = operation;
      this.#world.schedule(at, { lane: "operations", hop: false }, () => {
        if (this.#isCalm) return;
        if (this.#systemHost().isUp) this.#world.injector.tookEffect(operation);
        for (let nth = 0; nth < otherJobs; nth += 1) this.#submitOther();
      });
    }
    this.#attempt();
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
    return this.#system.isAtWork && this.#calmJobs() <= this.#calmAttempts.max;
  }

  /** How late the system may reply, and the waits of the operator itself. */
  get patienceMs(): number {
    return latencyOf(this.#system.knobs) + OWN_WAITS * this.#longestWaitMs();
  }

  #longestWaitMs(): number {
    const waits = [...this.#lives].map(({ longestWaitMs }) => longestWaitMs);
    return Math.max(this.#world.realm.longestWaitMs, this.#longestRestMs, ...waits);
  }

  /** The message of an engine's own error differs between engines, so that no trace has it. */
  remarkOn({ symptom }: Violation): string | undefined {
    const error = this.#lastError;
    if (symptom !== "task-unfinished" || !(error instanceof Error)) return undefined;
    return `The last attempt failed with: ${error.message}`;
  }

  #calmJobs(): number {
    return this.#jobs.count - this.#jobsBeforeCalm;
  }

  #systemHost(): Host {
    return this.#network.host(JOB_SYSTEM_HOST) as Host;
  }

  /** Somebody else's job; where names are free again, under a name that the task had. */
  #submitOther(): void {
    if (!this.#systemHost().isUp) return;
    this.#others += 1;
    const owner = `other/${this.#others}`;
    const isNamed = this.#system.knobs.idKind === "object";
    const names = isNamed ? [...this.#jobs.keys(), owner] : [owner];
    for (const clientId of names) {
      try {
        this.#system.submit({ owner, jobType: "batch", tag: owner, clientId });
        return;
      } catch (error) {
        if (!(error instanceof JobConflict)) return;
      }
    }
  }

  #attempt(): void {
    this.#attempts += 1;
    if (!this.#isSameTry) this.#tries += 1;
    if (this.#isCalm && this.#start?.kind !== "event" && !this.#waitsForJob()) {
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

  /** Whether the task was rescheduled while a job was at work: so it may wait as often as it needs. */
  #waitsForJob(): boolean {
    return this.#isSameTry && this.#system.isAtWork;
  }

  #boot(life: Life, number: number): void {
    const store = this.#store;
    const attempt = new OperatorAttempt(life, {
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
      start: this.#start,
      onEnd: (ending) => this.#end(life, number, ending),
    });
    this.#lives.add(life);
    const lost = (): void => attempt.end({ outcome: "lost" });
    life.onDeath(() => this.#world.schedule(0, { lane: SCHEDULER }, lost));
    this.#begunAt = this.#world.now;
    const scope = scopeText(OPERATOR_SCOPE);
    const task = OPERATOR_TASK;
    const start = this.#start?.kind ?? "execute";
    const tryNumber = this.#tries;
    life.trace({ kind: "attempt", task, attempt: number, tryNumber, scope, start });
    this.#traceState("running", number, "");
    if (!attempt.create()) return;
    this.#scheduleFaults(life, number, attempt);
    attempt.run();
  }

  #scheduleFaults(life: Life, number: number, attempt: OperatorAttempt): void {
    for (const fault of this.#attemptFaults) {
      if ("loseAttempt" in fault && fault.loseAttempt === number) {
        this.#strikeAfter(life, fault, () => life.host.crash());
      } else if ("killAttempt" in fault && fault.killAttempt === number) {
        this.#strikeAfter(life, fault, () => attempt.kill(fault.category));
      }
    }
  }

  #strikeAfter(
    life: Life,
    fault: Extract<AttemptFault, { readonly after: number }>,
    strike: () => void,
    after = fault.after,
  ): void {
    life.after(after, () => {
      if (this.#isCalm) return;
      this.#world.injector.tookEffect(fault);
      strike();
    });
  }

  #end(life: Life, attempt: number, ending: AttemptEnding): void {
    const { outcome, error, killedBy, checkpoint } = ending;
    const failure = outcome === "failed" ? errorWords(error) : "";
    life.trace({ kind: "attempt-ended", task: OPERATOR_TASK, attempt, outcome, error: failure });
    life.host.stop();
    this.#lastError = error;
    // A checkpoint and an event outlive the loss of the attempt that was to go on with them.
    if (outcome !== "lost" && killedBy !== "infrastructure") this.#start = undefined;
    if (ending.rescheduleAt !== undefined) {
      this.#reschedule(life, attempt, ending.rescheduleAt);
      return;
    }
    if (ending.deferral !== undefined) {
      this.#defer(attempt, ending.deferral, timeoutOf(ending.deferral, life));
      return;
    }
    if (outcome === "success") {
      this.#finish("success", attempt, this.#jobs.textFrom(ending.result));
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
    const delayMs = Math.max(atLeastMs, this.#delayBefore(attempt + 1));
    this.#retryAt = this.#world.now + delayMs;
    this.#world.schedule(delayMs, { lane: SCHEDULER }, retry);
  }

  /** The triggerer: it restarts whenever it crashes, and runs the trigger from the beginning. */
  #defer(attempt: number, deferral: TaskDeferred, timeoutAfter: number | undefined): void {
    this.#traceState("deferred", attempt, "");
    const boot = (life: Life): void => {
      this.#lives.add(life);
      const create = (): DeferralTrigger => {
        const client = new JobClient(life, this.#system, OPERATOR_TASK);
        const job = this.#operator.createJob(client, surroundingsOf(life, this.#tries));
        return job.createTrigger?.(deferral.trigger) as DeferralTrigger;
      };
      const stop = runTrigger(life, timeoutAfter, create, (end) => {
        life.host.stop();
        this.#undefer(attempt, deferral, end);
      });
      this.#scheduleStops(life, attempt, stop);
    };
    const options = { role: "child", restartAfterMs: RETRY_MS } as const;
    new Host(this.#world, this.#network, `triggerer-${attempt}`, boot, options).start();
  }

  /** A kill by the infrastructure that comes when its attempt is deferred strikes the triggerer. */
  #scheduleStops(life: Life, attempt: number, stop: StopTriggerer): void {
    for (const fault of this.#attemptFaults) {
      if (!("killAttempt" in fault) || fault.killAttempt !== attempt) continue;
      const after = this.#begunAt + fault.after - this.#world.now;
      if (after < 0 || fault.category !== "infrastructure") continue;
      this.#strikeAfter(life, fault, () => this.#stopTriggerer(life, attempt, stop), after);
    }
  }

  /** The triggerer is asked to stop; it ends its triggers, and another one goes on with them. */
  #stopTriggerer(life: Life, attempt: number, stop: StopTriggerer): void {
    const host = this.#network.host(life.name) as Host;
    const body = { task: OPERATOR_TASK, category: "infrastructure", grace: GRACE_MS } as const;
    life.trace({ kind: "kill", attempt, ...body });
    stop(() => {
      host.stop();
      host.startAfter(RETRY_MS);
    });
  }

  #undefer(attempt: number, { methodName, kwargs }: TaskDeferred, end: DeferralEnd): void {
    if (end.kind === "event") {
      this.#start = { kind: "event", methodName, kwargs, argument: end.payload };
      this.#isSameTry = true;
      this.#traceState("scheduled", attempt, "");
    } else {
      this.#lastError = new Error(`The trigger failed: ${end.error}`);
      this.#traceState("up_for_retry", attempt, "");
    }
    this.#retry(attempt);
  }

  #delayBefore(attempt: number): number {
    if (this.#isCalm) return RETRY_MS;
    for (const fault of this.#attemptFaults) {
      if (!("delayAttempt" in fault) || fault.delayAttempt !== attempt) continue;
      this.#world.injector.tookEffect(fault);
      return fault.by;
    }
    return RETRY_MS;
  }

  #finish(state: "success" | "failed", attempt: number, result: string): void {
    this.#traceState(state, attempt, result);
    const { longestWaitMs } = this.#operator;
    this.#operator.longestWaitMs = Math.max(longestWaitMs, this.#longestWaitMs());
    this.#world.end();
  }

  #traceState(state: TaskRowState, number: number, result: string): void {
    const attempt = state === "running" ? number : 0;
    const task = OPERATOR_TASK;
    const tryNumber = this.#tries;
    const body = { kind: "task-state", task, state, tryNumber, attempt, result } as const;
    this.#world.trace.emit(SCHEDULER, body);
  }
}
