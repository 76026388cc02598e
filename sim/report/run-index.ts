import type { Violation } from "../checkers/mod.ts";
import { isGood, type RunReport } from "../run/run-report.ts";
import { timeText } from "../story/story.ts";
import { escaped, htmlDocument, sourceOf } from "./html-document.ts";
import { RUN_INDEX_STYLE } from "./run-index-style.ts";
import { countsOf, summaryFrom } from "./terminal.ts";

/** A run and the file name of its page, which lies beside the index. */
export interface IndexedRun {
  readonly report: Pick<RunReport, "scenario" | "seed" | "verdict" | "violations" | "stats">;
  readonly page: string;
}

/**
 * Returns the index of several runs as an HTML page without a script, those that need somebody's
 * eye first: verdict, the promises that broke, the faults that struck, a link to each run's page.
 *
 * Holds: the same runs give the same bytes; nothing that a run contains becomes markup.
 */
export function runIndexFrom(runs: readonly IndexedRun[]): string {
  const bad = runs.filter(({ report }) => !isGood(report.verdict));
  const good = runs.filter(({ report }) => isGood(report.verdict));
  const summary = summaryFrom(countsOf(runs.map(({ report }) => report)));
  return htmlDocument({
    title: `${summary} – faultlane`,
    style: RUN_INDEX_STYLE,
    allowed: [`style-src ${sourceOf(RUN_INDEX_STYLE)}`],
    body: [
      "<header>",
      "<h1>Runs</h1>",
      `<p class="${bad.length === 0 ? "held" : "broken"}">${escaped(summary)}</p>`,
      "</header>",
      "<main>",
      ...tableOf("Runs to look at", bad),
      ...tableOf(bad.length === 0 ? "All runs" : "The others", good),
      "</main>",
    ],
  });
}

const COLUMNS = ["Run", "Verdict", "Promises", "Faults that struck", "Virtual time", "Events"];

function tableOf(title: string, runs: readonly IndexedRun[]): readonly string[] {
  if (runs.length === 0) return [];
  return [
    // The roles are said because on a narrow screen the style makes the table no table.
    '<table role="table">',
    `<caption>${title}: ${runs.length}</caption>`,
    `<thead role="rowgroup"><tr role="row">${COLUMNS.map(headCell).join("")}</tr></thead>`,
    '<tbody role="rowgroup">',
    ...runs.map(rowOf),
    "</tbody>",
    "</table>",
  ];
}

function headCell(name: string): string {
  return `<th role="columnheader" scope="col">${name}</th>`;
}

/** A cell names its column, because on a narrow screen a row becomes a card. */
function rowOf({ report, page }: IndexedRun): string {
  const { scenario, seed, verdict, violations, stats } = report;
  const link = `<a href="./${encodeURIComponent(page)}">${escaped(`${scenario}, seed ${seed}`)}</a>`;
  const cells = [
    `<span class="verdict ${verdict}">${verdict.replace("-", " ")}</span>`,
    listOf(firstOfEach(violations).map(promiseWords)),
    listOf(stats.faults.map(([fault, times]) => escaped(`${times} × ${fault}`))),
    timeText(stats.virtualMs),
    String(stats.events),
  ];
  const rest = cells.map(
    (cell, at) => `<td role="cell" data-column="${COLUMNS[at + 1] ?? ""}">${cell}</td>`,
  );
  return `<tr role="row"><th role="rowheader" scope="row">${link}</th>${rest.join("")}</tr>`;
}

function firstOfEach(violations: readonly Violation[]): readonly Violation[] {
  return [...Map.groupBy(violations, ({ checker }) => checker).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
}

function promiseWords({ checker, promise, detail }: Violation): string {
  return `<b>${escaped(checker)}</b> ${escaped(promise)}<br><i>${escaped(detail)}</i>`;
}

function listOf(items: readonly string[]): string {
  return items.length === 0 ? "–" : `<ul>${items.map((one) => `<li>${one}</li>`).join("")}</ul>`;
}
