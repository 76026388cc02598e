import { parentPort, workerData } from "node:worker_threads";
import type { Scenario } from "../scenario/scenario.ts";
import { LocalExecutor } from "../search/execute.ts";
import { subjectFrom } from "../search/subject.ts";
import type { FromWorker, ToWorker } from "./fuzz-workers.ts";

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

function wordsFrom(error: unknown): { readonly name: string; readonly text: string } {
  if (!(error instanceof Error)) return { name: "Error", text: String(error) };
  const text = error instanceof RangeError ? error.message : (error.stack ?? error.message);
  return { name: error.name, text };
}
