import type { Checker } from "../checker.ts";
import { HostClocks } from "./host-clocks.ts";
import { isWithin } from "./key-history.ts";
import type { TaskFacts } from "./task-facts.ts";

type TaskChecker = Checker<TaskFacts>;

const ASSET_SCOPE = '["asset",';

/** R-I7: a read returns the last write; of a replica that lags, the last one that it has. */
export const readsSeeTheLastWrite: TaskChecker = {
  id: "R-I7",
  promise: "a key reads as it was last written, in its own scope",
  on: {
    "state-got"(event, facts, report) {
      if (facts.jobs.keys.isOwed(event)) return;
      const { scope, key, value } = event;
      const kept = facts.kept(scope, key)?.value ?? null;
      report(
        "read-differs",
        `"${key}" of ${scope} reads ${value}, and was last written as ${kept}`,
      );
    },
  },
};

/** R-I8: null is never stored. */
export const nullIsNeverStored: TaskChecker = {
  id: "R-I8",
  promise: "null is never stored",
  on: {
    "state-set"({ scope, key, value }, _facts, report) {
      if (value === "null") report("set-to-null", `"${key}" of ${scope} was set to null`);
    },
  },
};

/** R-I9: a sweep deletes only entries that are expired at the time of the delete. */
export const sweepTakesTheExpired: TaskChecker = {
  id: "R-I9",
  promise: "a sweep deletes only keys that are expired at the delete",
  on: {
    "state-swept"({ scope, key, now }, facts, report) {
      const kept = facts.kept(scope, key);
      if (kept === undefined) {
        report("swept-missing", `"${key}" of ${scope} was swept, and was not there`);
      } else if (kept.expiresAt === null || kept.expiresAt >= now) {
        const until = kept.expiresAt === null ? "never" : `at ${kept.expiresAt}`;
        report("swept-too-early", `"${key}" of ${scope} was swept at ${now}, and expires ${until}`);
      }
    },
  },
};

/**
 * R-swept: a sweep that is over has deleted all that had expired.
 *
 * Allowed: a fail-over brings back what an earlier batch of the same sweep has deleted.
 */
export function sweepTakesAllExpired(): Checker<TaskFacts> {
  const clocks = new HostClocks();
  let lostAt = -1;
  return {
    id: "R-swept",
    promise: "a sweep deletes every key that had expired when it began, by the sweeper's clock",
    on: {
      phase: (event) => clocks.apply(event),
      host: (event) => clocks.apply(event),
      "commits-lost": ({ at }) => void (lostAt = at),
      "sweep-done"({ since, now, grace, host }, { jobs }, report) {
        const meant = clocks.wallOf(host, since) - grace;
        if (now !== meant) report("swept-at-other-time", `the sweep took ${now} for ${meant}`);
        if (lostAt >= since) return;
        for (const [scope, key, { expiresAt, since: setAt }] of jobs.keys.held()) {
          if (expiresAt === null || expiresAt >= now || setAt >= since) continue;
          report("swept-too-little", `a sweep left "${key}" of ${scope}, expired at ${expiresAt}`);
        }
      },
    },
  };
}

/** R-I10: a clear takes exactly its scope. */
export const clearTakesItsScope: TaskChecker = {
  id: "R-I10",
  promise: "a clear empties exactly its scope",
  on: {
    "state-cleared"(event, _facts, report) {
      for (const scope of event.left ?? []) {
        report("cleared-too-little", `clearing ${event.scope} left keys of ${scope}`);
      }
      for (const scope of event.emptied) {
        if (!isWithin(scope, event))
          report("cleared-too-much", `clearing ${event.scope} took keys of ${scope}`);
      }
    },
  },
};

/**
 * R-removed: what a task has deleted or cleared is gone once the store has said so.
 *
 * Allowed: what was written since the task asked, be it late or by a sibling; what a fail-over has
 * brought back.
 */
export function removalsTakeEffect(): Checker<TaskFacts> {
  let lostAt = -1;
  return {
    id: "R-removed",
    promise: "what a task deletes or clears is gone when its store says so",
    on: {
      "commits-lost": ({ at }) => void (lostAt = at),
      "state-removed"(event, { jobs }, report) {
        const { attempt, since, key: removed } = event;
        if (lostAt >= since) return;
        for (const [scope, key, { since: setAt }] of jobs.keys.held()) {
          const isMeant = isWithin(scope, event) && (removed === undefined || removed === key);
          if (!isMeant || setAt >= since) continue;
          const what = removed === undefined ? "clears its state" : `deletes "${removed}"`;
          report(
            "kept-though-removed",
            `attempt ${attempt} ${what}, and "${key}" of ${scope} stays`,
          );
        }
      },
    },
  };
}

/** R-I11: assets outlive what happens to tasks. */
export const assetsAreLeftAlone: TaskChecker = {
  id: "R-I11",
  promise: "no clear of a task and no sweep touches an asset's state",
  on: {
    "state-cleared"({ scope, emptied }, _facts, report) {
      if (scope.startsWith(ASSET_SCOPE)) return;
      for (const one of emptied) {
        if (one.startsWith(ASSET_SCOPE))
          report("asset-state-cleared", `clearing ${scope} emptied ${one}`);
      }
    },
    "state-swept"({ scope, key }, _facts, report) {
      if (scope.startsWith(ASSET_SCOPE))
        report("asset-state-swept", `"${key}" of ${scope} was swept`);
    },
  },
};

/** R-I16: state is cleaned up on success, and on nothing else. */
export const cleanupFollowsSuccess: TaskChecker = {
  id: "R-I16",
  promise:
    "state is cleared on success, if that is asked for, and only after the success is stored",
  onEnd({ tasks, toClear, jobs }, report) {
    for (const [scope, key] of jobs.keys.held()) {
      const name = jobs.taskOfScope.get(scope) ?? "";
      if (!toClear.has(name) || tasks.get(name)?.state !== "success") continue;
      report("kept-after-success", `${name} has succeeded, and "${key}" of it is still there`);
    }
  },
  on: {
    "state-cleared"({ scope, all, why }, facts, report) {
      if (why !== "success") return;
      if (all) {
        const what = `${scope} was cleared on success with all map indices of its task`;
        report("cleared-of-others", what, facts.taskOfScope.get(scope));
      }
      const task = facts.taskOfScope.get(scope);
      const state = task === undefined ? undefined : facts.tasks.get(task)?.state;
      if (state !== "success")
        report(
          "cleared-before-success",
          `${scope} was cleared on success while ${task} is ${state}`,
        );
    },
  },
};

/** R-I17: an attempt that was declared dead, was cleared or has ended writes no more. */
export const deadAttemptsDoNotWrite: TaskChecker = {
  id: "R-I17",
  promise: "an attempt that is over for the database cannot write",
  on: {
    "state-set"({ scope, key, attempt }, facts, report) {
      if (attempt === 0 || facts.mayWrite(attempt)) return;
      report("set-after-end", `attempt ${attempt} set "${key}" of ${scope} after it was over`);
    },
  },
};

/** R-I18: every stored value is JSON, so that every reader can read it. */
export const valuesAreJson: TaskChecker = {
  id: "R-I18",
  promise: "a stored value is JSON text",
  on: {
    "state-set"({ scope, key, value }, _facts, report) {
      if (!isJson(value))
        report("set-to-no-json", `"${key}" of ${scope} was set to ${value}, which is no JSON`);
    },
  },
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
