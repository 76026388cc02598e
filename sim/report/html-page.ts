import { deflateSync } from "fflate";
import { packTrace } from "../page/packed-trace.ts";
import {
  ELEMENT_IDS,
  REPORT_FORMAT,
  type ReportData,
  type ReportSection,
  type RunData,
} from "../page/report-data.ts";
import type { RunReport } from "../run/run-report.ts";
import { writeScenario } from "../scenario/write.ts";
import type { TraceEvent } from "../trace/trace.ts";
import { base64From, htmlDocument, jsonElement, sourceOf } from "./html-document.ts";

/** The page's own program and style, as the bundler makes them. */
export interface PageCode {
  readonly script: string;
  readonly style: string;
}

/** A run to be shown. */
export interface ShownRun {
  /** With its trace. */
  readonly report: RunReport;
  /** The command that makes it again. */
  readonly rerun: string;
}

/** What a page is made from. */
export interface PageParts {
  readonly kitVersion: string;
  readonly run: ShownRun;
  /** Another run that it is compared with. */
  readonly other?: ShownRun | undefined;
  /** Panels that are added to the page. */
  readonly sections?: readonly ReportSection[];
}

/** What can be seen of a page whose program does not start. */
const NOT_STARTED =
  "This report could not be opened: the file is incomplete, or the browser does not run its script.";

/** How much is tried for a smaller file: more than this takes far longer and gains little. */
const DEFLATE_LEVEL = 6;

/**
 * Returns the report of a run as one HTML file that needs nothing else.
 *
 * Holds: the same run and code give the same bytes on every runtime. Nothing that a run contains
 * can become markup or script: the policy of the page allows its own script alone.
 */
export function htmlPageFrom(code: PageCode, parts: PageParts): string {
  const { run, other, sections = [], kitVersion } = parts;
  const shown = other === undefined ? [run] : [run, other];
  const traces = shown.map(({ report }) => traceText(report.trace));
  const data: ReportData = {
    format: REPORT_FORMAT,
    kitVersion,
    runs: shown.map((one, at) => runDataFrom(one, traces[at]?.length ?? 0)),
    sections,
  };
  const { scenario, seed } = run.report;
  const { script, style } = code;
  return htmlDocument({
    title: `${scenario}, seed ${seed} – faultlane`,
    style,
    allowed: [`script-src ${sourceOf(script)}`, `style-src ${sourceOf(style)}`],
    body: [
      `<div id="report"><p class="notice">${NOT_STARTED}</p></div>`,
      jsonElement(ELEMENT_IDS.data, data),
      `<script>${script}</script>`,
      // Last, because a file is cut short at its end.
      ...traces.map((text, at) => textElement(ELEMENT_IDS.trace(at), text)),
    ],
  });
}

/** Returns what the page says of a run besides its trace. */
export function runDataFrom({ report, rerun }: ShownRun, traceLength: number): RunData {
  const { scenario, played, seed, verdict, digest, violations, stats } = report;
  return {
    scenario,
    world: played.world,
    seed,
    verdict,
    digest,
    virtualMs: stats.virtualMs,
    events: report.trace.length,
    story: played.story,
    violations: violations.map(({ checker, promise, at, host, detail, ref, story }) => ({
      checker,
      promise,
      at,
      host,
      detail,
      ref,
      story,
    })),
    faults: stats.faults,
    yaml: writeScenario(played),
    rerun,
    traceLength,
  };
}

function traceText(events: readonly TraceEvent[]): string {
  return base64From(deflateSync(packTrace(events), { level: DEFLATE_LEVEL }));
}

/** `text` is base64. */
function textElement(id: string, text: string): string {
  return `<script type="text/plain" id="${id}">${text}</script>`;
}
