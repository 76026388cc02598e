import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";
import type { TaskFacts } from "./task-facts.ts";
import { Troubles } from "./troubles.ts";

/** The triggerer learns of it within seconds; its trigger then asks for the cancellation. */
const HEARD_MS = 30_000;

type EndEvent = Extract<TraceEvent, { kind: "user-cleared" | "user-stopped" }>;

/** The attempt that a trigger asks for: none. */
const TRIGGER = 0;

/**
 * R-deferred: the trigger of a deferred task that a user ends cancels its job.
 *
 * Airflow tells a trigger of it once, if it runs: the job runs on when the triggerer is down, has
 * not taken the trigger yet, or fails meanwhile. Nobody is accused then, nor where the trigger did
 * not find the job, or its system gave it no id.
 */
export function endedDeferrals(): Checker<TaskFacts> {
  const troubles = new Troubles();
  /** The jobs that triggers have found when they looked last; a new one may not be found yet. */
  const found = new Set<number>();
  /** When users ended the tasks whose triggers waited for these jobs. */
  const ended = new Map<number, number>();
  const noteEnd = (event: EndEvent, { tasks, jobs }: TaskFacts): void => {
    if (tasks.get(event.task)?.state !== "deferred" || event.leavesJobs === true) return;
    for (const { job, id, state } of jobs.of(event.task)) {
      // What has no id cannot be named in a cancel.
      if (state === "live" && id !== "" && found.has(job)) ended.set(job, event.at);
    }
  };
  const noteTrouble = (event: TraceEvent): void => troubles.observe(event);
  return {
    id: "R-deferred",
    promise: "a user who ends a deferred task ends its job",
    on: {
      "user-cleared": noteEnd,
      "user-stopped": noteEnd,
      "job-status"({ job, status, attempt }) {
        if (attempt !== TRIGGER) return;
        if (status === "") found.delete(job);
        else found.add(job);
      },
      fault: noteTrouble,
      link: noteTrouble,
      host: noteTrouble,
      attempt: noteTrouble,
      "job-finished"({ job: number, at }, { jobs }, report) {
        const job = jobs.jobs.get(number);
        const endedAt = ended.get(number);
        if (job === undefined || endedAt === undefined || job.cancelledBy.size > 0) return;
        if (at - endedAt < HEARD_MS || troubles.since(endedAt - HEARD_MS)) return;
        report(
          "left-running",
          `a user ended ${job.task} while it was deferred, and its job ${number} ran on`,
          job.task,
        );
      },
    },
  };
}

/** A deferral that may wait for so long. */
interface Deferral {
  readonly since: number;
  readonly waits: number;
}

/** Clocks drift, by a fiftieth at most; this is more. */
const DRIFT_PARTS = 20;

/**
 * R-timeout: a deferral that waits longer than it may fails its try. What befalls a host puts it
 * off, and nobody is accused once a clock was set, which may be the one that counts.
 */
export function deferralsTimeOut(): Checker<TaskFacts> {
  const troubles = new Troubles();
  const waiting = new Map<string, Deferral>();
  const noteTrouble = (event: TraceEvent): void => troubles.observe(event);
  const judge = (task: string, now: number, report: Report): void => {
    const deferral = waiting.get(task);
    waiting.delete(task);
    if (deferral === undefined) return;
    const { since, waits } = deferral;
    const ms = now - since;
    const { quietSince } = troubles;
    const dueAt = since + waits + Math.floor(waits / DRIFT_PARTS);
    if (quietSince === undefined || now <= Math.max(dueAt, quietSince) + HEARD_MS) return;
    const what = `a deferral of ${task} waits for ${ms} ms, though it may for ${waits} ms only`;
    report("deferral-outlasts", what, task);
  };
  return {
    id: "R-timeout",
    promise: "a deferral waits no longer than it may",
    on: {
      fault: noteTrouble,
      link: noteTrouble,
      host: noteTrouble,
      attempt: noteTrouble,
      "task-state"({ task, at, waits }, _, report) {
        judge(task, at, report);
        if (waits !== undefined) waiting.set(task, { since: at, waits });
      },
    },
    onEnd({ restedUntil }, report) {
      for (const task of [...waiting.keys()]) judge(task, restedUntil, report);
    },
  };
}

/**
 * R-cleaned: a trigger that is over has been cleaned up first, whatever it ended by. What dies with
 * its triggerer is neither over nor cleaned up; the next incarnation creates it anew.
 */
export function triggersAreCleanedUp(): Checker<TaskFacts> {
  /** What runs at each host, and whether it has been cleaned up. */
  const running = new Map<string, Map<number, boolean>>();
  return {
    id: "R-cleaned",
    promise: "the trigger of a deferral is cleaned up before it is over",
    on: {
      host({ host, state }) {
        if (state === "crash" || state === "stop") running.delete(host);
      },
      "deferral-trigger"({ host, trigger, state, task }, _, report) {
        const here = running.get(host) ?? new Map<number, boolean>();
        running.set(host, here);
        if (state !== "over") here.set(trigger, state === "cleaned");
        else if (here.get(trigger) === false) {
          report("not-cleaned", `a trigger of ${task} is over, and was not cleaned up`, task);
        }
      },
    },
  };
}
