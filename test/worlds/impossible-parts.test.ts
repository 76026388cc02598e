import { describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";

const HEADS = {
  triggerer: "story: x\nworld: triggerer\ntriggerers: 2\n",
  tasks: "story: x\nworld: tasks\nworkers: 2\n",
  operator: "story: x\nworld: operator\nsystem: livy\n",
  producer: "story: x\nworld: producer\nbroker: { kafka: {} }\n",
  manager: "story: x\nworld: manager\n",
} as const;
/** To be closed. */
const REMOVED =
  "tasks: [{ name: pages, operator: pages, progressIn: asset }]\noperations: [{ at: 5s, remove: pages }";
const STREAMS = "streams: [{ name: orders, partitions: 2, triggers: 2 }]\n";
const TASKS =
  "tasks: [{ name: pages, operator: pages, runs: 2 }, { name: job, operator: plain }]\n";
const SUBSCRIBERS =
  "subscribers: [{ subscriber: 1 }]\nrecords: [{ at: 1s, publish: ref-000001, key: a }]\n";
const DEFAULTS: Readonly<Record<keyof typeof HEADS, string>> = {
  triggerer: STREAMS,
  tasks: TASKS,
  operator: "",
  producer: SUBSCRIBERS,
  manager: "",
};

function complaintAbout(world: keyof typeof HEADS, text: string): string {
  const member = text.slice(0, text.indexOf(":"));
  const usual = DEFAULTS[world].split("\n").filter((line) => !line.startsWith(`${member}:`));
  try {
    parseScenario(`${HEADS[world]}${usual.join("\n")}\n${text}\n`, "mine");
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

interface Row {
  readonly world: keyof typeof HEADS;
  /** What can never come about. */
  readonly wrong: string;
  readonly complaint: string;
  /** The nearest that can. */
  readonly right: string;
}

const row = (world: Row["world"], wrong: string, complaint: string, right: string): Row => ({
  world,
  wrong,
  complaint,
  right,
});

const ROWS: readonly Row[] = [
  row(
    "triggerer",
    "faults: [{ at: 5s, crash: runner-3 }]",
    'at faults[0].crash: this scenario has no host "runner-3"; there are broker, database, supervisor-1, supervisor-2, runner-1, runner-2',
    "faults: [{ at: 5s, crash: runner-2 }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, crash: broker }, { at: 5s, pause: runner-01, for: 1s }]",
    'at faults[1].pause: this scenario has no host "runner-01"',
    "faults: [{ at: 5s, pause: runner-1, for: 1s }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, clockStep: scheduler, by: 1h }]",
    'at faults[0].clockStep: this scenario has no host "scheduler"',
    "faults: [{ at: 5s, clockStep: supervisor-1, by: 1h }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, clockStep: supervisor-1, by: 1h, for: 0s }]",
    "at faults[0].for: expected more than 0: the fault would change nothing",
    "faults: [{ at: 5s, clockStep: supervisor-1, by: 1h, for: 1s }]",
  ),
  row(
    "tasks",
    "payloads: {}\noperations: [{ at: 5s, migrate: database }]",
    "at operations[0].migrate: expected no migration where there are payloads",
    "operations: [{ at: 5s, migrate: database }]",
  ),
  row(
    "tasks",
    "operations: [{ at: 5s, migrate: database }, { at: 50s, migrate: database }]",
    "at operations[0].migrate: expected one migration",
    "operations: [{ at: 50s, migrate: database }]",
  ),
  row(
    "tasks",
    "faults: [{ site: job.result, verdict: answer-other }]",
    'at faults[0].verdict: "answer-other" cannot strike at job.result; expected one of',
    "faults: [{ site: job.status, verdict: answer-other }]",
  ),
  row(
    "tasks",
    "tasks: [{ name: pages, operator: pages }]\nfaults: [{ site: store.read, verdict: answer-other }]",
    'at faults[0].verdict: the values of "pages" do not say whose they are',
    "tasks: [{ name: pages, operator: pages }]\nfaults: [{ site: api.get-task-state, verdict: answer-other }]",
  ),
  row(
    "tasks",
    "tasks: [{ name: job, operator: resumable }]\njobServer: { system: livy }\nfaults: [{ site: store.read, verdict: answer-other }]",
    "at faults[0].verdict: the ids of livy may come again, and do not say whose they are",
    "tasks: [{ name: job, operator: resumable }]\njobServer: { system: aws-batch }\nfaults: [{ site: store.read, verdict: answer-other }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, memoryLimit: 10, for: 0s }]",
    "at faults[0].for: expected more than 0: the fault would change nothing",
    "faults: [{ at: 5s, memoryLimit: 10, for: 1s }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, restartAll: broker }]",
    'at faults[0].restartAll: this scenario has no kind of host "broker"; there are supervisor, runner',
    "faults: [{ at: 5s, restartAll: supervisor }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, overload: kafka, admits: 2, for: 1s }]",
    'at faults[0].overload: this scenario has no host "kafka"',
    "faults: [{ at: 5s, overload: broker, admits: 2, for: 1s }]",
  ),
  row(
    "triggerer",
    "faults: [{ site: sync.request, verdict: delay, host: runner-9 }]",
    'at faults[0].host: this scenario has no host "runner-9"',
    "faults: [{ site: sync.request, verdict: delay, host: runner-2 }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, cut: [runner-1, kafka], for: 1s }]",
    'at faults[0].cut[1]: this scenario has no host "kafka"; there are broker,',
    "faults: [{ at: 5s, cut: [runner-1, broker], for: 1s }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, hold: [runner-1, runner-1], for: 1s }]",
    'at faults[0].hold: expected two hosts, found "runner-1" twice',
    "faults: [{ at: 5s, hold: [runner-1, supervisor-1], for: 1s }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 5s, cut: [runner-1, broker], for: 0s }]",
    "at faults[0].for: expected more than 0",
    "faults: [{ at: 5s, cut: [runner-1, broker], for: 1ms }]",
  ),
  row(
    "triggerer",
    "faults: [{ site: api.heartbeat, verdict: drop-reply }]",
    'at faults[0].site: this scenario has no site "api.heartbeat"; there are',
    "faults: [{ site: database.commit, verdict: drop-reply }]",
  ),
  row(
    "triggerer",
    "faults: [{ site: broker.settle, verdict: duplicate-late }]",
    'at faults[0].verdict: "duplicate-late" cannot strike at broker.settle, where requests go over one connection',
    "faults: [{ site: broker.settle, verdict: duplicate }]",
  ),
  row(
    "triggerer",
    "faults: [{ site: runner.bound, verdict: drop-reply }]",
    'at faults[0].verdict: "drop-reply" cannot strike at runner.bound; expected one of crash-before, crash-after',
    "faults: [{ site: runner.bound, verdict: crash-after }]",
  ),
  row(
    "triggerer",
    'faults: [{ site: sync.request, verdict: delay, nth: 2, rate: "1/2" }]',
    "at faults[0].nth: expected either nth or rate",
    "faults: [{ site: sync.request, verdict: delay, nth: 2, times: 3 }]",
  ),
  row(
    "triggerer",
    'faults: [{ site: sync.request, verdict: delay, times: 2, rate: "1/2" }]',
    "at faults[0].times: expected either times or rate",
    'faults: [{ site: sync.request, verdict: delay, times: 1, rate: "1/2" }]',
  ),
  row(
    "triggerer",
    "faults: [{ site: sync.request, verdict: delay, from: 20s, until: 10s }]",
    "at faults[0].until: expected a time after 20s, when the fault begins; found 10s",
    "faults: [{ site: sync.request, verdict: delay, from: 20s, until: 21s }]",
  ),
  row(
    "triggerer",
    "faults: [{ site: sync.request, verdict: delay, from: 61s }]",
    "at faults[0].from: expected a time up to 60s, the end of phases.safety",
    "faults: [{ site: sync.request, verdict: delay, from: 59s }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 61s, crash: runner-1 }]",
    "at faults[0].at: expected a time up to 60s, the end of phases.safety, as faults strike only until then; found 61s",
    "faults: [{ at: 60s, crash: runner-1 }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 1s, rebalance: payments }]",
    'at faults[0].rebalance: this scenario has no stream "payments"; there are orders',
    "faults: [{ at: 1s, rebalance: orders }]",
  ),
  row(
    "triggerer",
    "faults: [{ at: 1s, expireConsumers: payments }]",
    'at faults[0].expireConsumers: this scenario has no stream "payments"',
    "faults: [{ at: 1s, expireConsumers: orders }]",
  ),
  row(
    "triggerer",
    "operations: [{ at: 1s, createTrigger: payments }]",
    'at operations[0].createTrigger: this scenario has no stream "payments"',
    "operations: [{ at: 2m, createTrigger: orders }]",
  ),
  row(
    "triggerer",
    "operations: [{ at: 1s, cancelTriggers: payments }]",
    'at operations[0].cancelTriggers: this scenario has no stream "payments"',
    "operations: [{ at: 1s, cancelTriggers: orders }]",
  ),
  row(
    "triggerer",
    "operations: [{ at: 1s, shutDown: runner-1 }]",
    'at operations[0].shutDown: this scenario has no triggerer "runner-1"; there are triggerer-1, triggerer-2',
    "operations: [{ at: 1s, shutDown: triggerer-2 }]",
  ),
  row(
    "triggerer",
    "operations: [{ at: 12m, createTrigger: orders }]",
    "at operations[0].at: expected a time up to 11m, when the run is over; found 12m",
    "operations: [{ at: 11m, createTrigger: orders }]",
  ),
  row(
    "triggerer",
    "streams: [{ name: orders }, { name: ticks }, { name: orders }]",
    'at streams[2].name: there is another stream "orders" above',
    "streams: [{ name: orders }, { name: ticks }, { name: Orders }]",
  ),
  row(
    "triggerer",
    "streams: [{ name: orders, triggers: 2, stuckTrigger: 3 }]",
    "at streams[0].stuckTrigger: expected the number of one of its 2 triggers, from 1; found 3",
    "streams: [{ name: orders, triggers: 2, stuckTrigger: 3 }]\noperations: [{ at: 5s, createTrigger: orders }]",
  ),
  row(
    "triggerer",
    "streams: [{ name: orders, slowPartition: { partition: 1, for: 1s } }]",
    "at streams[0].slowPartition.partition: expected the number of one of its 1 partitions, from 0; found 1",
    "streams: [{ name: orders, slowPartition: { partition: 0, for: 1s } }]",
  ),
  row(
    "triggerer",
    "expect: { broken: [R-I3] }",
    'at expect.broken[0]: there is no checker "R-I3" in the world "triggerer"; there are I1, I2,',
    "expect: { broken: [I3] }",
  ),
  row(
    "triggerer",
    "expect: { checkers: [I1, made-up] }",
    'at expect.checkers[1]: there is no checker "made-up" in the world "triggerer"; there are I1, I2,',
    "expect: { checkers: [I1, settled] }",
  ),
  row(
    "triggerer",
    "expect: { checkers: [] }",
    'at expect.checkers: expected at least one, or "all"',
    "expect: { checkers: all }",
  ),
  row(
    "triggerer",
    "expect: { checkers: [I1], broken: [I2] }",
    'at expect.broken[0]: "I2" cannot break: it is not among the checkers of this scenario',
    "expect: { checkers: [I1, I2], broken: [I2] }",
  ),
  row(
    "manager",
    "expect: { broken: [settled] }",
    'at expect.broken[0]: "settled" cannot break',
    "expect: { checkers: [settled], broken: [settled] }",
  ),
  row(
    "manager",
    "expect: { marks: [never heard of] }",
    'at expect.marks[0]: there is no mark "never heard of" in the world "manager"; there are "',
    "expect: { marks: [] }",
  ),
  row(
    "manager",
    "choices: [{ kind: workload, part: a, label: b, take: 1 }, { kind: workload, part: a, label: b, nth: 1, take: 2 }]",
    "at choices[1]: this choice is pinned above already",
    "choices: [{ kind: workload, part: a, label: b, take: 1 }, { kind: workload, part: a, label: b, nth: 2, take: 2 }]",
  ),
  row(
    "tasks",
    "faults: [{ at: 5s, crash: sweeper }]",
    'at faults[0].crash: this scenario has no host "sweeper"; there are database, api, scheduler, triggerer, jobs, worker-1',
    "faults: [{ at: 5s, crash: sweeper }]\nsweep: {}",
  ),
  row(
    "tasks",
    "faults: [{ at: 5s, crash: dashboard }]",
    'at faults[0].crash: this scenario has no host "dashboard"',
    "faults: [{ at: 5s, crash: dashboard }]\ndashboard: {}",
  ),
  row(
    "tasks",
    "dashboard: {}\npayloads: {}",
    "at dashboard: expected nobody who looks where there are payloads",
    "dashboard: {}",
  ),
  row(
    "tasks",
    "tasks: [{ name: pages, operator: pages }]\noperations: [{ at: 5s, remove: pages }]",
    'at operations[0].remove: the task "pages" keeps no state of an asset',
    "tasks: [{ name: pages, operator: pages, progressIn: asset }]\noperations: [{ at: 5s, remove: pages }]",
  ),
  row(
    "tasks",
    `${REMOVED}, { at: 9s, clear: pages/run-1 }]`,
    'at operations[0].remove: the task "pages" may run again',
    `${REMOVED}]`,
  ),
  row(
    "tasks",
    `${REMOVED}]\nfaults: [{ at: 5s, failOver: database, losing: 1s }]`,
    "at operations[0].remove: expected no removal where a fail-over may bring a run back",
    `${REMOVED}]`,
  ),
  row(
    "tasks",
    `${REMOVED}]\npayloads: {}`,
    "at operations[0].remove: expected no removal where there are payloads",
    `${REMOVED}]`,
  ),
  row(
    "tasks",
    "faults: [{ at: 5s, softKill: task-1 }]",
    'at faults[0].softKill: this scenario has no worker "task-1"; there are worker-1, worker-2',
    "faults: [{ at: 5s, softKill: worker-2 }]",
  ),
  row(
    "tasks",
    "faults: [{ at: 5s, cut: [task-1, wharehouse], for: 1s }]",
    'at faults[0].cut[1]: this scenario has no host "wharehouse"',
    "faults: [{ at: 5s, cut: [task-1, warehouse], for: 1s }]",
  ),
  row(
    "tasks",
    "operations: [{ at: 5s, clear: pages/run-3 }]",
    'at operations[0].clear: this scenario has no task instance "pages/run-3"; there are pages/run-1 to pages/run-2, job/run-1',
    "operations: [{ at: 5s, clear: pages/run-2 }]",
  ),
  row(
    "tasks",
    "operations: [{ at: 5s, stop: 'pages/run-1[0]' }]",
    'at operations[0].stop: this scenario has no task instance "pages/run-1[0]"',
    "operations: [{ at: 5s, stop: pages/run-1 }]",
  ),
  row(
    "tasks",
    "operations: [{ at: 9s, clear: loads/run-2 }]",
    'at operations[0].clear: this scenario has no task instance "loads/run-2"',
    "operations: [{ at: 5s, deploy: pages, taskId: loads }, { at: 9s, clear: loads/run-2 }]",
  ),
  row(
    "tasks",
    "operations: [{ at: 5s, deploy: page, taskId: loads }]",
    'at operations[0].deploy: this scenario has no task "page"; there are pages, job',
    "operations: [{ at: 5s, deploy: pages, taskId: loads }]",
  ),
  row(
    "tasks",
    "operations: [{ at: 5s, deploy: pages, durable: false }]",
    'at operations[0].durable: the task "pages" submits no job',
    "operations: [{ at: 5s, deploy: job, durable: false }]",
  ),
  row(
    "tasks",
    "operations: [{ at: 5s, rewind: pages, to: 3 }]",
    'at operations[0].rewind: the task "pages" has no watermark',
    "operations: []",
  ),
  row(
    "tasks",
    "tasks: [{ name: a, operator: plain }, { name: a, operator: plain }]",
    'at tasks[1].name: there is another task "a" above',
    "tasks: [{ name: a, operator: plain }, { name: b, operator: plain }]",
  ),
  row(
    "tasks",
    "faults: [{ site: broker.settle, verdict: delay }]",
    'at faults[0].site: this scenario has no site "broker.settle"',
    "faults: [{ site: store.commit, verdict: delay }]",
  ),
  row(
    "tasks",
    "faults: [{ site: api.heartbeat, verdict: delay-commit }]",
    'at faults[0].verdict: "delay-commit" cannot strike at api.heartbeat; expected one of',
    "faults: [{ site: store.commit, verdict: delay-commit }]",
  ),
  row(
    "tasks",
    "faults: [{ site: store.commit, verdict: delay-commit, for: 0s }]",
    "at faults[0].for: expected more than 0",
    "faults: [{ site: store.commit, verdict: delay-commit, for: 1s }]",
  ),
  row(
    "tasks",
    "faults: [{ site: store.read, verdict: fail-before, error: deadlock }]",
    'at faults[0].error: "deadlock" cannot strike at store.read; expected pool-exhausted',
    "faults: [{ site: store.read, verdict: fail-before, error: pool-exhausted }]",
  ),
  row(
    "tasks",
    "faults: [{ site: job.submit, verdict: fail-before, error: deadlock }]",
    'at faults[0].error: "deadlock" cannot strike at job.submit; expected no error of the database',
    "faults: [{ site: job.submit, verdict: fail-before }]",
  ),
  row(
    "tasks",
    "faults: [{ site: task.commit, verdict: fail-after, error: deadlock }]",
    'at faults[0].verdict: expected "fail-before"',
    "faults: [{ site: task.commit, verdict: fail-before, error: deadlock }]",
  ),
  row(
    "tasks",
    "faults: [{ at: 5s, lag: database, by: 0s, for: 5s }]",
    "at faults[0].by: expected more than 0",
    "faults: [{ at: 5s, lag: database, by: 1s, for: 5s }]",
  ),
  row(
    "tasks",
    "payloads: {}\nfaults: [{ at: 5s, lag: database, by: 1s, for: 5s }]",
    "at faults[0].lag: expected no replica that is behind where there are payloads",
    "faults: [{ at: 5s, lag: database, by: 1s, for: 5s }]",
  ),
  row(
    "tasks",
    "faults: [{ at: 5s, failOver: database, losing: 0s }]",
    "at faults[0].losing: expected more than 0",
    "faults: [{ at: 5s, failOver: database, losing: 1s }]",
  ),
  row(
    "operator",
    "faults: [{ at: 5s, crash: attempts-1 }]",
    'at faults[0].crash: this scenario has no host "attempts-1"; there are jobs, attempt-1, attempt-2, …',
    "faults: [{ at: 5s, crash: attempt-7 }]",
  ),
  row(
    "operator",
    "faults: [{ delayAttempt: 1, by: 5s }]",
    "at faults[0].delayAttempt: expected at least 2",
    "faults: [{ delayAttempt: 2, by: 5s }]",
  ),
  row(
    "operator",
    "operations: [{ at: 61s, otherJobs: 1 }]",
    "at operations[0].at: expected a time up to 60s, the end of phases.safety, as others submit jobs only until then",
    "operations: [{ at: 60s, otherJobs: 1 }]",
  ),
  row(
    "operator",
    "operations: [{ at: 0s, otherRun: run-1 }]",
    "at operations[0].otherRun: expected another run than run-1, which is the task's own",
    "operations: [{ at: 0s, otherRun: run-0 }]",
  ),
  row(
    "operator",
    "faults: [{ at: 5s, cut: [attempt-1, store], for: 1s }]",
    'at faults[0].cut[1]: this scenario has no host "store"; there are jobs, api, attempt-1',
    "faults: [{ at: 5s, cut: [attempt-1, api], for: 1s }]",
  ),
  row(
    "producer",
    "faults: [{ at: 5s, disturb: meteor }]",
    'at faults[0].disturb: this scenario has no disturbance "meteor"; there are ',
    "faults: [{ at: 5s, closeUnopened: true }]",
  ),
  row(
    "producer",
    "faults: [{ site: broker.settle, verdict: duplicate-late }]",
    'at faults[0].verdict: "duplicate-late" cannot strike at broker.settle, where requests go over one connection, which brings each once and in order (over HTTP a copy may be late); expected one of',
    "faults: [{ site: broker.settle, verdict: duplicate }]",
  ),
  row(
    "producer",
    "faults: [{ site: broker.fetch, verdict: answer-other }]",
    'at faults[0].verdict: "answer-other" cannot strike at broker.fetch; expected one of',
    "faults: [{ site: broker.fetch, verdict: corrupt-reply }]",
  ),
  row(
    "producer",
    "faults: [{ site: producer.create, verdict: delay }]",
    'at faults[0].verdict: "delay" cannot strike at producer.create; expected one of fail-before, fail-after, crash-before, crash-after',
    "faults: [{ site: producer.create, verdict: fail-after }]",
  ),
  row(
    "producer",
    "records: [{ at: 41s, publish: ref-000001, key: a }]",
    "at records[0].at: expected a time up to 40s, the end of phases.safety, as records are published only until then",
    "records: [{ at: 40s, publish: ref-000001, key: a }]",
  ),
  row(
    "producer",
    "subscribers: [{ subscriber: 1, joinAt: 41s }]",
    "at subscribers[0].joinAt: expected a time up to 40s",
    "subscribers: [{ subscriber: 1, joinAt: 40s }]",
  ),
  row(
    "producer",
    "subscribers: [{ subscriber: 1, joinAt: 9s, leaveAt: 8s }]",
    "at subscribers[0].leaveAt: expected a time after 9s, when it subscribes; found 8s",
    "subscribers: [{ subscriber: 1, joinAt: 8s, leaveAt: 9s }]",
  ),
  row(
    "producer",
    "behaviours: [{ subscriber: 2, on: ref-000001, does: skip }]",
    "at behaviours[0].subscriber: this scenario has no subscriber 2; there are 1",
    "behaviours: [{ subscriber: 1, on: ref-000001, does: skip }]",
  ),
  row(
    "producer",
    "behaviours: [{ subscriber: 1, on: ref-000002, does: skip }]",
    'at behaviours[0].on: this scenario has no record "ref-000002"; there are ref-000001',
    "behaviours: [{ subscriber: 1, on: ref-000001, does: raise }]",
  ),
];

describe("parseScenario() refuses what can never come about, and takes the nearest that can", () => {
  test.each(ROWS)("$world: $wrong", ({ world, wrong, complaint, right }) => {
    expect(complaintAbout(world, wrong)).toContain(`Cannot use scenario "mine" ${complaint}`);
    expect(complaintAbout(world, wrong)).not.toContain("\n");
    expect(complaintAbout(world, right)).toBe("");
  });

  test("a model of the user's own may have any site and any disturbance", () => {
    const text = `${HEADS.producer.replace("kafka: {}", "own: { name: mine }")}${SUBSCRIBERS}`;
    const faults =
      "faults: [{ site: job.submit, verdict: duplicate }, { at: 5s, disturb: meteor }]";
    expect(parseScenario(text + faults, "mine").name).toBe("mine");
  });
});
