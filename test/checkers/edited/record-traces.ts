// Records short traces of every kind of world, which edited-traces.test.ts edits and judges: of the runs of
// drawn scenarios those that show most for their length. What it wrote is kept as it is when the simulated
// worlds change; record anew, and pin the verdicts, when the shape of an event changes.
//
//   node test/checkers/edited/record-traces.ts
import { writeFileSync } from "node:fs";
import { simulate } from "../../../sim/run/simulate.ts";
import { drawScenario, WORLD_NAMES } from "../../../sim/scenario/world-kinds.ts";
import type { TraceEvent } from "../../../sim/trace/trace.ts";
import { correctPartsOf } from "../../worlds/subjects.ts";
import type { RecordedTrace } from "./recorded-traces.ts";

const SEEDS = 150;
const EVENTS_MAX = 700;
/** Of one world. */
const EVENTS_KEPT_MAX = 2_000;

interface Run {
  readonly trace: RecordedTrace;
  /** What it shows: marks, crash points, and which event follows which on a host. */
  readonly features: ReadonlySet<string>;
}

const lines: string[] = [];
for (const world of WORLD_NAMES) {
  for (const { trace } of chosenFrom(await runsOf(world))) {
    console.log(`${world} seed ${trace.seed}: ${trace.events.length} events`);
    lines.push(JSON.stringify(trace));
  }
}
writeFileSync(new URL("traces.jsonl", import.meta.url), `${lines.join("\n")}\n`);

async function runsOf(world: RecordedTrace["world"]): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const options = { ...correctPartsOf(world), seed };
    const scenario = drawScenario(world, seed);
    const strictPersistence = "strictPersistence" in scenario && scenario.strictPersistence;
    const { trace: events, stats, violations } = await simulate(scenario, options);
    if (events.length > EVENTS_MAX || violations.length > 0) continue;
    const counted = [...stats.marks, ...stats.crashPoints];
    const reached = counted.flatMap(([name, times]) => (times > 0 ? [name] : []));
    runs.push({
      trace: { world, seed, strictPersistence, events },
      features: new Set([...reached, ...successionsIn(events)]),
    });
  }
  return runs;
}

function successionsIn(events: readonly TraceEvent[]): readonly string[] {
  const last = new Map<string, string>();
  return events.map(({ host, kind }) => {
    const before = last.get(host);
    last.set(host, kind);
    return `${before} ${kind}`;
  });
}

/** Takes whichever shows most that is new for its length, until nothing is new or it is enough. */
function chosenFrom(runs: readonly Run[]): readonly Run[] {
  const left = new Set(runs);
  const chosen: Run[] = [];
  const shown = new Set<string>();
  let events = 0;
  const worthOf = ({ features, trace }: Run): number =>
    [...features].filter((one) => !shown.has(one)).length / trace.events.length;
  while (left.size > 0) {
    const ranked = [...left].toSorted((a, b) => worthOf(b) - worthOf(a));
    const [best] = ranked as [Run];
    left.delete(best);
    if (worthOf(best) === 0) break;
    if (events + best.trace.events.length > EVENTS_KEPT_MAX) continue;
    events += best.trace.events.length;
    for (const feature of best.features) shown.add(feature);
    chosen.push(best);
  }
  return chosen;
}
