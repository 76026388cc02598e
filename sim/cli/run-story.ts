import type { RunReport, RunVerdict } from "../run/run-report.ts";
import { orphanWords } from "../story/orphan-words.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";

/** More than a screen; what matters least is left out first. */
const LINES_MAX = 60;
/** How many orphaned jobs are told of. */
const ORPHANS_MAX = 5;

const ENDS: Readonly<Record<RunVerdict, string>> = {
  held: "every promise held",
  broken: "a promise is broken",
  "expected-failure": "promises are broken, as expected",
  "unexpected-success": "a promise held that was to break",
};

/** What happened in a run that has its trace, a line for each event that matters. */
export function runStory(report: RunReport): readonly string[] {
  const { played, stats, trace, verdict, orphans } = report;
  const end = { at: stats.virtualMs, ref: undefined, detail: ENDS[verdict], linesMax: LINES_MAX };
  const story = worldKindOf(played).story(trace, end);
  return story.toSpliced(-1, 0, ...orphans.slice(0, ORPHANS_MAX).map(orphanWords));
}
