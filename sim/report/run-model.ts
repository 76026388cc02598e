import { RunModel } from "../page/model/run-model.ts";
import { PackedTrace, packTrace } from "../page/packed-trace.ts";
import { runDataFrom, type ShownRun } from "./html-page.ts";

/** Returns a run as its page shows it, for exports outside of a page. */
export function runModelFrom(run: ShownRun): RunModel {
  return new RunModel(runDataFrom(run, 0), new PackedTrace(packTrace(run.report.trace)));
}
