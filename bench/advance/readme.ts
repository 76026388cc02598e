import { mkdirSync, writeFileSync } from "node:fs";
import { isNumber, machineText, type Table, tablesFrom } from "../engine/report.ts";
import type { BenchReport } from "../engine/run-bench.ts";
import { curveChart } from "./chart.ts";

const FOLDER = new URL("../", import.meta.url);
const CHARTS = ["growth over lanes", "growth over outstanding"] as const;

/** Writes bench/README.md and its charts from one report. */
/** Writes the report and its charts into a folder; default: that of the bench. */
export function writeReadme(report: BenchReport, folder: URL = FOLDER): void {
  const charts = CHARTS.flatMap((id) => {
    const row = report.rows.find((row) => row.id === id);
    if (row === undefined) return [];
    const file = `advance/${id.replaceAll(" ", "-")}.svg`;
    const chart = new URL(file, folder);
    mkdirSync(new URL(".", chart), { recursive: true });
    writeFileSync(chart, curveChart(row));
    return [`![${id}](${file})`];
  });
  writeFileSync(new URL("README.md", folder), readmeFrom(report, charts));
}

export function readmeFrom(report: BenchReport, charts: readonly string[]): string {
  const tables = tablesFrom(report).map(markdownFrom);
  const where = `Measured on ${machineText(report)}.`;
  return `${[INTRODUCTION, ...charts, where, ...tables].join("\n\n")}\n`;
}

/** Padded as the formatter pads a table. */
function markdownFrom({ title, head, lines }: Table): string {
  const columns = head.map((_, at) => {
    const isRight = isNumber(lines, at);
    const width = Math.max(RULE_MIN, ...[head, ...lines].map((cells) => cells[at]?.length ?? 0));
    return { isRight, width };
  });
  const rule = columns.map(
    ({ isRight, width }) => `${"-".repeat(width - 1)}${isRight ? ":" : "-"}`,
  );
  const rows = [head, rule, ...lines].map((cells) => {
    const padded = columns.map(({ isRight, width }, at) =>
      isRight ? (cells[at] ?? "").padStart(width) : (cells[at] ?? "").padEnd(width),
    );
    return `| ${padded.join(" | ")} |`;
  });
  return [`## ${title}`, "", ...rows].join("\n");
}

/** A rule of fewer dashes is none. */
const RULE_MIN = 3;

const INTRODUCTION = `# Bench

\`\`\`sh
npm run bench                    # advance throughput, all of it: some minutes
npm run bench -- --quick         # small sizes, for a quick look
npm run bench -- --json > new.json
npm run bench -- --compare old.json
npm run bench -- --only pump     # the rows with "pump" in their name
npm run bench -- --write         # this file and its charts, from a new run
npm run bench:check              # which planted bugs checkProducer finds, and how soon
npm run bench:check-operators    # the same for checkResumableJob
npm run bench:sim                # how fast the simulator is
npm run bench:store              # the state store beside the bare driver
npm run bench:ambient            # what the ambient reject costs
\`\`\`

\`faultlane bench\` is the same without the peers, which only a checkout has, and without Deno.
Everything goes through the public face of \`SharedStreamManager\`; a raw event and its payload are
the event's number.

- **faultlane**: this kit. **textbook**: Airflow's own algorithm written plainly, the yardstick that
  everyone can rerun (\`sim/reference\`). **floor**: the same source, filters and promises with no
  bookkeeping and no advance. **bare loop**: one loop over the memory that any ledger touches.
- End to end: the source yields a fetch, S filters pull and fire or drop, each derived event is
  bound, then confirmed in batches of what 100 events derived, with a macrotask hop after each.
- A sample is a whole run; its set-up is not timed, and after it every event must have been
  advanced once, in its lane's order, with the right outcome, or the bench fails.
- Contestants take turns in one process, each round begins with another one, and mitata takes the
  samples. Garbage is collected when the engine sees fit, and by force only for the rows of bytes,
  which come last. A ratio is the median of the rounds' own.
- Where the textbook would take minutes it is timed on a part, which the table says.
- The peers do the work of a tracker alone, no fan-out and no filters; ours does all of its own
  beside them. The commit counter of kafkajs knows in-order work only.`;
