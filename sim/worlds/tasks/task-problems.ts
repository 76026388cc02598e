import { durationText } from "../../codecs/duration.ts";
import { LYING_SITES, LYING_STORE_SITES } from "../../faults/site.ts";
import { givesIdsAnew } from "../../jobs/job-knobs.ts";
import { JOB_SYSTEM_HOST } from "../add-job-system.ts";
import {
  emptyProblems,
  type FaultGround,
  faultProblems,
  HostNames,
  nameProblems,
  type Problem,
  sitesFrom,
  twiceProblems,
} from "../problems.ts";
import { knobsFrom } from "../job-system-spec.ts";
import { isJobSpec } from "./job-server.ts";
import { DAG_PROCESSOR, DASHBOARD, removesTasks, SWEEPER } from "./store-hosts.ts";
import type { OwnTaskFault, TaskOperation, TaskScenario, TaskSpec } from "./task-scenario.ts";

const SITES: FaultGround["sites"] = sitesFrom({
  calls: [
    "database.query",
    "scheduler.commit",
    "api.take-task",
    "api.heartbeat",
    "api.finish-attempt",
    "api.get-task-state",
    "api.set-task-state",
    "api.delete-task-state",
    "api.http-state",
    "api.xcom",
    "store.read",
    "store.commit",
    "store.sweep",
    "task.commit",
    "job.submit",
    "job.status",
    "job.result",
    "job.cancel",
    "trigger.commit",
  ],
  lying: [...LYING_SITES, ...LYING_STORE_SITES],
  outside: ["payload.get", "payload.put", "payload.delete", "warehouse.query", "warehouse.load"],
});

/** Finds what cannot come about in a world of tasks. */
export function* taskProblems(scenario: TaskScenario): Generator<Problem> {
  const { tasks, workers, sweep, dashboard, payloads, faults, phases } = scenario;
  const names = tasks.map(({ name }) => name);
  yield* twiceProblems(names, (at) => ["tasks", at, "name"], "task");
  const services = [
    "database",
    "api",
    "scheduler",
    "triggerer",
    ...(sweep === undefined ? [] : [SWEEPER]),
    ...(removesTasks(scenario) ? [DAG_PROCESSOR] : []),
    ...(dashboard === undefined ? [] : [DASHBOARD]),
    ...(payloads === undefined ? [] : ["payloads"]),
    ...(tasks.some(isJobSpec) ? [JOB_SYSTEM_HOST] : []),
  ];
  const numbered = { worker: workers, task: workers };
  const ground = {
    hosts: new HostNames(services, numbered),
    ends: new HostNames([...services, "source", "warehouse"], numbered),
    sites: SITES,
    safety: phases.safety,
  };
  const known = { noun: "worker", known: new HostNames([], { worker: workers }) };
  yield* faultProblems<OwnTaskFault>(faults, ground, function* own(fault, path) {
    if ("softKill" in fault) {
      yield* nameProblems(fault.softKill, [...path, "softKill"], known);
      return;
    }
    const member = "lag" in fault ? "lag" : "failOver";
    if (payloads !== undefined) {
      // An old reference may name a payload that was written anew, and no value of any time.
      const words = "expected no replica that is behind where there are payloads";
      yield { path: [...path, member], words };
    }
    if ("failOver" in fault) {
      yield* emptyProblems(fault.losing, [...path, "losing"]);
    } else {
      yield* emptyProblems(fault.by, [...path, "by"]);
      yield* emptyProblems(fault.for, [...path, "for"]);
    }
  });
  if (dashboard !== undefined && payloads !== undefined) {
    // It would see references where tasks see values.
    yield { path: ["dashboard"], words: "expected nobody who looks where there are payloads" };
  }
  yield* mistakenReadProblems(scenario);
  yield* operationProblems(scenario);
}

/**
 * Finds values that do not tell whose they are, where reads are answered with the value of another
 * scope: no task can notice it, and none is to be accused of what it makes of it.
 */
function* mistakenReadProblems({ faults, tasks, jobServer }: TaskScenario): Generator<Problem> {
  for (const [at, fault] of faults.entries()) {
    if (!("site" in fault) || fault.site !== "store.read") continue;
    if (fault.verdict !== "answer-other") continue;
    const path = ["faults", at, "verdict"];
    for (const spec of tasks) {
      if (isJobSpec(spec)) continue;
      yield { path, words: `the values of "${spec.name}" do not say whose they are` };
    }
    if (givesIdsAnew(knobsFrom(jobServer))) {
      const words = `the ids of ${jobServer.system} may come again, and do not say whose they are`;
      yield { path, words };
    }
  }
}

function* operationProblems(scenario: TaskScenario): Generator<Problem> {
  const { operations, tasks, phases } = scenario;
  const end = phases.safety + phases.liveness;
  const names = tasks.map(({ name }) => name);
  for (const [nth, operation] of operations.entries()) {
    const path = ["operations", nth];
    if (operation.at > end) {
      const words = `expected a time up to ${durationText(end)}, when the run is over; found ${durationText(operation.at)}`;
      yield { path: [...path, "at"], words };
    }
    const known = { noun: "task", known: names };
    if ("rewind" in operation) {
      yield* nameProblems(operation.rewind, [...path, "rewind"], known);
      yield* rewindProblems(operation.rewind, tasks, [...path, "rewind"]);
      continue;
    }
    if ("trigger" in operation) {
      yield* nameProblems(operation.trigger, [...path, "trigger"], known);
      yield* rewindProblems(operation.trigger, tasks, [...path, "trigger"]);
      if (operation.logicalDate > operation.at) {
        const words = "expected a logical date that is not after the operation";
        yield { path: [...path, "logicalDate"], words };
      }
      continue;
    }
    if ("migrate" in operation) {
      yield* migrationProblems(scenario, path);
      continue;
    }
    if ("remove" in operation) {
      yield* nameProblems(operation.remove, [...path, "remove"], known);
      yield* removalProblems(operation.remove, scenario, [...path, "remove"]);
      continue;
    }
    if ("deploy" in operation) {
      yield* nameProblems(operation.deploy, [...path, "deploy"], known);
      yield* jobMemberProblems(operation, tasks, path);
      continue;
    }
    const [member, name] =
      "clear" in operation ? ["clear", operation.clear] : ["stop", operation.stop];
    if (tasks.some((spec) => isInstanceOf(spec, name, operations))) continue;
    const instances = tasks.flatMap((spec) => instanceWords(spec, operations));
    yield* nameProblems(name, [...path, member], { noun: "task instance", known: instances });
  }
}

/** Finds what the columns of a table that is migrated are not simulated for. */
function* migrationProblems(
  { operations, faults, payloads }: TaskScenario,
  path: Problem["path"],
): Generator<Problem> {
  const own = [...path, "migrate"];
  if (operations.filter((one) => "migrate" in one).length > 1) {
    yield { path: own, words: "expected one migration" };
  }
  if (payloads !== undefined) {
    yield { path: own, words: "expected no migration where there are payloads" };
  }
  if (faults.some((fault) => "lag" in fault || "failOver" in fault)) {
    yield { path: own, words: "expected no migration where a replica is behind" };
  }
}

/** Finds what a removal is not simulated for: a task that it does not concern, or that may run on. */
function* removalProblems(
  name: string,
  { tasks, operations, faults, payloads }: TaskScenario,
  path: Problem["path"],
): Generator<Problem> {
  const spec = tasks.find((one) => one.name === name);
  if (spec === undefined) return;
  if (!("progressIn" in spec) || spec.progressIn !== "asset") {
    yield { path, words: `the task "${name}" keeps no state of an asset` };
  }
  if (payloads !== undefined) {
    yield { path, words: "expected no removal where there are payloads" };
  }
  if (faults.some((fault) => "failOver" in fault)) {
    yield { path, words: "expected no removal where a fail-over may bring a run back" };
  }
  const isRunAgain = operations.some(
    (one) =>
      ("clear" in one && one.clear.startsWith(`${name}/`)) ||
      ("trigger" in one && one.trigger === name),
  );
  if (isRunAgain) yield { path, words: `the task "${name}" may run again` };
}

function* rewindProblems(
  name: string,
  tasks: readonly TaskSpec[],
  path: Problem["path"],
): Generator<Problem> {
  const spec = tasks.find((one) => one.name === name);
  if (spec === undefined) return;
  if (spec.operator !== "watermark") yield { path, words: `the task "${name}" has no watermark` };
  else if (spec.progressIn === "task-instance" || spec.progressIn === "xcom") {
    yield { path, words: `the watermark of "${name}" is of one run alone` };
  } else if (spec.progressAs === "model") {
    yield { path, words: `the watermark of "${name}" is the value of a model, which has no key` };
  }
}

function* jobMemberProblems(
  operation: Extract<TaskOperation, { readonly deploy: string }>,
  tasks: readonly TaskSpec[],
  path: Problem["path"],
): Generator<Problem> {
  const spec = tasks.find(({ name }) => name === operation.deploy);
  if (spec === undefined || isJobSpec(spec)) return;
  for (const member of ["externalIdKey", "durable"] as const) {
    if (operation[member] === undefined) continue;
    yield { path: [...path, member], words: `the task "${spec.name}" submits no job` };
  }
}

/** The ids that a task has in turn: its name, and those under which it is deployed. */
function taskIds({ name }: TaskSpec, operations: readonly TaskOperation[]): readonly string[] {
  const deployed = operations.flatMap((one) =>
    "deploy" in one && one.deploy === name && one.taskId !== undefined ? [one.taskId] : [],
  );
  return [name, ...deployed];
}

function isInstanceOf(spec: TaskSpec, name: string, operations: readonly TaskOperation[]): boolean {
  const [, id = "", run, index] = /^(.+)\/run-([1-9]\d*)(?:\[(\d+)\])?$/.exec(name) ?? [];
  if (!taskIds(spec, operations).includes(id) || Number(run) > spec.runs) return false;
  return spec.mapped === 0 ? index === undefined : Number(index) < spec.mapped;
}

/** The task instances of a task: "pages/run-1", or "pages/run-1[0] to pages/run-3[4]". */
function instanceWords(spec: TaskSpec, operations: readonly TaskOperation[]): readonly string[] {
  const { runs, mapped } = spec;
  return taskIds(spec, operations).map((id) => {
    const first = `${id}/run-1${mapped === 0 ? "" : "[0]"}`;
    const last = `${id}/run-${runs}${mapped === 0 ? "" : `[${mapped - 1}]`}`;
    return first === last ? first : `${first} to ${last}`;
  });
}
