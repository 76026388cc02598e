import { createHash } from "node:crypto";
import { drawScenario, WORLD_NAMES, worldKindOf } from "../../../sim/scenario/world-kinds.ts";
import type { TraceEvent } from "../../../sim/trace/trace.ts";
import { correctPartsOf } from "../../worlds/subjects.ts";
import type { RecordedTrace } from "./recorded-traces.ts";
import { editsOf, meetingsOf } from "./trace-edits.ts";

type WorldName = RecordedTrace["world"];

/** What the checkers say of the edits of one trace. */
export interface PinnedVerdicts {
  /** "manager 81": the scenario and the seed. */
  readonly trace: string;
  /** How many edits were judged. */
  readonly edits: number;
  /** Of every edit with all that the checkers say of it. */
  readonly digest: string;
  /** Of what the violations say in words. */
  readonly words: string;
  /** How many edits break which promise with which symptom. */
  readonly broken: Readonly<Record<string, number>>;
}

/** What was pinned, and of which checkers and marks: of newer ones nothing is known yet. */
export interface Pins {
  readonly known: Readonly<Record<string, readonly string[]>>;
  readonly verdicts: readonly PinnedVerdicts[];
}

/** So many events of one trace and its edits are judged, which keeps a test file below ten seconds. */
const EVENTS_JUDGED_MAX = 200_000;
/** Of those in which events meet in one instant. */
const EVENTS_MET_MAX = 40_000;

export function nameOf({ scenario, seed }: RecordedTrace): string {
  return `${scenario} ${seed}`;
}

/** Returns the checkers and marks that there are today, by world. */
export function knownToday(): Pins["known"] {
  return Object.fromEntries(
    WORLD_NAMES.map((world) => {
      const { checkers, marks } = worldKindOf(drawScenario(world, 1));
      return [world, [...new Set([...checkers, ...marks])]];
    }),
  );
}

/** Judges the edits of a trace; `listen` is called with each edit and what is said of it. */
export function verdictsOf(
  trace: RecordedTrace,
  known: readonly string[],
  listen: (edit: string, said: readonly string[]) => void = () => undefined,
): PinnedVerdicts {
  const digest = createHash("sha256");
  const words = createHash("sha256");
  const broken = new Map<string, number>();
  const { length } = trace.events;
  const edits = [
    ...someOf(editsOf(trace.events), EVENTS_JUDGED_MAX / length),
    ...someOf(meetingsOf(trace.events), EVENTS_MET_MAX / length),
  ];
  for (const make of edits) {
    const { edit, events } = make();
    const { violations, others } = judge(trace, events, new Set(known));
    const said = [...violations.map(({ text }) => text), ...others];
    digest.update(`${edit}\n${said.join("\n")}\n\n`);
    const details = violations.map(({ detail }) => detail);
    words.update(`${details.join("\n")}\n`);
    listen(edit, [...said, ...details]);
    for (const symptom of new Set(violations.map((one) => one.symptom))) {
      broken.set(symptom, (broken.get(symptom) ?? 0) + 1);
    }
  }
  return {
    trace: nameOf(trace),
    edits: edits.length,
    digest: digest.digest("hex"),
    words: words.digest("hex"),
    broken: Object.fromEntries([...broken].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Returns about so many, evenly. */
function someOf<T>(all: readonly T[], most: number): readonly T[] {
  const every = Math.ceil(all.length / most);
  return all.filter((_one, index) => index % every === 0);
}

/** What the checkers, the marks and the crash points of the trace's world say of the events. */
export interface Judgement {
  readonly violations: readonly {
    readonly symptom: string;
    readonly text: string;
    readonly detail: string;
  }[];
  readonly others: readonly string[];
}

/** Judges events as the run in which the trace was recorded was judged. */
export function judge(
  { world, strictPersistence, retriesMin }: RecordedTrace,
  events: readonly TraceEvent[],
  known: ReadonlySet<string>,
): Judgement {
  const drawn = drawScenarioOnce(world);
  // The stricter table accuses more edits than the default one.
  const strict = drawn.world === "producer" ? { decide: "failed-first" as const } : {};
  const retried =
    drawn.world === "tasks"
      ? { tasks: drawn.tasks.map((task) => ({ ...task, retries: retriesMin })) }
      : {};
  const scenario = { ...drawn, ...strict, ...retried, strictPersistence };
  const marks: string[] = [];
  const sometimes = (mark: string): void => void marks.push(mark);
  const run = worldKindOf(scenario).judge(scenario, sometimes, correctPartsOf(world));
  const others: string[] = [];
  try {
    for (const event of events) run.observe(event);
    run.end();
  } catch (error) {
    // A trace in which a producer acts that never was is no trace of a world.
    others.push(error instanceof Error ? error.message : "threw");
  }
  others.push(...marks.filter((mark) => known.has(mark)));
  for (const [point, times] of run.crashPoints()) others.push(`${point} ${times} times`);
  for (const { job, task, why, since, forMs } of run.orphans?.() ?? []) {
    others.push(`job ${job} of ${task} ran on from ${since} for ${forMs}: ${why}`);
  }
  const violations = run.violations
    .filter(({ checker }) => known.has(checker))
    .map(({ checker, symptom, at, host, ref, detail }) => ({
      symptom: `${checker} ${symptom}`,
      text: `${checker} ${symptom} at ${at} on ${host} of ${ref}`,
      detail,
    }));
  return { violations, others };
}

const scenarios = new Map<WorldName, ReturnType<typeof drawScenario>>();

/** Any scenario of the world that asks for all checkers. */
function drawScenarioOnce(world: WorldName): ReturnType<typeof drawScenario> {
  const scenario = scenarios.get(world) ?? drawScenario(world, 1);
  scenarios.set(world, scenario);
  return scenario;
}
