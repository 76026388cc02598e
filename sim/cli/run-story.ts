import type { RunReport, RunVerdict } from "../run/run-report.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";

/** More than a screen; what matters least is left out first. */
const LINES_MAX = 60;

const ENDS: Readonly<Record<RunVerdict, string>> = {
  held: "every promise held",
  broken: "a promise is broken",
  "expected-failure": "promises are broken, as expected",
  "unexpected-success": "a promise held that was to break",
};

/** What happened in a run that has its trace, a line for each event that matters. */
export function runStory({ played, stats, trace, verdict }: RunReport): readonly string[] {
  const end = { at: stats.virtualMs, ref: undefined, detail: ENDS[verdict], linesMax: LINES_MAX };
  return worldKindOf(played).story(trace, end);
}
