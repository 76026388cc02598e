// Records short traces of every kind of world, which edited-traces.ts edits and judges: of the runs of
// drawn scenarios, and of those that come with the kit, those that show most for their length. What it
// wrote is kept as it is when the simulated worlds change; record anew, and pin the verdicts, when the
// shape of an event changes or there are checkers of events that no trace has.
//
//   node test/checkers/edited/record-traces.ts
import { writeFileSync } from "node:fs";
import { simulate } from "../../../sim/run/simulate.ts";
import type { Scenario } from "../../../sim/scenario/scenario.ts";
import { drawScenario, WORLD_NAMES } from "../../../sim/scenario/world-kinds.ts";
import type { TraceEvent } from "../../../sim/trace/trace.ts";
import type { WorldParts } from "../../../sim/worlds/world-parts.ts";
import { loadParts, readScenario, scenarioNames } from "../../sim/read-scenarios.ts";
import { correctPartsOf } from "../../worlds/subjects.ts";
import { EnteredCode } from "./entered-code.ts";
import type { RecordedTrace } from "./recorded-traces.ts";

const SEEDS = 200;
/** Of each scenario that comes with the kit. */
const SEEDS_EACH = 2;
const EVENTS_MAX = 500;
/** Of one world. */
const EVENTS_KEPT_MAX = 4_000;

interface Run {
  readonly trace: RecordedTrace;
  /** What it shows: what the checkers execute, marks, values, and which event follows which. */
  readonly features: ReadonlySet<string>;
}

const code = await EnteredCode.of("/sim/checkers/");
const lines: string[] = [];
for (const world of WORLD_NAMES) {
  for (const { trace } of chosenFrom(await runsOf(world))) {
    console.log(`${trace.scenario} seed ${trace.seed}: ${trace.events.length} events`);
    lines.push(JSON.stringify(trace));
  }
}
writeFileSync(new URL("traces.jsonl", import.meta.url), `${lines.join("\n")}\n`);

async function runsOf(world: RecordedTrace["world"]): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const run = await runOf(drawScenario(world, seed), world, seed, correctPartsOf(world));
    if (run !== undefined) runs.push(run);
  }
  for (const name of scenarioNames()) {
    const scenario = readScenario(name);
    if (scenario.world !== world) continue;
    const parts = await loadParts(name);
    for (let seed = 1; seed <= SEEDS_EACH; seed += 1) {
      const run = await runOf(scenario, name, seed, parts);
      if (run !== undefined) runs.push(run);
    }
  }
  return runs;
}

/** Returns nothing for a run that is too long, or in which a promise was broken. */
async function runOf(
  scenario: Scenario,
  name: string,
  seed: number,
  parts: WorldParts,
): Promise<Run | undefined> {
  await code.entered();
  const { trace: events, stats, violations } = await simulate(scenario, { ...parts, seed });
  if (events.length > EVENTS_MAX || violations.length > 0) return undefined;
  const counted = [...stats.marks, ...stats.crashPoints];
  const reached = counted.flatMap(([mark, times]) => (times > 0 ? [mark] : []));
  const { world } = scenario;
  const strictPersistence = "strictPersistence" in scenario && scenario.strictPersistence;
  const retriesMin =
    scenario.world === "tasks" ? Math.min(...scenario.tasks.map(({ retries }) => retries)) : 0;
  return {
    trace: { world, scenario: name, seed, strictPersistence, retriesMin, events },
    features: new Set([
      ...reached,
      ...successionsIn(events),
      ...wordsIn(events),
      ...(await code.entered()),
    ]),
  };
}

function successionsIn(events: readonly TraceEvent[]): readonly string[] {
  const last = new Map<string, string>();
  return events.map(({ host, kind }) => {
    const before = last.get(host);
    last.set(host, kind);
    return `${before} ${kind}`;
  });
}

/** The words that fields have as values, without names of hosts, tasks and records. */
function wordsIn(events: readonly TraceEvent[]): readonly string[] {
  return events.flatMap(({ kind, ...fields }) =>
    Object.entries(fields).flatMap(([field, value]) => {
      const isWord =
        typeof value === "boolean" || (typeof value === "string" && /^[a-z_-]*$/i.test(value));
      return isWord ? [`${kind}.${field} ${value}`] : [];
    }),
  );
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
