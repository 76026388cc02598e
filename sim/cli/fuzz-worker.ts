import { parentPort, workerData } from "node:worker_threads";
import { LocalExecutor, UnfinishedRun } from "../search/execute.ts";
import { subjectFrom } from "../search/subject.ts";
import type { FromWorker, FuzzWorkerData, ToWorker, WorkerError } from "./fuzz-workers.ts";
import { watchForHang } from "./hang-watch.ts";
import { EXIT } from "./output.ts";
import { moduleOf, subjectPartsOf } from "./subject-module.ts";
import { ownTheProcess } from "./own-the-process.ts";
import { isWrongInput } from "./wrong-input.ts";

const { files } = workerData as FuzzWorkerData;
ownTheProcess();
const executor = createExecutor();

async function createExecutor(): Promise<LocalExecutor> {
  const modules = files.flatMap(({ scenario, path }) => moduleOf(scenario, path) ?? []);
  if (modules.length > 0) watchForHang(EXIT.wrongInput, [...new Set(modules)].join('", "'));
  const subjects = [];
  for (const { scenario, path } of files) {
    subjects.push(subjectFrom(scenario, await subjectPartsOf(scenario, path)));
  }
  return new LocalExecutor(subjects, () => performance.now());
}

function send(message: FromWorker): void {
  parentPort?.postMessage(message, []);
}

parentPort?.on("message", ({ jobs, news }: ToWorker) => {
  executor
    .then((local) => local.execute({ jobs, news }, (_, result) => send({ kind: "result", result })))
    .then(
      () => send({ kind: "done" }),
      (error: unknown) => send({ kind: "failed", error: wordsFrom(error) }),
    );
});

function wordsFrom(error: unknown): WorkerError {
  const isOfRun = error instanceof UnfinishedRun;
  const cause = isOfRun ? error.cause : error;
  if (isWrongInput(cause)) return { isOfRun, isWrongInput: true, text: cause.message };
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return { isOfRun, isWrongInput: false, text };
}
