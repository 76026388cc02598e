import { runModelFrom } from "../../../sim/report/run-model.ts";
import type { RunModel } from "../../../sim/page/model/run-model.ts";
import type { TraceEvent } from "../../../sim/trace/trace.ts";
import { runOf } from "../runs.ts";

/** A run as an export takes it. */
export async function modelOf(yaml: string, seed = 1): Promise<RunModel> {
  const report = await runOf(yaml, seed);
  return runModelFrom({ report, rerun: `npx faultlane run run.yaml --seed ${seed}` });
}

/** The same run in which `rename` has changed the events: for names that no scenario allows. */
export async function renamed(
  yaml: string,
  rename: (event: TraceEvent) => TraceEvent,
): Promise<RunModel> {
  const report = await runOf(yaml);
  return runModelFrom({ report: { ...report, trace: report.trace.map(rename) }, rerun: "" });
}
