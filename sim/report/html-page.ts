import { sha256 } from "@noble/hashes/sha2.js";
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
  return documentFrom(code, {
    title: `${scenario}, seed ${seed} – faultlane`,
    before: [jsonElement(ELEMENT_IDS.data, data)],
    after: traces.map((text, at) => textElement(ELEMENT_IDS.trace(at), text)),
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

interface DocumentParts {
  readonly title: string;
  /** Elements that the program needs in order to start. */
  readonly before: readonly string[];
  /** Elements that come last, because a file is cut short at its end. */
  readonly after: readonly string[];
}

/** Returns a whole document around a program and its data. */
function documentFrom(
  { script, style }: PageCode,
  { title, before, after }: DocumentParts,
): string {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(script)}'`,
    `style-src 'sha256-${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<link rel="icon" href="data:,">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<div id="report"><p class="notice">${NOT_STARTED}</p></div>`,
    ...before,
    `<script>${script}</script>`,
    ...after,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function jsonElement(id: string, value: unknown): string {
  // Neither the end of the script element nor a comment can begin without this character.
  const text = JSON.stringify(value).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="${id}">${text}</script>`;
}

/** `text` is base64. */
function textElement(id: string, text: string): string {
  return `<script type="text/plain" id="${id}">${text}</script>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function hashOf(text: string): string {
  return base64From(sha256(new TextEncoder().encode(text)));
}

/** As many bytes as give whole groups of letters, and few enough for one call. */
const CHUNK_BYTES = 3 * 4_096;

function base64From(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    chunks.push(btoa(String.fromCharCode(...bytes.subarray(from, from + CHUNK_BYTES))));
  }
  return chunks.join("");
}
