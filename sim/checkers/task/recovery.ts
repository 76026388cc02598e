import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker } from "../checker.ts";
import type { JobFact } from "./job-fact.ts";
import type { AttemptFact, TaskFacts } from "./task-facts.ts";
import { UntroubledDeferrals } from "./untroubled-deferrals.ts";

/**
 * R-recovers: what only faults hit goes on once they are over.
 *
 * An attempt may fail, and use up a try, because (1) a fault struck while it ran: a call failed or
 * was lost, a host was down or stalled, a link was cut; or because (2) the database refused it; or
 * because (3) its job had failed, was lost or was rejected. Where none of these happened, what is
 * left of an earlier fault is to blame: a state that no later attempt can get out of. So it is with
 * a trigger that fails before its time-out, and its task with it. And where
 * nothing befalls the run, no attempt and no trigger fails at all: that a retry succeeds all the
 * same would hide it from the other promises.
 *
 * An attempt whose worker is lost is made again while its task has tries left: at least
 * `retriesMin` of them after the first, counted anew when a user clears the task. A commit that a
 * fail-over lost may have been of a try.
 */
export function tasksRecover(retriesMin: number): Checker<TaskFacts> {
  const tries = new Tries();
  const disturbances = new Disturbances();
  const deferrals = new UntroubledDeferrals();
  const excused = new Set<number>();
  const dead = new Set<number>();
  const calm = new Set<string>();
  /** What failed first of a task that nothing befell. */
  const retried = new Map<string, string>();
  const observe = (event: TraceEvent): void => {
    disturbances.observe(event);
    deferrals.observe(event);
  };
  return {
    id: "R-recovers",
    promise: "a task fails only by its job, its user, or faults that struck its attempts",
    on: {
      "result-expected": ({ task, isCalm }) => void (isCalm === true && calm.add(task)),
      host: observe,
      link: observe,
      fault: observe,
      attempt(event) {
        observe(event);
        tries.begin(event);
      },
      "user-cleared": ({ task }) => tries.clear(task),
      "user-stopped"({ task }) {
        tries.stop(task);
        deferrals.endByUser(task);
      },
      "commits-lost"(event) {
        tries.lose();
        deferrals.observe(event);
      },
      refused: ({ attempt }) => void excused.add(attempt),
      "declared-dead": ({ attempt }) => void dead.add(attempt),
      "job-rejected": ({ attempt }) => void excused.add(attempt),
      "attempt-ended"(event, { jobs }) {
        if (disturbances.endsDisturbed(event)) excused.add(event.attempt);
        if (isByItsJob(jobs.of(event.task), event.attempt)) excused.add(event.attempt);
      },
      "task-state"(event, { tasks, jobs }, report) {
        const { task: name, state } = event;
        const task = tasks.get(name);
        const last = task?.attempts.at(-1);
        if (state === "up_for_retry" && last !== undefined && !excused.has(last.attempt)) {
          if (calm.has(name) && !retried.has(name)) retried.set(name, whatFailed(last));
        }
        const hidden = retried.get(name);
        if (state === "success" && hidden !== undefined) {
          report("failed-undisturbed", hidden, name);
        }
        const isByTrigger = deferrals.failsBy(event) && state === "failed";
        if (isByTrigger && last !== undefined && !isByItsJob(jobs.of(name), last.attempt)) {
          report("failed-undisturbed", `${name} ends failed; ${blameOfTrigger(last)}`, name);
        }
        if (state !== "failed" || task?.state !== "running") return;
        if (last !== undefined && isLost(last, dead) && tries.usedBy(name) <= retriesMin) {
          const what = `${name} ends failed, although attempt ${last.attempt} was only lost`;
          report("lost-not-retried", `${what} in try ${tries.usedBy(name)}`, name);
        }
        const guilty =
          task.attempts.find((one) => failedOfItself(one, excused)) ??
          task.attempts.slice(-1).find((one) => wasToGoOn(one, dead));
        if (guilty === undefined || isStopped(task.attempts)) return;
        report("failed-undisturbed", `${name} ends failed; ${blameOf(guilty)}`, name);
      },
    },
  };
}

function blameOf({ attempt, error, ended }: AttemptFact): string {
  const why = "no fault struck while it ran, and its job did not fail";
  return `attempt ${attempt}: ${error === "" ? ended : error}, and ${why}`;
}

function blameOfTrigger({ attempt }: AttemptFact): string {
  const why = "no fault struck while it waited, and its job did not fail";
  return `the trigger of attempt ${attempt} failed, and ${why}`;
}

/** Of a run that nothing befell: the attempt itself, or what waited for it in the triggerer. */
function whatFailed({ attempt, task, error, ended }: AttemptFact): string {
  const what = ended === "deferred" ? "the trigger of" : "";
  const how = ended === "failed" ? `: ${error}` : "";
  const who = [what, `attempt ${attempt} of ${task}`].filter((word) => word !== "").join(" ");
  return `${who} fails${how}, though its job did not fail and nothing befell the run`;
}

function failedOfItself({ attempt, ended }: AttemptFact, excused: ReadonlySet<number>): boolean {
  return ended === "failed" && !excused.has(attempt);
}

/** The ends of attempts that use up no try, so that their tasks cannot fail by them. */
const GOES_ON: ReadonlySet<string> = new Set(["rescheduled", "checkpointed", "deferred"]);

/** Whether an attempt gave up its worker to go on later, and its worker has reported that. */
function wasToGoOn({ attempt, ended }: AttemptFact, dead: ReadonlySet<number>): boolean {
  return GOES_ON.has(ended ?? "") && !dead.has(attempt);
}

/** Whether the infrastructure took the worker of an attempt away. */
function isLost({ attempt, ended, killed }: AttemptFact, dead: ReadonlySet<number>): boolean {
  if (killed !== undefined && killed !== "infrastructure") return false;
  return dead.has(attempt) || ended === "lost" || ended === "killed";
}

/** How many tries each task has used up since a user cleared it last. */
class Tries {
  readonly #begun = new Map<string, number>();
  readonly #before = new Map<string, number>();
  #isLost = false;

  begin({ task, tryNumber }: { readonly task: string; readonly tryNumber: number }): void {
    this.#begun.set(task, Math.max(tryNumber, this.#begun.get(task) ?? 0));
  }

  clear(task: string): void {
    this.#before.set(task, this.#begun.get(task) ?? 0);
  }

  /** What its user has stopped is not tried again. */
  stop(task: string): void {
    this.#before.set(task, Number.NEGATIVE_INFINITY);
  }

  lose(): void {
    this.#isLost = true;
  }

  usedBy(task: string): number {
    if (this.#isLost) return Number.POSITIVE_INFINITY;
    return (this.#begun.get(task) ?? 0) - (this.#before.get(task) ?? 0);
  }
}

/** Whether its user stopped the task, whose last attempt then fails it. */
function isStopped(attempts: readonly AttemptFact[]): boolean {
  return attempts.at(-1)?.killed === "user";
}

/** Whether the newest job of a task has failed, or one that the attempt submitted or looked up. */
function isByItsJob(jobs: readonly JobFact[], by: number): boolean {
  const newest = jobs.at(-1);
  return jobs.some((job) => {
    const { attempt, state, isForgotten, askedBy } = job;
    const isKnown = job === newest || attempt === by || askedBy.has(by);
    return isKnown && (isForgotten || (state !== "live" && state !== "success"));
  });
}

/** Which attempts ran while a fault struck, or was in force. */
class Disturbances {
  /** The processes of attempts; a fault in one of them concerns its own attempt alone. */
  readonly #attemptOn = new Map<string, number>();
  readonly #disturbed = new Set<number>();
  readonly #down = new Set<string>();
  readonly #cut = new Set<string>();
  readonly #pausedUntil = new Map<string, number>();

  observe(event: TraceEvent): void {
    switch (event.kind) {
      case "attempt":
        this.#begin(event);
        break;
      case "fault":
        this.#strike(event.host);
        break;
      case "link":
        this.#applyLink(event);
        break;
      case "host":
        this.#applyHost(event);
        break;
      default:
    }
  }

  /** Whether anything struck the attempt that ends, which is forgotten. */
  endsDisturbed({ attempt, host }: { readonly attempt: number; readonly host: string }): boolean {
    this.#attemptOn.set(host, 0);
    return this.#disturbed.delete(attempt);
  }

  #begin({ host, attempt, at }: Extract<TraceEvent, { kind: "attempt" }>): void {
    this.#attemptOn.set(host, attempt);
    this.#down.delete(host);
    const isPaused = [...this.#pausedUntil.values()].some((until) => until >= at);
    if (this.#down.size > 0 || this.#cut.size > 0 || isPaused) this.#disturbed.add(attempt);
  }

  #strike(host: string): void {
    const own = this.#attemptOn.get(host);
    for (const attempt of own === undefined ? this.#attemptOn.values() : [own]) {
      this.#disturbed.add(attempt);
    }
  }

  #applyLink({ host, to, state }: Extract<TraceEvent, { kind: "link" }>): void {
    const link = JSON.stringify([host, to]);
    if (state === "repaired" || state === "released") this.#cut.delete(link);
    else this.#cut.add(link);
    this.#strike(to);
    this.#strike(host);
  }

  #applyHost({ host, state, at, until = at }: Extract<TraceEvent, { kind: "host" }>): void {
    const isAttempts = this.#attemptOn.has(host);
    if (state === "start" || state === "restart") this.#down.delete(host);
    else if (state === "pause") this.#pausedUntil.set(host, until);
    else if (state === "resume") this.#pausedUntil.delete(host);
    else if (state === "crash" && !isAttempts) this.#down.add(host);
    if (state !== "start" && state !== "stop") this.#strike(host);
  }
}
