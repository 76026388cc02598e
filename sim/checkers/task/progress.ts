import type { Checker, Report } from "../checker.ts";
import { type AttemptFact, isWatermark, type TaskFact, type TaskFacts } from "./task-facts.ts";

type TaskChecker = Checker<TaskFacts>;

/** R-I12: no page is lost, and a crash repeats one at most. */
export const pagesAreLoadedOnce: TaskChecker = {
  id: "R-I12",
  promise: "every page is loaded, and at most one again per attempt that was lost",
  on: {
    "page-loaded"({ task: name, page }, facts, report) {
      const task = facts.taskOf(name);
      const known = task.pages.get(page) ?? 0;
      const repeats = repeatsOf(task.pages) + (known > 0 ? 1 : 0);
      const lost = Math.max(0, task.attemptsSinceClear - 1) + missedBy(task);
      if (repeats <= lost) return;
      report(
        "page-repeated",
        `page ${page} of ${name} is repeat ${repeats}, with ${lost} earlier attempts`,
        name,
      );
    },
    "task-state"({ task: name, state, result }, facts, report) {
      const task = facts.taskOf(name);
      if (state !== "success" || task.pages.size === 0 || wasMisledAfterClear(task)) return;
      const pages = Number(result);
      for (let page = 1; page <= pages; page += 1) {
        if (!task.pages.has(page))
          report("page-missing", `${name} succeeded without page ${page}`, name);
      }
    },
    "rows-loaded"({ process, from, to, attempt }, facts, report) {
      const fact = facts.processOf(process);
      if (from > fact.filledTo) return;
      const task = facts.attempts.get(attempt)?.task ?? "";
      const tasks = new Set(fact.tasks).add(task);
      // Each attempt of a task that failed was in vain, and all but one of any other. What a user
      // wants loaded again is loaded again.
      const notFailed = [...tasks].filter((name) => facts.tasks.get(name)?.state !== "failed");
      const lost = attemptsOf(facts, fact.tasks, task) - notFailed.length + fact.rewinds;
      if (fact.repeats + 1 <= lost) return;
      const times = fact.repeats + 1;
      report(
        "rows-repeated",
        `rows ${from} to ${to} of ${process} are repeat ${times}, with ${lost} lost`,
        task,
      );
    },
  },
};

/**
 * R-I13: a watermark is not ahead of the committed rows, and does not go back.
 *
 * Allowed: a user sets it back, and an attempt that began before that sets it forward again.
 */
export const watermarkFollowsTheData: TaskChecker = {
  id: "R-I13",
  promise: "a watermark never passes committed data, and never falls",
  on: {
    "state-set"({ scope, key, value, attempt }, facts, report) {
      // A user may set it back.
      if (!isWatermark(key) || attempt === 0) return;
      const before = Number(facts.kept(scope, key)?.value ?? 0);
      const mark = Number(value);
      if (mark < before)
        report("watermark-fell", `the watermark of ${scope} fell from ${before} to ${mark}`);
      for (const [process, fact] of facts.processes) {
        const isAlone = facts.processes.size === 1;
        if (isAlone || fact.attempts.has(attempt)) reportGap(process, mark, fact.filledTo, report);
      }
    },
    "rows-loaded"({ process, from, attempt }, facts, report) {
      const { filledTo, rewound } = facts.processOf(process);
      const missed = facts.attempts.get(attempt)?.missed ?? 0;
      if (rewound !== undefined && from > rewound.to + 1 && attempt > rewound.since && missed === 0)
        report(
          "rewind-ignored",
          `rows of ${process} are loaded from ${from} on, although a user had set its watermark back to ${rewound.to}`,
        );
      if (from > filledTo + 1)
        report("rows-lost", `rows ${filledTo + 1} to ${from - 1} of ${process} are lost`);
    },
  },
};

/** R-settled: at the end every task instance is in a final state. */
export const tasksComeToRest: TaskChecker = {
  id: "R-settled",
  promise: "every task instance comes to a final state",
  onEnd(facts, report) {
    for (const { name, state, attempts } of facts.tasks.values()) {
      if (state === "success" || state === "failed") continue;
      const last = attempts.at(-1);
      const how = last === undefined ? "" : `; attempt ${last.attempt} ${endOf(last)}`;
      report("task-unfinished", `${name} is still ${state}${how}`, name);
    }
  },
};

function endOf({ ended, error }: AttemptFact): string {
  if (ended === undefined) return "has not ended";
  return `ended: ${ended}${error === "" ? "" : `, ${error}`}`;
}

function reportGap(process: string, mark: number, filledTo: number, report: Report): void {
  if (mark <= filledTo) return;
  report(
    "watermark-ahead",
    `the watermark of ${process} says ${mark}, and only rows up to ${filledTo} are there`,
  );
}

function repeatsOf(pages: ReadonlyMap<number, number>): number {
  let repeats = 0;
  for (const times of pages.values()) repeats += times - 1;
  return repeats;
}

/** Attempts of every task instance that took part in a process, and what they could not see. */
function attemptsOf(facts: TaskFacts, tasks: ReadonlySet<string>, task: string): number {
  let attempts = 0;
  for (const name of new Set(tasks).add(task)) attempts += attemptsAndMissed(facts.tasks.get(name));
  return attempts;
}

function attemptsAndMissed(task: TaskFact | undefined): number {
  return task === undefined ? 0 : task.attempts.length + missedBy(task);
}

/** What its attempts do again because a replica that lagged did not show them that it was done. */
function missedBy({ attempts }: TaskFact): number {
  return attempts.reduce((sum, { missed }) => sum + missed, 0);
}

/** Whether a replica that lagged may have shown an attempt the state that its user had discarded. */
function wasMisledAfterClear(task: TaskFact): boolean {
  return task.clears > 0 && missedBy(task) > 0;
}
