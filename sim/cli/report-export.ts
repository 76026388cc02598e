import { mermaidFrom } from "../page/exports/mermaid.ts";
import { perfettoFrom } from "../page/exports/perfetto.ts";
import { subjectNamed } from "../page/model/subject-named.ts";
import type { ShownRun } from "../report/html-page.ts";
import { runModelFrom } from "../report/run-model.ts";
import { WrongInput } from "./output.ts";

/** What `faultlane report` writes. */
export const FORMATS = ["html", "perfetto", "mermaid"] as const;

export type ReportFormat = (typeof FORMATS)[number];

type ExportFormat = Exclude<ReportFormat, "html">;

const ENDINGS: Readonly<Record<ExportFormat, string>> = {
  perfetto: ".perfetto.json",
  mermaid: ".mmd",
};

/** Returns where an export is written: beside the page. */
export function exportPathOf(page: string, format: ExportFormat): string {
  return page.replace(/\.html$/, ENDINGS[format]);
}

/**
 * Returns a run for another program.
 *
 * @param follow - what a diagram is about; by default what led to the first break
 * @throws {WrongInput} when the run has nothing of that name, or a diagram has no subject
 */
export function exportText(run: ShownRun, format: ExportFormat, follow?: string): string {
  const model = runModelFrom(run);
  if (format === "perfetto") return [...perfettoFrom(model)].join("");
  if (follow !== undefined) {
    const subject = subjectNamed(model, follow);
    if (subject !== undefined) return mermaidFrom(model, subject);
    throw new WrongInput(`Cannot follow "${follow}": the run has no such record, task or job`);
  }
  if (model.data.violations.length > 0) return mermaidFrom(model, { kind: "break", violation: 0 });
  throw new WrongInput(
    "Cannot write a diagram: no promise broke; name a record, a task or a job with --follow",
  );
}
