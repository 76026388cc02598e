import type { RunReport } from "../../sim/run/run-report.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { runOf } from "./runs.ts";

const STREAM = `{
  story: A long run,
  world: triggerer,
  streams: [{ name: orders, partitions: 4, triggers: 4, publishEvery: 100ms }],
  phases: { safety: 4m },
}`;

/** A real run, its events edited, repeated one after the other until it has so many events. */
export async function longRun(
  events: number,
  edited = (event: TraceEvent): TraceEvent => event,
): Promise<RunReport> {
  const report = await runOf(STREAM);
  const { stats } = report;
  const trace = report.trace.map(edited);
  const repeated = Array.from({ length: events }, (_, at) => {
    const event = trace[at % trace.length] as (typeof trace)[number];
    const round = Math.floor(at / trace.length);
    return { ...event, at: event.at + round * stats.virtualMs };
  });
  const virtualMs = repeated.at(-1)?.at ?? 0;
  return { ...report, trace: repeated, stats: { ...stats, events, virtualMs } };
}
