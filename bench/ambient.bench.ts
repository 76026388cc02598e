/**
 * What the ambient reject costs: events from end to end with the async context that
 * `rejectSharedStreamEvent` needs, and on the same runtime without one.
 *
 * Each sample has a process of its own, because an async context that was entered once slows down
 * every promise of its process; the two take turns, so that what disturbs the machine meets both,
 * and processor time is what is compared.
 *
 * `npm run bench:ambient -- [--json] [--rounds 7] [--events 200000]`
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measure } from "mitata";
import { systemClock } from "../src/platform/mod.ts";
import { FAULTLANE } from "./engine/contestant.ts";
import { runStreams } from "./engine/stream-run.ts";
import type { Work } from "./engine/work.ts";

const NS_PER_US = 1e3;
const FILTERS = ["fires", "drops"] as const;
const SUBSCRIBERS = [1, 10] as const;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "7" },
    events: { type: "string", default: "200000" },
    /** How this program calls itself for one sample: "with" or "without". */
    context: { type: "string" },
    filter: { type: "string", default: "fires" },
    subscribers: { type: "string", default: "1" },
  },
});

interface Row {
  readonly work: string;
  /** Nanoseconds of processor time an event, medians. */
  readonly with: number;
  readonly without: number;
  /** The share of an event's time that the context takes, of each round. */
  readonly shares: readonly number[];
  readonly share: number;
}

if (values.context === undefined) printRows();
else console.log(await sampleHere());

/** Nanoseconds of processor time an event, in this process: others may be at work as well. */
async function sampleHere(): Promise<number> {
  if (values.context === "without") takeContextAway();
  const subscribers = Number(values.subscribers);
  const events = Math.ceil(Number(values.events) / subscribers);
  const filter = values.filter as Work["filter"];
  const shape = { subscribers, lanes: 1, events, outstanding: 100 } as const;
  const work: Work = { ...shape, form: "async", filter, persisted: "in order" };
  const run = async (): Promise<number> => {
    const before = process.cpuUsage();
    await runStreams(systemClock, FAULTLANE, work);
    return (process.cpuUsage(before).user * NS_PER_US) / events;
  };
  function* once(): Generator<never, void, undefined> {
    yield { manual: run, budget: "manual" } as never;
  }
  // mitata calls once to warm up.
  const stats = await measure(once as never, {
    min_samples: 3,
    max_samples: 3,
    min_cpu_time: 0,
    warmup_threshold: -1,
    gc: false,
  });
  return stats.p50;
}

/** Makes this runtime one without async context, as a browser is. */
function takeContextAway(): void {
  const getBuiltinModule = process.getBuiltinModule.bind(process);
  process.getBuiltinModule = new Proxy(getBuiltinModule, {
    apply: (target, _this, [name]: [string]) =>
      name === "node:async_hooks" ? undefined : target(name),
  });
}

function printRows(): void {
  const rows = FILTERS.flatMap((filter) =>
    SUBSCRIBERS.map((subscribers) => measuredRow(filter, subscribers)),
  );
  if (values.json) console.log(JSON.stringify(rows, undefined, 2));
  else for (const row of rows) console.log(lineOf(row));
}

function measuredRow(filter: Work["filter"], subscribers: number): Row {
  const samples = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const order = round % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const);
    for (const context of order) samples[context].push(sampleApart(context, filter, subscribers));
  }
  const shares = samples.with.map((ns, at) => 1 - (samples.without[at] as number) / ns);
  return {
    work: `async filter that ${filter}, ${subscribers} subscribers`,
    with: medianOf(samples.with),
    without: medianOf(samples.without),
    shares,
    share: medianOf(shares),
  };
}

/** A sample of a process of its own. */
function sampleApart(context: string, filter: string, subscribers: number): number {
  const program = fileURLToPath(import.meta.url);
  const flags = ["--context", context, "--filter", filter, "--subscribers", String(subscribers)];
  const args = ["--expose-gc", program, ...flags, "--events", values.events];
  return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

function lineOf({ work, share, shares, ...ns }: Row): string {
  const percent = (part: number): string => `${Math.round(part * 100)} %`;
  const range = `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;
  const times = `${Math.round(ns.with)} ns with a context, ${Math.round(ns.without)} ns without`;
  return `${work}: ${times}; the context takes ${percent(share)} (${range})`;
}
