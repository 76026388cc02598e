import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";
import type { JobFact } from "./job-fact.ts";
import type { AttemptFact, TaskFacts } from "./task-facts.ts";

type AttemptEvent = Extract<TraceEvent, { kind: "attempt" }>;
type StateEvent = Extract<TraceEvent, { kind: "task-state" }>;

/** How a task left its worker, and how its next attempt therefore has to begin. */
interface Leave {
  readonly after: string;
  readonly start: AttemptEvent["start"];
  /** The try that goes on, where leaving uses up none. */
  readonly tryNumber?: number | undefined;
}

/**
 * R-starts: an attempt begins where its task left off.
 *
 * A checkpoint is followed by the method that resumes, the event of a deferral by the method that
 * handles it, a reschedule by `execute`; none of them uses up a try. An attempt that resumed or
 * handled an event, and that the infrastructure took away, is made again in the same way. How the
 * attempt after a failure begins is not judged: the failure may not have reached the database,
 * which then takes the attempt for lost. Nor is anything after a fail-over that lost commits.
 *
 * An attempt that resumes looks at the job of its checkpoint before it submits another one, and a
 * task whose user has stopped it is not tried again.
 */
export function attemptsStartWhereTheyLeft(): Checker<TaskFacts> {
  const begun = new Map<number, AttemptEvent>();
  const leaves = new Map<string, Leave>();
  const cleared = new Set<string>();
  const dead = new Set<number>();
  /** The attempt that each task's row had last; one that begins late is not the task's any more. */
  const holders = new Map<string, number>();
  /** The attempt that the row of the same task had before each. */
  const predecessors = new Map<number, number>();
  let isLost = false;

  function note(event: StateEvent, facts: TaskFacts): void {
    const task = facts.tasks.get(event.task);
    const last = facts.attempts.get(holders.get(event.task) ?? 0);
    const leave = leaveOf(event, { before: task?.state, last, begun, dead, cleared });
    if (leave === "unknown") leaves.delete(event.task);
    else if (leave !== undefined) leaves.set(event.task, leave);
  }

  return {
    id: "R-starts",
    promise: "an attempt begins where its task left off, and a task that goes on uses up no try",
    on: {
      "commits-lost"() {
        isLost = true;
        leaves.clear();
      },
      "user-cleared": ({ task }) => void cleared.add(task),
      "declared-dead": ({ attempt }) => void dead.add(attempt),
      "task-state"(event, facts, report) {
        if (!isLost) note(event, facts);
        const holder = holders.get(event.task);
        if (event.attempt !== 0 && event.attempt !== holder) {
          if (holder !== undefined) predecessors.set(event.attempt, holder);
          holders.set(event.task, event.attempt);
        }
        if (!isLost && isTriedThoughStopped(event, facts, dead)) {
          const what = `${event.task} is to be tried again, although its user has stopped it`;
          report("wrong-start", what, event.task);
        }
      },
      "job-accepted"({ task, attempt, isCopy }, facts, report) {
        if (isCopy === true) return;
        if (begun.get(attempt)?.start !== "resume") return;
        const job = checkpointedJob(facts.attempts.get(predecessors.get(attempt) ?? 0), facts);
        if (job === undefined || job.state !== "live" || job.askedBy.has(attempt)) return;
        const what = `attempt ${attempt} of ${task} resumes from a checkpoint and submits a job`;
        report("submitted-beside-live", `${what} without a look at job ${job.job}`, task);
      },
      attempt(event, _facts, report) {
        begun.set(event.attempt, event);
        const leave = leaves.get(event.task);
        leaves.delete(event.task);
        if (leave !== undefined) judge(event, leave, report);
      },
    },
  };
}

interface Past {
  readonly before: StateEvent["state"] | undefined;
  readonly last: AttemptFact | undefined;
  readonly begun: ReadonlyMap<number, AttemptEvent>;
  readonly dead: ReadonlySet<number>;
  readonly cleared: Set<string>;
}

/** Returns what a new state of a task says of its next attempt; undefined: nothing new. */
function leaveOf(event: StateEvent, past: Past): Leave | "unknown" | undefined {
  const { before, last, begun, cleared } = past;
  const tryNumber = last === undefined ? undefined : begun.get(last.attempt)?.tryNumber;
  switch (event.state) {
    case "checkpointed":
      return { after: "its checkpoint", start: "resume", tryNumber };
    case "up_for_reschedule":
      return { after: "its reschedule", start: "execute", tryNumber };
    case "scheduled":
      if (cleared.delete(event.task)) return { after: "it was cleared", start: "execute" };
      if (before === "deferred") return { after: "its event", start: "event", tryNumber };
      return before === undefined ? { after: "it was created", start: "execute" } : undefined;
    case "up_for_retry":
      if (before === "deferred") return { after: "its trigger failed", start: "execute" };
      return leaveByLoss(past) ?? "unknown";
    default:
      return undefined;
  }
}

/** What follows an attempt that was lost, or that the infrastructure has killed. */
function leaveByLoss({ last, begun, dead }: Past): Leave | undefined {
  if (last === undefined) return undefined;
  const start = begun.get(last.attempt)?.start;
  if (start === undefined || start === "execute") return undefined;
  const isKilled = last.ended === "killed" && last.killed === "infrastructure";
  const isLost = dead.has(last.attempt) || last.ended === "lost" || isKilled;
  return isLost ? { after: `attempt ${last.attempt} was lost`, start } : undefined;
}

/** The job that an attempt submitted or looked at, if it left a checkpoint. */
function checkpointedJob(
  before: AttemptFact | undefined,
  { jobs }: TaskFacts,
): JobFact | undefined {
  if (before?.ended !== "checkpointed") return undefined;
  const isHeld = (job: JobFact): boolean =>
    job.askedBy.has(before.attempt) || (job.attempt === before.attempt && job.idReach !== "system");
  return jobs.of(before.task).findLast(isHeld);
}

/** Whether a task goes on whose attempt has ended because its user stopped it. */
function isTriedThoughStopped(
  { task: name, state }: StateEvent,
  { tasks }: TaskFacts,
  dead: ReadonlySet<number>,
): boolean {
  const task = tasks.get(name);
  const last = task?.attempts.at(-1);
  if (state !== "up_for_retry" || task?.attempt !== last?.attempt) return false;
  return last?.ended === "killed" && last.killed === "user" && !dead.has(last.attempt);
}

function judge(event: AttemptEvent, { after, start, tryNumber }: Leave, report: Report): void {
  const { task, attempt } = event;
  if (event.start !== start) {
    const what = `attempt ${attempt} of ${task} begins with "${event.start}" after ${after}`;
    report("wrong-start", `${what}, not with "${start}"`, task);
  } else if (tryNumber !== undefined && event.tryNumber !== tryNumber) {
    const what = `attempt ${attempt} of ${task} is try ${event.tryNumber} after ${after}`;
    report("wrong-start", `${what}, which was in try ${tryNumber}`, task);
  }
}
