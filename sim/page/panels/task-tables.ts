import type { JobFact } from "../../checkers/task/job-fact.ts";
import type { TaskFacts } from "../../checkers/task/task-facts.ts";
import type { Cell, TableParts } from "./table.ts";

const ROWS_MAX = 60;

/** The tables of a world with tasks: rows of the database, stored keys, outside jobs. */
export function taskTables({ tasks, jobs, taskOfScope }: TaskFacts): readonly TableParts[] {
  const tables: TableParts[] = [];
  if (tasks.size > 0) {
    tables.push({
      title: "Tasks",
      columns: ["task", "state", "may write", "attempts"],
      rows: [...tasks.values()]
        .slice(0, ROWS_MAX)
        .map(({ name, state: row, attempt, attempts }) => [
          name,
          { text: row, class: `state-${row}` },
          attempt === 0 ? "nobody" : `attempt ${attempt}`,
          attempts.map(({ attempt: number, ended }) => `${number} ${ended ?? "runs"}`).join(", "),
        ]),
    });
  }
  const keys = [...jobs.keys.held()].map(([scope, key, { value, attempt }]): readonly Cell[] => [
    taskOfScope.get(scope) ?? scope,
    key,
    value,
    attempt === 0 ? "" : `attempt ${attempt}`,
  ]);
  if (keys.length > 0) {
    tables.push({
      title: "Stored keys",
      columns: ["scope", "key", "value", "written by"],
      rows: keys.slice(0, ROWS_MAX),
    });
  }
  if (jobs.jobs.size > 0) {
    const all = [...jobs.jobs.values()];
    tables.push({
      title: "Jobs",
      columns: ["job", "task", "state", "id", "its id is stored"],
      rows: all.slice(-ROWS_MAX).map(jobRow),
      ...(all.length > ROWS_MAX && { more: `and ${all.length - ROWS_MAX} earlier ones` }),
    });
  }
  return tables;
}

function jobRow({ job, task, state, id, isRecorded }: JobFact): readonly Cell[] {
  return [
    `job ${job}`,
    task,
    { text: state, class: `job-${state}` },
    id,
    isRecorded ? "yes" : "no",
  ];
}
