// The table of the guide "Which form to choose": what each form of operator makes of each trouble.
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";

const FORMS = [
  "plain",
  "hand-written",
  "resumable",
  "resumable-checkpoint",
  "checkpoint",
  "deferrable",
  "deferrable-resumable",
] as const;

interface Trouble {
  readonly name: string;
  /** Lines of the scenario. */
  readonly lines?: string;
  /** Settings of the job system. */
  readonly system?: string;
}

const TROUBLES: readonly Trouble[] = [
  { name: "lost", lines: "faults: [{ at: 20s, crash: worker-1 }]" },
  { name: "evicted", lines: "faults: [{ at: 20s, softKill: worker-1, grace: 20s }]" },
  { name: "triggerer lost", lines: "faults: [{ at: 20s, crash: triggerer }]" },
  {
    name: "in the window",
    lines: "faults: [{ site: job.submit, verdict: crash-after, nth: 1 }]",
  },
  {
    name: "before the report",
    lines: "faults: [{ site: api.finish-attempt, verdict: crash-before, nth: 1 }]",
  },
  { name: "the job fails", system: ", failFirst: 1" },
  { name: "stopped", lines: "operations: [{ at: 20s, stop: report/run-1 }]" },
];

function scenarioText(form: string, { lines = "", system = "" }: Trouble): string {
  return `
story: One form of operator and one trouble
world: tasks
heartbeat: 5s
schedulerEvery: 2s
jobServer: { takes: { min: 60s, max: 60s }${system} }
tasks:
  - { name: report, operator: ${form}, retries: 3, retryDelay: 2s }
${lines}
phases: { safety: 240s, liveness: 240s }
expect: { checkers: [R-settled] }
`;
}

/** Says how many jobs and tries a run came to, and what became of job and task. */
function cellOf(trace: readonly TraceEvent[]): string {
  let jobs = 0;
  let cancelled = 0;
  let tries = 0;
  let state = "";
  for (const event of trace) {
    if (event.kind === "job-accepted") jobs += 1;
    if (event.kind === "job-cancelled") cancelled += 1;
    if (event.kind === "attempt") tries = Math.max(tries, event.tryNumber);
    if (event.kind === "task-state") ({ state } = event);
  }
  const parts = [
    `${jobs} ${jobs === 1 ? "job" : "jobs"}`,
    ...(cancelled === 0 ? [] : [`${cancelled} cancelled`]),
    ...(tries === 1 ? [] : [`${tries} tries`]),
    ...(state === "success" ? [] : [state]),
  ];
  return parts.join(", ");
}

/** Returns the table, in Markdown. */
export async function formsTable(): Promise<string> {
  const names = TROUBLES.map(({ name }) => name);
  const rows = [["form", ...names]];
  for (const form of FORMS) {
    const cells: string[] = [];
    for (const trouble of TROUBLES) {
      const scenario = parseScenario(scenarioText(form, trouble), "forms");
      cells.push(cellOf((await simulate(scenario, { seed: 1 })).trace));
    }
    rows.push([`\`${form}\``, ...cells]);
  }
  return tableFrom(rows);
}

/** Returns a Markdown table with aligned columns; the first row is its head. */
export function tableFrom(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, at) => Math.max(3, ...rows.map((row) => (row[at] ?? "").length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [head, rule, ...body].map((row) => `${line(row)}\n`).join("");
}
