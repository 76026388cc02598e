/**
 * Plants each bug of the corpus and lets `checkProducer` find it with its default settings; writes
 * CHECK.md beside this file. `node bench/check.ts kafka` does one broker and prints only.
 */
import { writeFileSync } from "node:fs";
import type { CounterexampleSize } from "../sim/check/producer/counterexample-size.ts";
import { KAFKA_CORRECT, KAFKA_PLANTED } from "../test/check/producers/kafka/planted.ts";
import { KINESIS_BUGS, KINESIS_CORRECT } from "../test/check/producers/kinesis/bugs.ts";
import { NATS_BUGS, NATS_CORRECT } from "../test/check/producers/nats/bugs.ts";
import type { CorrectProducer, PlantedBug } from "../test/check/producers/planted-bug.ts";
import { PUBSUB_BUGS, PUBSUB_CORRECT } from "../test/check/producers/pubsub/bugs.ts";
import {
  RABBITMQ_BUGS,
  RABBITMQ_CORRECT,
  RABBITMQ_POLICY_CORRECT,
} from "../test/check/producers/rabbitmq/bugs.ts";
import { REDIS_BUGS, REDIS_CORRECT } from "../test/check/producers/redis/bugs.ts";
import { SERVICE_BUS_BUGS, SERVICE_BUS_CORRECT } from "../test/check/producers/service-bus/bugs.ts";
import { NOT_PLANTED } from "../test/check/producers/not-planted.ts";
import { SQS_BUGS, SQS_CORRECT } from "../test/check/producers/sqs/bugs.ts";
import { UNLISTED_BUGS } from "../test/check/producers/unlisted.ts";
import { median, tableOf } from "./check-table.ts";

const RUNS_OF_CORRECT = 2_000;
/** The goals: each bug by itself, and the median of all. */
const MS_MAX = 10_000;
const MEDIAN_MS_MAX = 2_000;
const EVENTS_MAX = 6;
const FAULTS_MAX = 3;

interface Row {
  readonly bug: PlantedBug;
  readonly guarantee: string | undefined;
  readonly runs: number;
  readonly size: CounterexampleSize | undefined;
  readonly ms: number;
}

const BUGS: readonly PlantedBug[] = [
  ...KAFKA_PLANTED,
  ...SQS_BUGS,
  ...PUBSUB_BUGS,
  ...SERVICE_BUS_BUGS,
  ...REDIS_BUGS,
  ...RABBITMQ_BUGS,
  ...NATS_BUGS,
  ...KINESIS_BUGS,
];

const CORRECT: readonly (readonly [broker: string, CorrectProducer])[] = [
  ["kafka", KAFKA_CORRECT],
  ...[SQS_CORRECT].flat().map((one) => ["sqs", one] as const),
  ...[PUBSUB_CORRECT].flat().map((one) => ["pubsub", one] as const),
  ...[SERVICE_BUS_CORRECT].flat().map((one) => ["service-bus", one] as const),
  ["redis", REDIS_CORRECT],
  ...[RABBITMQ_CORRECT, RABBITMQ_POLICY_CORRECT].flat().map((one) => ["rabbitmq", one] as const),
  ...[NATS_CORRECT].flat().map((one) => ["nats", one] as const),
  ...[KINESIS_CORRECT].flat().map((one) => ["kinesis", one] as const),
];

async function rowOf(bug: PlantedBug): Promise<Row> {
  const startedAt = process.cpuUsage();
  const found = await bug.find();
  const { user, system } = process.cpuUsage(startedAt);
  const size = found?.size;
  const ms = Math.round((user + system) / 1_000);
  return { bug, guarantee: found?.guarantee, runs: found?.runs ?? 0, size, ms };
}

function cellsOf({ bug, guarantee, runs, size, ms }: Row): readonly string[] {
  const { broker, id } = bug;
  if (guarantee === undefined || size === undefined) return [broker, id, "not found", "", "", ""];
  const isRight = bug.guarantees.includes(guarantee);
  const name = isRight ? guarantee : `${guarantee}, expected ${bug.guarantees.join(" or ")}`;
  const { events, subscribers, conducts, faults } = size;
  const small = `${events} / ${subscribers} / ${conducts} / ${faults}`;
  return [broker, id, name, String(runs), `${(ms / 1_000).toFixed(1)} s`, small];
}

async function correctRowOf([broker, correct]: readonly [string, CorrectProducer]): Promise<
  readonly string[]
> {
  const startedAt = process.cpuUsage();
  const { runs, events, copies } = await correct.check(RUNS_OF_CORRECT);
  const { user, system } = process.cpuUsage(startedAt);
  const seconds = ((user + system) / 1_000_000).toFixed(1);
  return [broker, correct.name, ...[runs, events, copies].map(String), `${seconds} s`];
}

/** What was missed; nothing when all goals are reached. */
function missesOf({ bug, guarantee, size, ms }: Row): readonly string[] {
  if (guarantee === undefined || size === undefined) return [`${bug.id} was not found`];
  const misses: string[] = [];
  if (!bug.guarantees.includes(guarantee)) misses.push(`${bug.id} was named ${guarantee}`);
  if (ms > MS_MAX) misses.push(`${bug.id} took ${ms} ms`);
  if (size.events > (bug.eventsMax ?? EVENTS_MAX)) misses.push(`${bug.id} needs ${size.events}`);
  if (size.faults > FAULTS_MAX) misses.push(`${bug.id} needs ${size.faults} faults`);
  return misses;
}

async function rowsOf(bugs: readonly PlantedBug[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const bug of bugs) {
    const row = await rowOf(bug);
    rows.push(row);
    console.error(cellsOf(row).join("  "));
  }
  return rows;
}

const HEAD = ["broker", "bug", "guarantee", "runs until found", "CPU time", "size"];

const [only] = process.argv.slice(2);
const isWanted = ({ broker }: PlantedBug): boolean => only === undefined || broker === only;
const listed = await rowsOf(BUGS.filter(isWanted));
const unlisted = await rowsOf(UNLISTED_BUGS.filter(isWanted));
const rows = [...listed, ...unlisted];
const times = rows.map(({ ms }) => ms);
const found = rows.filter(({ guarantee }) => guarantee !== undefined);
const summary = `${found.length} of ${rows.length} found; median ${(median(times) / 1_000).toFixed(1)} s, longest ${(Math.max(0, ...times) / 1_000).toFixed(1)} s.`;
const bugTable = tableOf(HEAD, listed.map(cellsOf));
const unlistedTable = tableOf(HEAD, unlisted.map(cellsOf));
const misses = rows.flatMap(missesOf);
if (median(times) > MEDIAN_MS_MAX) misses.push(`the median is ${median(times)} ms`);
for (const miss of misses) console.error(`MISSED: ${miss}`);
if (misses.length > 0) process.exitCode = 1;
if (only !== undefined) {
  console.log(`${bugTable}\n\n${unlistedTable}\n\n${summary}`);
} else {
  const correctRows: (readonly string[])[] = [];
  for (const correct of CORRECT) {
    const row = await correctRowOf(correct);
    correctRows.push(row);
    console.error(row.join("  "));
  }
  const correctTable = tableOf(
    ["broker", "producer", "runs", "events", "copies", "CPU time"],
    correctRows,
  );
  const text = [
    "# What checkProducer finds",
    "",
    "Generated by `npm run bench:check`: each bug of the producer corpus, planted in a producer that is",
    "otherwise correct, and found with the default settings on one core. The size of the counterexample",
    "is in events / subscribers / misbehaviours of subscribers / faults. The tests read this file: what",
    "is found here must not come later by much. Three are bugs by a stricter table of decisions only, and",
    "are checked with it: P-19 by failed-first, P-49 and P-89 with requeue by dead-letter.",
    "",
    summary,
    "",
    bugTable,
    "",
    "## Bugs that are in no list",
    "",
    unlistedTable,
    "",
    "## Not planted",
    "",
    tableOf(["bug", "why"], NOT_PLANTED),
    "",
    "## Correct producers",
    "",
    "They hold in all of their runs.",
    "",
    correctTable,
    "",
  ].join("\n");
  writeFileSync(new URL("CHECK.md", import.meta.url), text);
  console.log(summary);
}
