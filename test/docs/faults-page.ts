// The guide "Faults": each fault that a scenario may name, what it does, the scenarios that have it,
// and a planted bug that no other fault shows. Sites, verdicts, disturbances and scenarios are read
// from the code, so that a fault without a row makes a test fail.
import { readFileSync } from "node:fs";
import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { type Brokers, brokers } from "../../sim/brokers/brokers.ts";
import { HOST_FAULTS } from "../../sim/codecs/scenario-parts.ts";
import { DATABASE_ERROR_NAMES } from "../../sim/faults/database-error.ts";
import { SITES } from "../../sim/faults/site.ts";
import { VERDICT_NAMES } from "../../sim/faults/verdict.ts";
import { worldKindOf } from "../../sim/scenario/world-kinds.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { disturbancesOf } from "../../sim/worlds/producer/draw-producer.ts";
import { readScenario, scenarioNames } from "../sim/read-scenarios.ts";
import { top } from "./faces.ts";
import { tableFrom } from "./forms-table.ts";

/** A planted bug that a fault shows, and the test that holds it. */
interface ShownBug {
  /** As the test's titles or its list have it. */
  readonly bug: string;
  readonly test: string;
}

/** One fault, by the word that a scenario file writes. */
export interface FaultRow {
  readonly name: string;
  readonly does: string;
  readonly shows?: ShownBug;
}

const AT_CALLS: readonly FaultRow[] = [
  {
    name: "fail-before",
    does: "The caller gets an error at once, and nothing was done.",
    shows: { bug: "E4", test: "test/check/resumable-job-bugs.ts" },
  },
  { name: "fail-after", does: "The effect takes place, and the caller gets an error." },
  { name: "drop-request", does: "The request is lost; the caller times out." },
  { name: "drop-reply", does: "The effect takes place, the reply is lost; the caller times out." },
  {
    name: "corrupt-reply",
    does: "The reply is damaged, and the client library notices: an error after the effect.",
    shows: { bug: "E110", test: "test/check/answer-bugs.ts" },
  },
  {
    name: "answer-other",
    does: "The callee answers about another's thing, under that one's id.",
    shows: { bug: "E91", test: "test/check/answer-bugs.ts" },
  },
  { name: "duplicate", does: "The effect takes place twice in a row." },
  {
    name: "duplicate-late",
    does: "A copy of the call arrives again later, after calls that were made meanwhile.",
    shows: { bug: "E70", test: "test/check/callee-fault-bugs.ts" },
  },
  { name: "delay", does: "The request arrives late." },
  { name: "delay-reply", does: "The effect is in time, the reply is late." },
  {
    name: "delay-commit",
    does: "The commit takes so long that its caller gives up; later commits wait behind it.",
    shows: { bug: "E78", test: "test/check/database-fault-bugs.ts" },
  },
  { name: "crash-before", does: "The caller crashes before the effect." },
  {
    name: "crash-after",
    does: "The caller crashes after the effect.",
    shows: { bug: "E8", test: "test/check/resumable-job-bugs.ts" },
  },
  {
    name: "crash-callee-before",
    does: "The callee crashes before the effect; the caller gets an error.",
  },
  {
    name: "crash-callee-after",
    does: "The callee crashes after the effect; the caller gets an error.",
    shows: { bug: "E71", test: "test/check/callee-fault-bugs.ts" },
  },
];

const OF_THE_DATABASE: readonly FaultRow[] = [
  {
    name: "lock-timeout",
    does: "SQLSTATE 55P03: a lock was waited for in vain.",
    shows: { bug: "E75", test: "test/check/database-fault-bugs.ts" },
  },
  {
    name: "deadlock",
    does: "SQLSTATE 40P01: this transaction was chosen to end a deadlock.",
    shows: { bug: "E76", test: "test/check/database-fault-bugs.ts" },
  },
  {
    name: "pool-exhausted",
    does: "The pool had no connection for as long as the client waits for one.",
    shows: { bug: "E77", test: "test/check/database-fault-bugs.ts" },
  },
];

const OF_HOSTS: readonly FaultRow[] = [
  {
    name: "crash",
    does: "The host crashes and restarts. With `halfOpen` its peers are not told: their calls time out.",
    shows: { bug: "E72", test: "test/check/callee-fault-bugs.ts" },
  },
  { name: "pause", does: "The host stalls: its timers and replies wait until it goes on." },
  { name: "cut", does: "Messages between two hosts are lost, or only those one way." },
  { name: "hold", does: "Messages are held back, then all delivered." },
  {
    name: "clockStep",
    does: "The wall clock of the host's machine jumps, ahead or back. With `for` it is set right after that long.",
    shows: {
      bug: "a write that looks older than the one before it is dropped",
      test: "test/tasks/kept-time-bugs.ts",
    },
  },
  {
    name: "clockDrift",
    does: "It runs fast or slow from then on.",
    shows: {
      bug: "expiries are corrected by an offset of the writer's clock that was learnt earlier",
      test: "test/tasks/kept-time-bugs.ts",
    },
  },
  {
    name: "restartAll",
    does: "All hosts of a kind crash, and come back in the same instant: a herd.",
    shows: { bug: "W-30", test: "test/mutants/worlds/W-30.patch" },
  },
  {
    name: "overload",
    does: "The host admits so many calls a second and refuses the others, as with a limit on an API.",
    shows: { bug: "E90", test: "test/check/overload-bugs.ts" },
  },
];

const OF_TRIGGERERS: readonly FaultRow[] = [
  { name: "rebalance", does: "The broker assigns the partitions of a stream again." },
  { name: "expireConsumers", does: "The sessions of a stream's consumers end." },
  {
    name: "memoryLimit",
    does: "The runner that holds most is killed without grace when it holds more than this.",
    shows: { bug: "W-31", test: "test/mutants/worlds/W-31.patch" },
  },
  {
    name: "upgrade",
    does: "An operation: one triggerer after the other gets another version of the manager.",
    shows: { bug: "W-32", test: "test/mutants/worlds/W-32.patch" },
  },
];

const OF_TASKS: readonly FaultRow[] = [
  {
    name: "softKill",
    does: "A worker is asked to stop, for a reason, and may run on for a while.",
  },
  {
    name: "lag",
    does: "The replica from which attempts read the state store is behind.",
    shows: { bug: "E79", test: "test/tasks/replicas.sim.test.ts" },
  },
  {
    name: "failOver",
    does: "A replica takes over that lacks the last commits, though they were acknowledged.",
    shows: { bug: "E80", test: "test/tasks/replicas.sim.test.ts" },
  },
  {
    name: "migrate",
    does: "An operation: a column is renamed while workers of two releases run side by side.",
    shows: { bug: "E95", test: "test/tasks/store-upgrade.sim.test.ts" },
  },
];

const OF_OPERATORS: readonly FaultRow[] = [
  { name: "loseAttempt", does: "The worker of an attempt is lost." },
  {
    name: "killAttempt",
    does: "An attempt is told to stop, for a reason.",
    shows: { bug: "E57", test: "test/check/resumable-job-bugs.ts" },
  },
  { name: "delayAttempt", does: "An attempt begins later than usual." },
];

/** The sections of the page, each with what its rows are and the names that they have to cover. */
export const FAULT_SECTIONS: readonly {
  readonly title: string;
  readonly introduction: string;
  readonly rows: readonly FaultRow[];
  /** All names there are, where the code has a list of them. */
  readonly names?: readonly string[];
}[] = [
  {
    title: "What befalls a call",
    introduction:
      "Written as `{ site: broker.settle, verdict: drop-reply, nth: 3 }`, or with `rate: 1/20` for each call with that chance; `host`, `from` and `until` narrow it.",
    rows: AT_CALLS,
    names: VERDICT_NAMES,
  },
  {
    title: "Errors of the database",
    introduction:
      "With `verdict: fail-before`, as `error`, at the sites where a transaction begins and ends with the call. Nothing of the transaction is done.",
    rows: OF_THE_DATABASE,
    names: DATABASE_ERROR_NAMES,
  },
  {
    title: "What befalls hosts, links and clocks",
    introduction: "At a virtual time, written as `{ at: 5s, crash: worker-1, restartAfter: 3s }`.",
    rows: OF_HOSTS,
    names: HOST_FAULTS,
  },
  {
    title: "In worlds of triggerers",
    introduction: "`world: triggerer`.",
    rows: OF_TRIGGERERS,
  },
  { title: "In worlds of tasks", introduction: "`world: tasks`.", rows: OF_TASKS },
  {
    title: "In worlds of one operator",
    introduction: "`world: operator`, which is what `check --system` draws.",
    rows: OF_OPERATORS,
  },
];

/** So many scenarios are named; the others are counted. */
const NAMED_MAX = 3;

/** Returns the page. */
export function faultsPage(): string {
  const scenarios = scenarioNames().map((name) => [name, wordsOf(readScenario(name))] as const);
  const having = (word: string): string =>
    linksTo(scenarios.filter(([, words]) => words.has(word)).map(([name]) => name));
  const sections = FAULT_SECTIONS.map(({ title, introduction, rows }) => {
    const cells = rows.map(({ name, does, shows }) => [
      `\`${name}\``,
      does,
      having(name),
      bugText(shows),
    ]);
    const head = ["fault", "what it does", "scenarios", "a bug that it shows"];
    return `## ${title}\n\n${introduction}\n\n${tableFrom([head, ...cells])}`;
  });
  const sites = Object.entries(SITES).map(([site, does]) => [`\`${site}\``, does, having(site)]);
  const siteTable = tableFrom([["site", "what happens there", "scenarios"], ...sites]);
  return [
    INTRODUCTION,
    ...sections,
    `## Sites\n\n${SITES_INTRODUCTION}\n\n${siteTable}`,
    `## Disturbances of brokers\n\n${DISTURBANCES_INTRODUCTION}\n\n${disturbanceTable()}`,
  ].join("\n");
}

const INTRODUCTION = `# Faults

Generated from the code and the scenarios by \`npm run test:node -- test/docs/guides --update\`; do not edit.

Every fault that a scenario can name, what it does, and where to see it. \`fuzz\` and \`check\` draw
all of them by themselves; a scenario names those that it is about. A fault that cannot strike is
refused when the scenario is read, one that struck nothing is reported as vacuous. The last column
names a planted bug of our tests that the fault shows, where one is kept for that fault.
`;

const SITES_INTRODUCTION =
  "The boundaries at which calls can be struck. Each world has some of them; a scenario with another's is refused.";

const DISTURBANCES_INTRODUCTION =
  'Faults that only one kind of broker has, written as `{ at: 5s, disturb: "…" }` in a scenario of `world: producer`. Where records are text, one may be `garbled: true`: it has lost its end, so that it is no JSON ([an-order-is-no-json](../producers/an-order-is-no-json.yaml)).';

function disturbanceTable(): string {
  const makers = Object.keys(brokers) as readonly (keyof Brokers)[];
  const rows = makers
    .map((name): BrokerModel<unknown> => brokers[name]())
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((model) => {
      const names = disturbancesOf(model);
      return [model.name, names.map((name) => `\`${name}\``).join(", ")];
    });
  return tableFrom([["broker", "disturbances"], ...rows]);
}

/** Members of a fault whose value is a word of its own: a site, a verdict, an error. */
const NAMING: ReadonlySet<string> = new Set(["site", "verdict", "error"]);

/** The words of a scenario's faults and operations: members, sites, verdicts, errors. */
function wordsOf(scenario: Scenario): ReadonlySet<string> {
  const { makeup, acts } = worldKindOf(scenario);
  const parts = [...makeup.faults(scenario), ...acts(scenario).map(({ part }) => part)];
  const words = new Set<string>();
  for (const part of parts) {
    for (const [member, value] of Object.entries(part) as [string, unknown][]) {
      if (value === undefined || value === false) continue;
      words.add(member);
      if (NAMING.has(member) && typeof value === "string") words.add(value);
    }
  }
  return words;
}

function linksTo(names: readonly string[]): string {
  const links = names.slice(0, NAMED_MAX).map((name) => {
    const short = name.slice(name.lastIndexOf("/") + 1);
    return `[${short}](../${name}.yaml)`;
  });
  const rest = names.length - links.length;
  return [...links, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

function bugText(shows: ShownBug | undefined): string {
  return shows === undefined ? "" : `[${shows.bug}](../../${shows.test})`;
}

/** The bugs that the page names although their tests do not. */
export function unknownBugs(): readonly string[] {
  return FAULT_SECTIONS.flatMap(({ rows }) => rows.flatMap(({ shows }) => shows ?? []))
    .filter(({ bug, test }) => !readFileSync(`${top}${test}`, "utf8").includes(bug))
    .map(({ bug }) => bug);
}
