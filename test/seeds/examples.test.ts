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
const AIP_96 = "test/seeds/checkpoint-examples.test.ts";
const STORE = "test/tasks/documented-examples.test.ts";
const PRODUCERS = [
  "test/check/repaired-producers.long.node.test.ts",
  "the correct producer of scenarios/producers holds",
] as const;

const EXAMPLES: readonly Example[] = [
  {
    document: "000",
    example: "def is_job_active(self, status)",
    place: "scenarios/guides/steps/batch-1.ts",
    has: '["RUNNING", "PENDING", "QUEUED"].includes(status)',
    runBy: GUIDE,
  },
  {
    document: "000",
    example: "def is_job_succeeded(self, status)",
    place: "scenarios/guides/steps/batch-1.ts",
    has: 'return status === "SUCCEEDED"',
    runBy: GUIDE,
  },
  {
    document: "000",
    example: "class MyBatchOperator",
    place: "scenarios/guides/steps/batch-1.ts",
    has: "class MyBatchOperator extends ResumableJobMixin(BaseOperator)",
    runBy: GUIDE,
  },
  {
    document: "000",
    example: "External ID key",
    place: "scenarios/guides/steps/batch-1.ts",
    has: 'externalIdKey: string = "batch_job_id"',
    runBy: GUIDE,
  },
  {
    document: "001",
    example: "The 3-Hour Databricks Job",
    place: AIP_96,
    has: "is cancelled by an eviction and run again from 0 %, before",
  },
  {
    document: "001",
    example: "Existing: Deferral, New: Checkpointing",
    place: "test/operator/signals.test.ts",
    has: "C1 throws a TaskCheckpointed with all of its arguments, and never returns",
  },
  {
    document: "001",
    example: "New Exception, New Task State, BaseOperator Helper",
    place: "test/operator/signals.test.ts",
    has: "C3 has one field, methodName, which is resumeJob by default",
  },
  {
    document: "001",
    example: "Deferral Flow, Checkpoint Flow",
    place: "test/operator/checkpoint-flow.test.ts",
    has: "startAfter",
  },
  {
    document: "001",
    example: "Path 1: Resumable-Only",
    place: AIP_96,
    has: "class ResumableOnlyOperator extends Databricks",
  },
  {
    document: "001",
    example: "Path 2: Deferral + Resumable",
    place: AIP_96,
    has: "class DeferrableOperator extends Databricks",
  },
  {
    document: "001",
    example: "For End Users: DatabricksSubmitRunOperator",
    place: "scenarios/operators/databricks-run.ts",
    has: "DatabricksSubmitRunOperator, made resumable",
    runBy: ["test/check/provider-operators.sim.test.ts", "databricks-run.ts"],
  },
  {
    document: "001",
    example: "For Provider Maintainers, steps 1 to 3",
    place: "scenarios/guides/steps/batch-4.ts",
    has: "if (keepsJob(executionContext)) this.checkpoint({ remoteJobId: this.#jobId });",
    runBy: GUIDE,
  },
  { document: "002", example: "def my_task(**context)", place: STORE, has: "const myTask =" },
  {
    document: "002",
    example: "get(key, default)",
    place: STORE,
    has: 'taskStateStore.get("my_key", "my_default_key")',
  },
  {
    document: "002",
    example: "retention=timedelta(days=7), and retention=7, which raises",
    place: STORE,
    has: "retention: 7 as never",
  },
  {
    document: "002",
    example: "NEVER_EXPIRE sentinel",
    place: STORE,
    has: "{ retention: NEVER_EXPIRE }",
  },
  { document: "002", example: "delete(key)", place: STORE, has: 'delete("my_key")' },
  {
    document: "002",
    example: "clear(all_map_indices=False), and Mapped tasks",
    place: STORE,
    has: "clear({ allMapIndices: true })",
  },
  {
    document: "002",
    example: "External job resumption",
    place: STORE,
    has: "const runSparkJob =",
  },
  {
    document: "002",
    example: "Intra-task checkpointing",
    place: STORE,
    has: "const ingestPages =",
  },
  { document: "002", example: "Progress metadata", place: STORE, has: "const ingestRows =" },
  {
    document: "003",
    example: "Incremental processes: the two steps of a watermark",
    place: STORE,
    has: "const incremental =",
  },
  {
    document: "004",
    example: "a Kafka producer returns (topic, partition) as its lane",
    place: "scenarios/producers/orders.ts",
    has: "getAdvanceLane",
    runBy: PRODUCERS,
  },
  {
    document: "004",
    example: "a Service Bus producer dead-letters, abandons and completes",
    place: "scenarios/producers/service-bus.ts",
    has: "DEAD_LETTER",
    runBy: PRODUCERS,
  },
  {
    document: "004",
    example: "a Pub/Sub producer nacks on a reject and acks otherwise",
    place: "scenarios/producers/pubsub.ts",
    has: "nack",
    runBy: PRODUCERS,
  },
  {
    document: "004",
    example: "reject_shared_stream_event() from filter_shared_stream()",
    place: "test/shared-stream/ambient-reject.test.ts",
    has: "rejectSharedStreamEvent",
  },
  {
    document: "004",
    example: "class SharedStreamProducer(abc.ABC)",
    place: "test/shared-stream/producer-class.test.ts",
    has: "class Orders extends SharedStreamProducer",
  },
  {
    document: "004",
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
