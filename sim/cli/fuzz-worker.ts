import { parentPort, workerData } from "node:worker_threads";
import type { Scenario } from "../scenario/scenario.ts";
import { LocalExecutor, UnfinishedRun } from "../search/execute.ts";
import { subjectFrom } from "../search/subject.ts";
import type { FromWorker, ToWorker, WorkerError } from "./fuzz-workers.ts";

const { scenarios } = workerData as { readonly scenarios: readonly Scenario[] };
const executor = new LocalExecutor(
  scenarios.map((scenario) => subjectFrom(scenario)),
  () => performance.now(),
);

function tell(message: FromWorker): void {
  parentPort?.postMessage(message, []);
}

parentPort?.on("message", ({ jobs, news }: ToWorker) => {
  executor
    .execute({ jobs, news }, (_, result) => tell({ kind: "result", result }))
    .then(
      () => tell({ kind: "done" }),
      (error: unknown) => tell({ kind: "failed", error: wordsFrom(error) }),
    );
});

function wordsFrom(error: unknown): WorkerError {
  const where = error instanceof UnfinishedRun ? error.message : "";
  const cause = error instanceof UnfinishedRun ? error.cause : error;
  if (!(cause instanceof Error)) return { where, name: "Error", text: String(cause) };
  const isInput = cause instanceof RangeError;
  return {
    where,
    name: cause.name,
    text: isInput ? cause.message : (cause.stack ?? cause.message),
  };
}
