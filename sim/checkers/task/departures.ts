import type { Checker } from "../checker.ts";
import type { TaskFacts } from "./task-facts.ts";

/**
 * R-departures: no two departures have one idempotency key.
 *
 * A deferral, a checkpoint and a reschedule are reported until the server has taken them, and it
 * recognises a repetition by the key alone: of two departures with one key it would ignore the
 * second, and with it a job or an event that is waited for (C28, C29). After a fail-over that lost
 * commits, nothing is judged: (1) an attempt is begun; (2) the fail-over takes its row back; (3)
 * the next attempt is begun in the same try, at the same step; (4) both depart, with one key.
 */
export function departuresAreDistinct(): Checker<TaskFacts> {
  /** The attempt that departed with each key. */
  const departed = new Map<string, number>();
  let isLost = false;
  return {
    id: "R-departures",
    promise: "each departure of a task has an idempotency key of its own",
    on: {
      "commits-lost": () => void (isLost = true),
      "attempt-ended"({ task, attempt, outcome, departureKey }, _facts, report) {
        if (departureKey === undefined || isLost) return;
        const before = departed.get(departureKey);
        departed.set(departureKey, attempt);
        if (before === undefined) return;
        const what = `attempt ${attempt} of ${task} ends ${outcome} with the idempotency key`;
        report("departed-with-old-key", `${what} of attempt ${before}`, task);
      },
    },
  };
}
