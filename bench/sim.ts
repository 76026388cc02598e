// How fast the simulator is: `npm run bench:sim [-- --quick] [-- --json]`.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { measure } from "mitata";
import { invariant } from "../src/invariant.ts";
import { CalmChoices, SeededChoices } from "../sim/choices/choices.ts";
import { drain } from "../sim/realm/drain.ts";
import { parseScenario } from "../sim/scenario/parse.ts";
import type { RunReport } from "../sim/run/run-report.ts";
import type { Scenario } from "../sim/scenario/scenario.ts";
import { simulate } from "../sim/run/simulate.ts";
import { Trace } from "../sim/trace/trace.ts";
import { World } from "../sim/kernel/world.ts";
import { referenceWorld } from "./reference-world.ts";

/** What one line of the report says; the goal is of the same unit. */
interface Line {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly goal?: number;
  readonly beside?: string;
}

const BATCH = 1_000;
const NS_PER_SECOND = 1e9;

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const lines: Line[] = [
  ...(await parts()),
  await eventsPerSecond("everything-at-once", 150_000),
  await eventsPerSecond("hostile-client", undefined),
  ...(await reference(flags.quick ? 1 / 6 : 24)),
];
const machine = { node: process.version, arch: process.arch, quick: flags.quick };
if (flags.json) {
  process.stdout.write(`${JSON.stringify({ machine, lines }, undefined, 2)}\n`);
} else {
  process.stdout.write(
    `${lines.map(textFrom).join("\n")}\nnode ${machine.node}, ${machine.arch}\n`,
  );
}

function textFrom({ name, value, unit, goal, beside }: Line): string {
  const aim =
    goal === undefined
      ? ""
      : ` (goal ${goal.toLocaleString("en")}: ${value >= goal ? "reached" : "MISSED"})`;
  const number = value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 2 : 0 });
  return `${name.padEnd(52)} ${number.padStart(12)} ${unit}${aim}${beside === undefined ? "" : `; ${beside}`}`;
}

function readScenario(name: string): Scenario {
  const path = new URL(`../scenarios/${name}.yaml`, import.meta.url);
  return parseScenario(readFileSync(path, "utf8"), name);
}

/** What the kernel's parts cost, each beside the bare thing in the same process. */
async function parts(): Promise<readonly Line[]> {
  const hop = await nsEach(() => hops());
  const step = await nsEach(() => steps(true));
  const still = await nsEach(() => steps(false));
  const trace = await nsEach(async () => traced());
  const json = await nsEach(async () => stringified());
  const choice = await nsEach(async () => chosen());
  return [
    {
      name: "a step with promise work / a bare macrotask hop",
      value: step / hop,
      unit: "x",
      beside: `${Math.round(step)} ns`,
    },
    {
      name: "a step without / a bare macrotask hop",
      value: still / hop,
      unit: "x",
      beside: `${Math.round(still)} ns`,
    },
    {
      name: "a trace event, digested / its JSON text alone",
      value: trace / json,
      unit: "x",
      beside: `${Math.round(trace)} ns`,
    },
    { name: "a choice", value: choice, unit: "ns" },
  ];
}

async function nsEach(batch: () => Promise<void>): Promise<number> {
  const stats = await measure(batch, { min_cpu_time: flags.quick ? 2e8 : 5e8, min_samples: 5 });
  return stats.p50 / BATCH;
}

async function hops(): Promise<void> {
  for (let at = 0; at < BATCH; at += 1) await drain();
}

async function steps(hop: boolean): Promise<void> {
  const world = new World(new CalmChoices(), { keepTrace: false });
  for (let at = 0; at < BATCH; at += 1) world.schedule(at, { lane: "bench", hop }, () => undefined);
  await world.run(BATCH);
}

function traced(): void {
  const trace = new Trace(() => 0, { keep: false });
  for (let at = 0; at < BATCH; at += 1) trace.emit("runner-1", { kind: "pull", sub: at });
  invariant(trace.digest().length === 64, "A digest is 64 characters");
}

function stringified(): void {
  let length = 0;
  for (let at = 0; at < BATCH; at += 1) {
    length += JSON.stringify({ at: 0, host: "runner-1", kind: "pull", sub: at }).length;
  }
  invariant(length > BATCH, "There is text");
}

function chosen(): void {
  const stream = new SeededChoices(1, { record: false }).stream("sched", "bench");
  let sum = 0;
  for (let at = 0; at < BATCH; at += 1) sum += stream.choose(8, "bench");
  invariant(sum > 0, "Something was chosen");
}

/** Runs seeds of a scenario, trace digested and judged, and says how many events a second that is. */
async function eventsPerSecond(name: string, goal: number | undefined): Promise<Line> {
  const scenario = readScenario(name);
  let events = 0;
  let seed = 0;
  const run = async (): Promise<void> => {
    seed += 1;
    const report = await simulate(scenario, { seed, trace: false });
    assertHeld(report);
    events += report.stats.events;
  };
  const stats = await measure(run, { min_cpu_time: flags.quick ? 5e8 : 3e9, min_samples: 5 });
  const perRun = events / seed;
  const value = perRun / (stats.avg / NS_PER_SECOND);
  const beside = `${Math.round(perRun)} events a run`;
  const line: Line = { name: `trace events a second, ${name}`, value, unit: "events/s", beside };
  return goal === undefined ? line : { ...line, goal };
}

async function reference(hours: number): Promise<readonly Line[]> {
  const scenario = referenceWorld(hours);
  const startedAt = performance.now();
  const report = await simulate(scenario, { seed: 1, trace: false });
  const seconds = (performance.now() - startedAt) / 1_000;
  assertHeld(report);
  const { virtualMs, events, steps: count } = report.stats;
  const virtual = virtualMs / 1_000;
  return [
    {
      name: `reference world, ${Math.round(virtual / 360) / 10} h`,
      value: virtual / seconds,
      unit: "times real time",
      goal: 2_500,
      beside: `${(events / virtual).toFixed(1)} events per virtual second, ${seconds.toFixed(1)} s, ${count} steps`,
    },
    { name: "reference world", value: events / seconds, unit: "events/s" },
  ];
}

function assertHeld({ scenario, seed, verdict, violations }: RunReport): void {
  const why = violations[0]?.detail ?? "";
  invariant(verdict === "held", `${scenario}, seed ${seed}: ${verdict} ${why}`);
}
