import type { Violation } from "../../checkers/checker.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import { JOB_SYSTEM_HOST } from "./resumable-job-world.ts";

const LINES_MAX = 16;

/** What happened, in the user's terms: a few lines that end with the violation. */
export function jobStoryOf(
  trace: readonly TraceEvent[],
  violation: Violation,
  task: string,
): readonly string[] {
  const lines: string[] = [];
  let last = "";
  for (const event of trace) {
    if (event.at > violation.at) break;
    const words = wordsFrom(event, task);
    if (words === undefined || words === last) continue;
    last = words;
    lines.push(`${seconds(event.at)}  ${words}`);
  }
  const end = `${seconds(violation.at)}  => ${violation.detail}`;
  if (lines.length < LINES_MAX) return [...lines, end];
  const head = lines.slice(0, 4);
  return [...head, "...", ...lines.slice(lines.length - (LINES_MAX - 2 - head.length)), end];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}

function wordsFrom(event: TraceEvent, task: string): string | undefined {
  switch (event.kind) {
    case "attempt":
      return `attempt ${event.attempt} begins`;
    case "attempt-ended":
      return endWords(event);
    case "kill":
      return `attempt ${event.attempt} is killed softly (${event.category})`;
    case "fault":
      return `fault at ${event.site}: ${event.verdict}`;
    case "host":
      return hostWords(event);
    case "state-set":
      return `the store holds ${event.key} = ${event.value}`;
    case "job-status": {
      if (event.by !== task) return undefined;
      const which = event.job === 0 ? "no job" : `job ${event.job}`;
      return `the system finds ${which}${event.status === "" ? "" : `: "${event.status}"`}`;
    }
    default:
      return jobWords(event, task);
  }
}

function hostWords({ host, state }: Extract<TraceEvent, { kind: "host" }>): string | undefined {
  if (host !== JOB_SYSTEM_HOST) return state === "crash" ? `${host} is lost` : undefined;
  if (state === "crash") return "the job system goes down";
  return state === "restart" ? "the job system is back" : undefined;
}

function endWords({ attempt, outcome, error }: Extract<TraceEvent, { kind: "attempt-ended" }>) {
  return `attempt ${attempt} ends: ${outcome}${error === "" ? "" : ` (${error})`}`;
}

function jobWords(event: TraceEvent, task: string): string | undefined {
  switch (event.kind) {
    case "job-accepted": {
      const whose = event.task === task ? "" : ", somebody else's,";
      const key = event.key === "" || event.key === event.id ? "" : ` by the key "${event.key}"`;
      return `the system accepts job ${event.job}${whose} as ${event.id}${key}`;
    }
    case "job-rejected":
      return event.task === task ? `the system refuses a job: ${event.reason}` : undefined;
    case "job-deduplicated":
      return `the system knows the key "${event.key}" and answers job ${event.job}`;
    case "job-finished":
      return `job ${event.job} ends: ${event.outcome}`;
    case "job-cancel-asked":
      return `a cancel of job ${event.job} is asked for`;
    case "job-cancelled":
      return `job ${event.job} is cancelled`;
    case "job-forgotten":
      return `the system forgets job ${event.job}`;
    case "job-result":
      return event.by === task ? `the result of job ${event.job} is fetched` : undefined;
    default:
      return undefined;
  }
}
