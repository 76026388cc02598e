/**
 * The simulator: runs a scenario with faults in a world that is made from one seed, and checks the
 * promises of that world.
 *
 * ```ts
 * import { parseScenario, simulate } from "faultlane/sim";
 *
 * const text = `{
 *   story: A broker call is aborted and Airflow's pump dies,
 *   world: triggerer, profile: airflow-3.3,
 *   streams: [{ name: orders, advanceThrows: { nth: 3, error: AbortError } }],
 * }`;
 * const report = await simulate(parseScenario(text, "aborted"), { seed: 7 });
 * console.log(report.violations.some(({ checker }) => checker === "settled")); // => true
 * ```
 *
 * - Everything nondeterministic is a choice; the same scenario, seed and code give the same digest
 *   on Node, Deno, Bun and in Chromium.
 * - A crashed host loses its memory: no later effect of its old incarnation lands.
 * - A run has a safety phase with faults, then a liveness phase without faults, which lasts until
 *   nothing is owed any more.
 * - Checkers see only the trace.
 *
 * @module
 */
export {
  CHECKER_IDS,
  PRODUCER_CHECKER_IDS,
  TASK_CHECKER_IDS,
  type Violation,
} from "./checkers/mod.ts";
export type { Decision, DecisionTable, Outcome } from "./checkers/producer/record-facts.ts";
export type { ProducerSymptom, StreamSymptom, Symptom, TaskSymptom } from "./checkers/symptom.ts";
export {
  CalmChoices,
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  ReplayDrift,
  ReplayedChoices,
  type Scheduler,
  SeededChoices,
} from "./choices/choices.ts";
export type { PinnedChoice } from "./choices/pinned-choices.ts";
export type { HerdFault, OverloadFault } from "./codecs/crowd-faults.ts";
export type {
  HostFault,
  HostLink,
  HostStorm,
  ScenarioBase,
  SiteFault,
} from "./codecs/scenario-parts.ts";
export type { EventHubsOptions } from "./brokers/event-hubs/model.ts";
export type { HttpFeedOptions } from "./brokers/http-feed/model.ts";
export type { KafkaOptions } from "./brokers/kafka/kafka-model.ts";
export type { KinesisOptions } from "./brokers/kinesis/model.ts";
export type { MqttServerOptions } from "./brokers/mqtt/model.ts";
export type { NatsOptions } from "./brokers/nats/model.ts";
export type { OutboxOptions } from "./brokers/outbox/model.ts";
export type { PubSubOptions } from "./brokers/pubsub/pubsub-broker.ts";
export type { RabbitmqOptions } from "./brokers/rabbitmq/model.ts";
export type { RedisOptions } from "./brokers/redis/model.ts";
export type { ServiceBusOptions } from "./brokers/service-bus/service-bus-broker.ts";
export type { SqsOptions } from "./brokers/sqs/sqs-broker.ts";
export { DatabaseError, type DatabaseErrorName } from "./faults/database-error.ts";
export { InjectedFault } from "./faults/injector.ts";
export { SITES, type SiteName } from "./faults/site.ts";
export type { FaultRule, Ratio, SiteCall } from "./faults/rule.ts";
export type { Verdict, VerdictName } from "./faults/verdict.ts";
export type { StreamManager } from "./hosts/traced-manager.ts";
export type { JobSystemName } from "./jobs/presets.ts";
export { ReferenceSharedStreamManager } from "./reference/mod.ts";
export { type Artifact, artifactFrom, parseArtifact } from "./run/artifact.ts";
export { type LikelySource, NotDeterministic } from "./run/not-deterministic.ts";
export { parseScenario, ScenarioError } from "./scenario/parse.ts";
export type { OrphanedJob, OrphanReason } from "./checkers/mod.ts";
export type { RunReport, RunStats, RunVerdict } from "./run/run-report.ts";
export type { Vacuity, VacuityKind } from "./run/vacuity.ts";
export type { Scenario } from "./scenario/scenario.ts";
export type { FilterForm } from "./workloads/filter-form.ts";
export type { HostileClientSpec } from "./workloads/hostile-client-spec.ts";
export type { FilterSpec, StreamSpec } from "./workloads/stream-spec.ts";
export type { ManagerScenario } from "./worlds/manager/manager-scenario.ts";
export type { BrokerSpec } from "./worlds/producer/broker-spec.ts";
export type { Identify } from "./worlds/producer/producer-observer.ts";
export type { CreateProducer, ProducerUnderTest } from "./worlds/producer/producer-under-test.ts";
export type {
  Behaviour,
  BehaviourSpec,
  ProducerFault,
  ProducerScenario,
  RecordSpec,
  SubscriberSpec,
} from "./worlds/producer/producer-scenario.ts";
export type {
  BrokerFault,
  MemoryLimit,
  OwnTriggererFault,
  TriggererVersion,
  Operation,
  Storm,
  TriggererScenario,
} from "./worlds/triggerer/triggerer-scenario.ts";
export { scenarioJsonSchema } from "./scenario/schema.ts";
export type { JobSystemSpec } from "./worlds/job-system-spec.ts";
export { OperatorUnderTest } from "./worlds/operator/operator-under-test.ts";
export type {
  AttemptFault,
  OperatorFault,
  OperatorScenario,
  OtherJobs,
  OtherRun,
} from "./worlds/operator/operator-scenario.ts";
export type { StreamScenarioBase } from "./worlds/stream-scenario.ts";
export type {
  JobOperator,
  JobSpec,
  OwnTaskFault,
  PageSpec,
  FailOver,
  ReplicaLag,
  SoftKill,
  TaskFault,
  TaskOperation,
  TaskScenario,
  TaskSpec,
  TaskSpecBase,
  TaskStorm,
  ScratchSpec,
  WatermarkSpec,
} from "./worlds/tasks/task-scenario.ts";
export type { TaskWorldParts } from "./worlds/tasks/task-parts.ts";
export {
  type Boundary,
  type CrashOutcome,
  type CrashPointOptions,
  type CrashPointReport,
  type CrashStrike,
  type CrashTrial,
  exploreCrashPoints,
  type LeftOut,
  type SubmitWindow,
} from "./search/crash-points.ts";
export { simulate, type SimulateOptions } from "./run/simulate.ts";
export type { ManagerFactory, ManagerHost, ManagerSettings } from "./worlds/stage.ts";
export type { WorldParts } from "./worlds/world-parts.ts";
export type { ProgressForm, ProgressScope } from "./workloads/progress-memory.ts";
export type { HttpEvent, ShownEntry } from "./trace/http-events.ts";
export type { JobEvent, JobOutcome } from "./trace/job-events.ts";
export type {
  JobMethod,
  LoadEvent,
  OperatorEvent,
  StateEvent,
  TaskEvent,
  TaskInstanceEvent,
  TaskRowState,
} from "./trace/task-events.ts";
export type { FailureEvent } from "./trace/failure-events.ts";
export type { Breach, ProducerEvent } from "./trace/producer-events.ts";
export {
  type AdvancedItem,
  type DurableEvent,
  type ProcessEvent,
  type SettleAct,
  type StreamEvent,
  Trace,
  type TraceBody,
  type TraceEvent,
  type TraceListener,
  type WorldEvent,
} from "./trace/trace.ts";
export type { Step, StepOptions, StepOwner } from "./kernel/step.ts";
export { VirtualClock } from "./kernel/virtual-clock.ts";
export { World } from "./kernel/world.ts";
