import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";
import type { TaskFacts } from "./task-facts.ts";
import { Troubles } from "./troubles.ts";

/** So many heartbeats may a call that takes long put off the answer of one. */
const HEARTBEATS = 3;
/** How long the fastest heartbeat may take, all in all. */
const HEARD_MIN_MS = 20_000;

type EndEvent = Extract<TraceEvent, { kind: "user-cleared" | "user-stopped" }>;

/** What a user has ended, and when. */
interface Ended {
  readonly task: string;
  readonly at: number;
}

/**
 * R-stopped: an attempt whose task a user stops or clears is killed, so that it can end its job.
 * Its worker hears of it with a heartbeat: what befalls a host puts that off, and nobody is accused
 * then, nor where the attempt ends by itself meanwhile.
 */
export function endedAttemptsAreKilled(heartbeatMs: number): Checker<TaskFacts> {
  const heardMs = Math.max(HEARTBEATS * heartbeatMs, HEARD_MIN_MS);
  const troubles = new Troubles();
  /** The attempts that are to be killed. */
  const waiting = new Map<number, Ended>();
  const noteTrouble = (event: TraceEvent): void => troubles.observe(event);
  const noteEnd = ({ task, at }: EndEvent, { tasks }: TaskFacts): void => {
    const fact = tasks.get(task);
    const last = fact?.attempts.at(-1);
    if (fact?.state !== "running" || last === undefined) return;
    const { attempt, ended, killed } = last;
    if (ended !== undefined || killed !== undefined || waiting.has(attempt)) return;
    waiting.set(attempt, { task, at });
  };
  const judge = (attempt: number, now: number, report: Report): void => {
    const ended = waiting.get(attempt);
    waiting.delete(attempt);
    if (ended === undefined || now - ended.at < heardMs) return;
    if (troubles.since(ended.at)) return;
    const { task, at } = ended;
    const what = `attempt ${attempt} of ${task} goes on for ${now - at} ms after its user ended it`;
    report("not-killed", what, task);
  };
  return {
    id: "R-stopped",
    promise: "an attempt whose task a user stops or clears is killed",
    on: {
      "user-cleared": noteEnd,
      "user-stopped": noteEnd,
      fault: noteTrouble,
      link: noteTrouble,
      host: noteTrouble,
      attempt: noteTrouble,
      kill: ({ attempt }) => void waiting.delete(attempt),
      "attempt-ended": ({ attempt, at }, _, report) => judge(attempt, at, report),
    },
    onEnd({ restedUntil }, report) {
      for (const attempt of [...waiting.keys()]) judge(attempt, restedUntil, report);
    },
  };
}
