import type { Violation } from "../checkers/mod.ts";
import type { TraceEvent } from "../trace/trace.ts";

/** Whose deeds a story of tasks tells: the attempts and jobs of one task instance, or of all. */
interface TaskCast {
  readonly task: string | undefined;
  readonly attempts: ReadonlySet<number>;
  readonly jobs: ReadonlySet<number>;
  readonly hosts: ReadonlySet<string>;
}

/** The words of each event that belongs to the task of a violation; undefined for the others. */
export function taskWordsOf(
  trace: readonly TraceEvent[],
  { ref }: Pick<Violation, "ref">,
): (event: TraceEvent) => string | undefined {
  const cast = castOf(trace, ref);
  return (event) => (belongs(event, cast) ? wordsFrom(event) : undefined);
}

function castOf(trace: readonly TraceEvent[], task: string | undefined): TaskCast {
  const attempts = new Set<number>();
  const jobs = new Set<number>();
  const hosts = new Set<string>();
  for (const event of trace) {
    if (event.kind === "attempt" && (task === undefined || event.task === task)) {
      attempts.add(event.attempt);
      hosts.add(event.host);
    }
    if (event.kind === "job-accepted" && (task === undefined || event.task === task)) {
      jobs.add(event.job);
    }
  }
  return { task, attempts, jobs, hosts };
}

function belongs(event: TraceEvent, { task, attempts, jobs, hosts }: TaskCast): boolean {
  if (event.kind === "host") return hosts.has(event.host) && event.state === "crash";
  if ("task" in event && task !== undefined) return event.task === task;
  if ("attempt" in event && event.attempt > 0) return attempts.has(event.attempt);
  if ("job" in event) return jobs.has(event.job);
  return true;
}

function wordsFrom(event: TraceEvent): string | undefined {
  switch (event.kind) {
    case "fault":
      return `fault at ${event.site}: ${event.verdict}`;
    case "host":
      return `${event.host}: ${event.state}`;
    case "task-state":
      return event.state === "success" || event.state === "failed" || event.state === "deferred"
        ? `${event.task}: ${event.state}${event.result === "" ? "" : `, with ${event.result}`}`
        : undefined;
    case "attempt":
      return `attempt ${event.attempt} of ${event.task} begins on ${event.host}: ${event.start}`;
    case "attempt-ended":
      return `attempt ${event.attempt} ends: ${event.outcome}${event.error === "" ? "" : `, ${event.error}`}`;
    case "kill":
      return `attempt ${event.attempt} is killed: ${event.category}`;
    case "declared-dead":
      return `attempt ${event.attempt} is declared dead`;
    case "refused":
      return `attempt ${event.attempt} is refused: ${event.what}`;
    case "user-cleared":
      return `a user clears ${event.task} and ${event.keepState ? "keeps" : "discards"} its state`;
    default:
      return stateWords(event) ?? jobWords(event) ?? loadWords(event);
  }
}

function stateWords(event: TraceEvent): string | undefined {
  switch (event.kind) {
    case "state-set":
      return `"${event.key}" is set to ${event.value}`;
    case "state-swept":
      return `"${event.key}" is swept`;
    case "state-deleted":
      return `"${event.key}" is deleted`;
    case "state-cleared":
      return `${event.scope} is cleared (${event.why})`;
    default:
      return undefined;
  }
}

function jobWords(event: TraceEvent): string | undefined {
  switch (event.kind) {
    case "job-accepted":
      return `job ${event.job} of ${event.task} is accepted as ${event.id}`;
    case "job-finished":
      return `job ${event.job} ends: ${event.outcome}`;
    case "job-cancel-asked":
      return `${event.by} asks to cancel job ${event.job}`;
    case "job-cancelled":
      return `job ${event.job} is cancelled`;
    case "job-forgotten":
      return `the system forgets job ${event.job}`;
    default:
      return undefined;
  }
}

function loadWords(event: TraceEvent): string | undefined {
  if (event.kind === "page-loaded") return `page ${event.page} is loaded`;
  if (event.kind === "rows-loaded") return `rows ${event.from} to ${event.to} are loaded`;
  return undefined;
}
