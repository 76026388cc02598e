import type { Checker } from "../checker.ts";
import type { TaskFacts } from "./task-facts.ts";

/**
 * R-undeclared: the state of an asset goes when no DAG declares the asset any more, and only then.
 *
 * A clean-up that is over has left nothing of an asset that was undeclared before it began. A task
 * may refer to an asset by another of its names than its DAG.
 */
export function orphanedAssetsAreCleared(): Checker<TaskFacts> {
  /** The assets that no DAG declares, and since when. */
  const undeclared = new Map<string, number>();
  return {
    id: "R-undeclared",
    promise: "a clean-up deletes the state of every asset that no DAG declares, and of no other",
    on: {
      "asset-undeclared": ({ scope, at }) => void undeclared.set(scope, at),
      "state-cleared"({ why, emptied }, _facts, report) {
        if (why !== "orphaned") return;
        for (const scope of emptied) {
          if (undeclared.has(scope)) continue;
          report("cleared-too-much", `the clean-up of orphaned assets took keys of ${scope}`);
        }
      },
      "orphans-cleared"({ since }, { jobs }, report) {
        for (const [scope, key, kept] of jobs.keys.held()) {
          const from = undeclared.get(scope);
          if (from === undefined || from >= since || kept.since >= since) continue;
          report(
            "cleared-too-little",
            `a clean-up left "${key}" of ${scope}, which no DAG declares`,
          );
        }
      },
    },
  };
}
