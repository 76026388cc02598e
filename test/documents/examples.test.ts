// Where each code example of the five documents runs, ported one to one: this holds that the place is
// there, that it has the example, and that a gate runs it.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const top = new URL("../../", import.meta.url).pathname;

interface Example {
  readonly document: string;
  /** The section, or the first words of the block. */
  readonly example: string;
  readonly place: string;
  /** What the place has of it. */
  readonly has: string;
  /** The test that runs the place, where it is none itself, and what shows that it does. */
  readonly runBy?: readonly [test: string, has: string];
}

const GUIDE = ["test/docs/guides.long.node.test.ts", "STEPS"] as const;
const AIP_96 = "test/documents/checkpoint-examples.test.ts";
const STORE = "test/tasks/documented-examples.test.ts";
const PRODUCERS = [
  "test/check/repaired-producers.long.node.test.ts",
  "the correct producer of scenarios/producers holds",
] as const;

const EXAMPLES: readonly Example[] = [
  {
    document: "ResumableJobMixin",
    example: "def is_job_active(self, status)",
    place: "scenarios/guides/steps/batch-1.ts",
    has: '["RUNNING", "PENDING", "QUEUED"].includes(status)',
    runBy: GUIDE,
  },
  {
    document: "ResumableJobMixin",
    example: "def is_job_succeeded(self, status)",
    place: "scenarios/guides/steps/batch-1.ts",
    has: 'return status === "SUCCEEDED"',
    runBy: GUIDE,
  },
  {
    document: "ResumableJobMixin",
    example: "class MyBatchOperator",
    place: "scenarios/guides/steps/batch-1.ts",
    has: "class MyBatchOperator extends ResumableJobMixin(BaseOperator)",
    runBy: GUIDE,
  },
  {
    document: "ResumableJobMixin",
    example: "External ID key",
    place: "scenarios/guides/steps/batch-1.ts",
    has: 'externalIdKey: string = "batch_job_id"',
    runBy: GUIDE,
  },
  {
    document: "AIP-96",
    example: "The 3-Hour Databricks Job",
    place: AIP_96,
    has: "is cancelled by an eviction and run again from 0 %, before",
  },
  {
    document: "AIP-96",
    example: "Existing: Deferral, New: Checkpointing",
    place: "test/operator/signals.test.ts",
    has: "C1 throws a TaskCheckpointed with all of its arguments, and never returns",
  },
  {
    document: "AIP-96",
    example: "New Exception, New Task State, BaseOperator Helper",
    place: "test/operator/signals.test.ts",
    has: "C3 has one field, methodName, which is resumeJob by default",
  },
  {
    document: "AIP-96",
    example: "Deferral Flow, Checkpoint Flow",
    place: "test/operator/checkpoint-flow.test.ts",
    has: "startAfter",
  },
  {
    document: "AIP-96",
    example: "Path 1: Resumable-Only",
    place: AIP_96,
    has: "class ResumableOnlyOperator extends Databricks",
  },
  {
    document: "AIP-96",
    example: "Path 2: Deferral + Resumable",
    place: AIP_96,
    has: "class DeferrableOperator extends Databricks",
  },
  {
    document: "AIP-96",
    example: "For End Users: DatabricksSubmitRunOperator",
    place: "scenarios/operators/databricks-run.ts",
    has: "DatabricksSubmitRunOperator, made resumable",
    runBy: ["test/check/provider-operators.sim.test.ts", "databricks-run.ts"],
  },
  {
    document: "AIP-96",
    example: "For Provider Maintainers, steps 1 to 3",
    place: "scenarios/guides/steps/batch-4.ts",
    has: "if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });",
    runBy: GUIDE,
  },
  {
    document: "Task state store",
    example: "def my_task(**context)",
    place: STORE,
    has: "const myTask =",
  },
  {
    document: "Task state store",
    example: "get(key, default)",
    place: STORE,
    has: 'taskStateStore.get("my_key", "my_default_key")',
  },
  {
    document: "Task state store",
    example: "retention=timedelta(days=7), and retention=7, which raises",
    place: STORE,
    has: "retention: 7 as never",
  },
  {
    document: "Task state store",
    example: "NEVER_EXPIRE sentinel",
    place: STORE,
    has: "{ retention: NEVER_EXPIRE }",
  },
  { document: "Task state store", example: "delete(key)", place: STORE, has: 'delete("my_key")' },
  {
    document: "Task state store",
    example: "clear(all_map_indices=False), and Mapped tasks",
    place: STORE,
    has: "clear({ allMapIndices: true })",
  },
  {
    document: "Task state store",
    example: "External job resumption",
    place: STORE,
    has: "const runSparkJob =",
  },
  {
    document: "Task state store",
    example: "Intra-task checkpointing",
    place: STORE,
    has: "const ingestPages =",
  },
  {
    document: "Task state store",
    example: "Progress metadata",
    place: STORE,
    has: "const ingestRows =",
  },
  {
    document: "AIP-30",
    example: "Incremental processes: the two steps of a watermark",
    place: STORE,
    has: "const incremental =",
  },
  {
    document: "AIP-30",
    example: "datetime_modified, new files, the min of max modified dates",
    place: "test/documents/incremental-processes.sim.test.ts",
    has: "const byModified =",
  },
  {
    document: "Shared streams",
    example: "a Kafka producer returns (topic, partition) as its lane",
    place: "scenarios/producers/orders.ts",
    has: "getAdvanceLane",
    runBy: PRODUCERS,
  },
  {
    document: "Shared streams",
    example: "a Service Bus producer dead-letters, abandons and completes",
    place: "scenarios/producers/service-bus.ts",
    has: "DEAD_LETTER",
    runBy: PRODUCERS,
  },
  {
    document: "Shared streams",
    example: "a Pub/Sub producer nacks on a reject and acks otherwise",
    place: "scenarios/producers/pubsub.ts",
    has: "nack",
    runBy: PRODUCERS,
  },
  {
    document: "Shared streams",
    example: "reject_shared_stream_event() from filter_shared_stream()",
    place: "test/shared-stream/ambient-reject.test.ts",
    has: "rejectSharedStreamEvent",
  },
  {
    document: "Shared streams",
    example: "class SharedStreamProducer(abc.ABC)",
    place: "test/shared-stream/producer-class.test.ts",
    has: "class Orders extends SharedStreamProducer",
  },
  {
    document: "Shared streams",
    example: "BaseEventTrigger",
    place: "test/triggerer/base-event-trigger.test.ts",
    has: "BaseEventTrigger",
  },
];

describe("the examples of the documents", () => {
  test.each(EXAMPLES)("$document, $example: $place", ({ place, has, runBy }) => {
    const [path, shows] = runBy ?? [place, has];
    expect(existsSync(`${top}${place}`)).toBe(true);
    expect(readFileSync(`${top}${place}`, "utf8")).toContain(has);
    expect(path.endsWith(".test.ts")).toBe(true);
    expect(readFileSync(`${top}${path}`, "utf8")).toContain(shows);
  });
});
