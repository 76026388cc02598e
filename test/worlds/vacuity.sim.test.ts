import { describe, expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { vacuousInAll } from "../../sim/run/vacuity.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { worldKindOf } from "../../sim/scenario/world-kinds.ts";
import { exhaustScenario } from "../../sim/search/exhaustive/exhaustive-scenario.ts";
import { exploreCrashPoints } from "../../sim/search/crash-points.ts";
import { createProducer } from "../../scenarios/producers/orders.ts";
import * as sqs from "../../scenarios/producers/sqs.ts";

const PARTS = { producer: { createProducer } };

/** The places of what came to nothing in the run of a seed, and how that is put. */
async function vacuousIn(text: string, seed = 1): Promise<readonly string[]> {
  const scenario = parseScenario(text, "mine");
  const { vacuous } = await simulate(scenario, { ...PARTS, seed, trace: false, digest: false });
  return vacuous.map(({ words }) => words);
}

const HEADS = {
  triggerer: "story: x\nworld: triggerer\nphases: { safety: 20s }\nstreams: [{ name: orders }]\n",
  tasks:
    "story: x\nworld: tasks\nphases: { safety: 1m }\ntasks: [{ name: load, operator: pages, pageTakes: 2s }]\n",
  operator: "story: x\nworld: operator\nsystem: livy\nphases: { safety: 90s, liveness: 1h }\n",
  producer:
    "story: x\nworld: producer\nbroker: { kafka: {} }\nsubscribers: [{ subscriber: 1 }]\nrecords: [{ at: 1s, publish: ref-000001, key: a }]\n",
} as const;

/** A fault or an act that takes effect, and one beside it that cannot in this run. */
const ROWS: readonly (readonly [
  world: keyof typeof HEADS,
  list: string,
  happens: string,
  never: string,
  words: string,
])[] = [
  [
    "triggerer",
    "faults",
    "{ site: sync.request, verdict: drop-reply, nth: 2 }",
    "{ site: sync.request, verdict: drop-reply, nth: 5000 }",
    "faults[1] (drop-reply at call 5000 of sync.request) never struck; sync.request was called 10 times until the faults ended",
  ],
  [
    "triggerer",
    "faults",
    "{ at: 5s, crash: runner-1 }",
    "{ at: 6s, crash: runner-1 }",
    "faults[1] (crash runner-1 at 6s) never struck",
  ],
  [
    "triggerer",
    "faults",
    "{ at: 5s, cut: [runner-1, broker], for: 5s }",
    "{ at: 5s, cut: [broker, database], for: 5s }",
    "faults[1] (cut broker, database at 5s) never struck",
  ],
  [
    "triggerer",
    "faults",
    "{ at: 5s, hold: [runner-1, broker], for: 5s }",
    "{ at: 5s, hold: [database, broker], bothWays: true, for: 5s }",
    "faults[1] (hold database, broker at 5s) never struck",
  ],
  [
    "triggerer",
    "faults",
    "{ at: 5s, pause: runner-1, for: 1s }",
    "{ site: broker.settle, verdict: delay, host: supervisor-1 }",
    "faults[1] (delay at call 1 of broker.settle of supervisor-1) never struck; broker.settle was called",
  ],
  [
    "triggerer",
    "faults",
    "{ at: 5s, rebalance: orders }",
    "{ at: 0s, expireConsumers: orders }",
    "faults[1] (expireConsumers orders at 0s) never struck",
  ],
  [
    "triggerer",
    "operations",
    "{ at: 1s, cancelTriggers: orders }",
    "{ at: 2s, cancelTriggers: orders }",
    "operations[1] (cancelTriggers orders at 2s) came to nothing",
  ],
  [
    "tasks",
    "faults",
    "{ at: 5s, softKill: worker-1, grace: 1s, restartAfter: 10s }",
    "{ at: 9s, softKill: worker-1 }",
    "faults[1] (softKill worker-1 at 9s) never struck",
  ],
  [
    "tasks",
    "operations",
    "{ at: 5s, clear: load/run-1 }",
    "{ at: 59s, stop: load/run-1 }",
    "operations[1] (stop load/run-1 at 59s) came to nothing",
  ],
  [
    "operator",
    "faults",
    "{ loseAttempt: 1, after: 2s }",
    "{ delayAttempt: 9, by: 2s }",
    "faults[1] (delayAttempt 9) never struck",
  ],
  [
    "operator",
    "faults",
    "{ at: 2s, crash: attempt-1 }",
    "{ at: 2s, crash: attempt-7 }",
    "faults[1] (crash attempt-7 at 2s) never struck",
  ],
  [
    "operator",
    "operations",
    "{ at: 2s, otherJobs: 1 }",
    "{ at: 85s, otherJobs: 1 }",
    "operations[1] (otherJobs 1 at 85s) came to nothing",
  ],
  [
    "producer",
    "behaviours",
    "{ subscriber: 1, on: ref-000001, does: skip }",
    "{ subscriber: 1, on: ref-000001, does: reject }",
    "behaviours[1] (subscriber 1: reject ref-000001) came to nothing",
  ],
];

describe("simulate() reports what came to nothing", () => {
  test.each(ROWS)("in a world of %s: of %s, not %s but %s", async (...row) => {
    const [world, list, happens, never, words] = row;
    const vacuous = await vacuousIn(`${HEADS[world]}${list}: [${happens}, ${never}]`);
    expect(vacuous).toEqual([expect.stringContaining(words)]);
  });

  test("what users do to a task instance whose run has not begun", async () => {
    const head = HEADS.tasks.replace("operator: pages", "operator: pages, runs: 2");
    for (const act of ["clear", "stop"]) {
      const operations = `operations: [{ at: 0s, ${act}: load/run-2 }]\n`;
      expect(await vacuousIn(`${head}${operations}`)).toEqual([
        `operations[0] (${act} load/run-2 at 0s) came to nothing`,
      ]);
    }
  });

  test("a storm in which nothing strikes; one that strikes is fine", async () => {
    const storm = (rate: string) => `${HEADS.triggerer}storm: { crashes: "${rate}" }`;
    expect(await vacuousIn(storm("0/1"))).toEqual(["storm (random faults) never struck"]);
    expect(await vacuousIn(storm("1/1"))).toEqual([]);
  });

  test("a pin that was never asked for, and one that takes more than there is", async () => {
    const pin = "kind: workload, part: client, label: act";
    const pins = `[{ ${pin}, take: 1 }, { ${pin}, nth: 2, take: 99 }, { ${pin}, nth: 50, take: 1 }, { kind: workload, part: cleint, label: act, take: 1 }]`;
    expect(await vacuousIn(`story: x\nworld: manager\noperations: 5\nchoices: ${pins}`)).toEqual([
      'choices[1] (workload of client: "act", call 2) takes option 99, and there are only 0 to 14',
      'choices[2] (workload of client: "act", call 50) was never asked for; this was asked 5 times',
      'choices[3] (workload of cleint: "act", call 1) was never asked for; this was asked 0 times',
    ]);
  });

  test("the pins of a recorded run all match, and none of a scenario without any", async () => {
    expect(await vacuousIn("story: x\nworld: manager")).toEqual([]);
    expect(await vacuousIn("story: x\nworld: manager\nchoices: calm")).toEqual([]);
  });

  test("a mark that the scenario expects", async () => {
    const { marks } = worldKindOf(parseScenario("story: x\nworld: manager", "mine"));
    const text = `story: x\nworld: manager\noperations: 1\nexpect: { marks: ${JSON.stringify(marks.slice(0, 1))} }`;
    expect(await vacuousIn(text)).toEqual([`the mark "${marks[0]}" was never reached`]);
  });

  test("at a point in a host's own code only a crash strikes, which is what counts", async () => {
    const fault = "{ site: producer.close, verdict: drop-reply, times: 100 }";
    const text = `${HEADS.triggerer}operations: [{ at: 9s, cancelTriggers: orders }]\nfaults: [${fault}]`;
    const { trace } = await simulate(parseScenario(text, "mine"), { seed: 1 });
    const struck = trace.filter((event) => event.kind === "fault");
    const closes = trace.filter((event) => event.kind === "aclose");
    // Each close is a point and then a call; only the call loses its reply.
    expect(struck.length).toBe(closes.length);
  });
});

describe("an answer about another's message", () => {
  async function runWithLieAt(nth: number): Promise<Awaited<ReturnType<typeof simulate>>> {
    const text = `story: x
world: producer
broker: { sqs: {} }
subscribers: [{ subscriber: 1 }]
records: [{ at: 1s, publish: ref-000001, key: a }]
faults: [{ site: broker.fetch, verdict: answer-other, nth: ${nth} }]`;
    const options = { producer: sqs, seed: 1, trace: false, digest: false };
    return simulate(parseScenario(text, "mine"), options);
  }

  test("does not strike a fetch that delivers nothing", async () => {
    const { vacuous, stats } = await runWithLieAt(1);
    expect(vacuous.map(({ words }) => words)).toEqual([
      expect.stringContaining("faults[0] (answer-other at call 1 of broker.fetch) never struck"),
    ]);
    expect(stats.faults).toEqual([]);
  });

  test("strikes one that delivers", async () => {
    const { vacuous, stats } = await runWithLieAt(2);
    expect(vacuous).toEqual([]);
    expect(stats.faults).toEqual([
      ["broker.fetch: the answer is about another's, under the other's id", 1],
    ]);
  });
});

test("vacuousInAll() drops what took effect in one of the runs", () => {
  const one = { kind: "fault-never-struck", path: "faults[0]", words: "a" } as const;
  const other = { kind: "fault-never-struck", path: "faults[1]", words: "b" } as const;
  const runs = [{ vacuous: [one, other] }, { vacuous: [other] }];
  expect(vacuousInAll(runs)).toEqual([other]);
  expect(vacuousInAll([...runs, { vacuous: [] }])).toEqual([]);
  expect(vacuousInAll([])).toEqual([]);
});

describe("exhaustScenario() says how many faults struck", () => {
  const calm = { hosts: 1, operations: 1, seconds: 3, faults: 0, preemptions: 0 };
  const explore = (faults: string, bounds: Partial<typeof calm> = {}) =>
    exhaustScenario(parseScenario(`${HEADS.triggerer}faults: [${faults}]`, "mine"), {
      bounds: { ...calm, ...bounds },
    });

  test("in total and of each", async () => {
    const { faults, vacuous } = await explore(
      '{ at: 1s, crash: runner-1 }, { site: sync.request, verdict: drop-reply, rate: "1/2" }',
      { faults: 1 },
    );
    const [crash, drop] = faults.listed;
    expect(crash).toMatchObject({ path: "faults[0]", what: "crash runner-1 at 1s" });
    expect(crash?.runs).toBeGreaterThan(1);
    expect(drop?.runs).toBe((crash?.runs ?? 0) - 1);
    expect(faults.struck).toBe((crash?.runs ?? 0) + (drop?.runs ?? 0));
    expect(faults.runs).toBe(crash?.runs);
    expect(vacuous).toEqual([]);
  });

  test("also when none did", async () => {
    const { certificate, faults, vacuous } = await explore(
      '{ site: sync.request, verdict: drop-reply, rate: "1/2" }',
    );
    expect(certificate.isComplete).toBe(true);
    expect(faults).toMatchObject({ struck: 0, runs: 0 });
    expect(vacuous.map(({ path }) => path)).toEqual(["faults[0]"]);
  });

  test("and refuses bounds under which a fault cannot strike", async () => {
    await expect(explore("{ at: 9s, crash: runner-1 }")).rejects.toThrow(
      'Cannot explore "mine" within these bounds at faults[0].at: expected a time up to 3s',
    );
  });
});

describe("exploreCrashPoints()", () => {
  test("tries nothing where the scenario breaks without any fault", async () => {
    const broken = `story: x
world: triggerer
profile: airflow-3.3
streams: [{ name: orders, triggers: 3, advanceThrows: { nth: 2, error: AbortError } }]
phases: { safety: 10s, liveness: 5s }
expect: { checkers: [I1] }`;
    const report = await exploreCrashPoints(parseScenario(broken, "mine"), { pairs: 3 });
    expect(report.brokenCalm?.violations[0]?.checker).toBe("I1");
    expect(report).toMatchObject({ trials: [], pairs: [], coverage: { planned: 0, struck: 0 } });
  });

  test("says when there is no boundary at which a crash could be tried", async () => {
    const { vacuous, brokenCalm } = await exploreCrashPoints(
      parseScenario("story: x\nworld: manager\nchoices: calm\noperations: 1", "mine"),
      { pairs: 0 },
    );
    expect(brokenCalm).toBeUndefined();
    expect(vacuous.map(({ words }) => words)).toEqual([
      "the run passes no boundary, so that no crash was tried",
    ]);
  });
});
