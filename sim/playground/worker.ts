import { brokerNamed } from "../brokers/broker-named.ts";
import type { BrokerModel } from "../brokers/broker.ts";
import { checkProducer } from "../check/producer/check-producer.ts";
import { PropertyViolation } from "../check/property-violation.ts";
import { makeRealmExclusive } from "../realm/realm.ts";
import { htmlPageFrom } from "../report/html-page.ts";
import { isGood, type RunReport } from "../run/run-report.ts";
import { simulate } from "../run/simulate.ts";
import { parseScenario } from "../scenario/parse.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { Campaign } from "../search/campaign.ts";
import { LocalExecutor } from "../search/execute.ts";
import { rerun } from "../search/rerun.ts";
import { shrinkScenario } from "../search/shrink/shrink-scenario.ts";
import { subjectFrom } from "../search/subject.ts";
import { runWithoutContext } from "../browser/tracked-context.ts";
import { createProducerFrom } from "../worlds/producer/producer-subject.ts";
import type { CreateProducer } from "../worlds/producer/producer-under-test.ts";
import type { WorldParts } from "../worlds/world-parts.ts";
import { loadCode } from "./load-code.ts";
import type { Reply, Request, Result, WorkerSetup } from "./messages.ts";
import { problemsOfText } from "./read-scenario.ts";

const NAME = "scenario";

let setup: WorkerSetup | undefined;
const send = (reply: Reply): void => postMessage(reply, { transfer: [] });
const progress = (words: string): void => send({ kind: "progress", words });

makeRealmExclusive();
addEventListener("message", ({ data }: MessageEvent<Request | WorkerSetup>) => {
  if (data.kind === "setup") {
    setup = data;
    return;
  }
  runWithoutContext(() => void reply(data));
});

async function reply(request: Request): Promise<void> {
  try {
    send({ kind: "done", result: await resultOf(request) });
  } catch (error) {
    send({ kind: "failed", words: error instanceof Error ? error.message : String(error) });
  }
}

function resultOf(request: Request): Promise<Result> | Result {
  switch (request.kind) {
    case "read":
      return { verdict: "read", isBroken: false, problems: problemsOfText(request.text) };
    case "run":
      return run(request);
    case "fuzz":
      return fuzz(request);
    case "shrink":
      return shrink(request);
    case "check":
      return check(request);
    default:
      return request satisfies never;
  }
}

/** @throws {RangeError} for a scenario of code that the page does not have */
function scenarioFrom(text: string): Scenario {
  const scenario = parseScenario(text, NAME);
  if (worldKindOf(scenario).subject === undefined) return scenario;
  throw new RangeError(
    `A scenario of world "${scenario.world}" names a module, which this page cannot load: use the producer's tab, or the command line`,
  );
}

async function run({ text, seed, job }: Extract<Request, { kind: "run" }>): Promise<Result> {
  const scenario = scenarioFrom(text);
  const { report } =
    job === undefined ? { report: await simulate(scenario, { seed }) } : await rerun(scenario, job);
  return resultFrom(report, `npx faultlane run ${NAME}.yaml --seed ${report.seed}`);
}

async function fuzz({ text, seed, runs }: Extract<Request, { kind: "fuzz" }>): Promise<Result> {
  const scenario = scenarioFrom(text);
  const campaign = new Campaign({ subjects: 1, search: "portfolio", seed, runs });
  const executor = new LocalExecutor([subjectFrom(scenario)]);
  const words = (): string => {
    const { runs: made, behaviours, faults, findings } = campaign;
    return `${made} of ${runs} runs: ${behaviours} behaviours, ${faults} faults, ${findings.length} found`;
  };
  for (let batch = campaign.nextBatch(); batch !== undefined; batch = campaign.nextBatch()) {
    await executor.execute(batch, (job, result) => {
      for (const { failure, first } of campaign.learnRun(job, result)) {
        send({
          kind: "found",
          found: { checker: failure.checker, seen: failure.shape, job: first },
        });
      }
      progress(words());
    });
  }
  const found = campaign.findings.length;
  return {
    verdict: found === 0 ? "nothing found" : `${found} found`,
    isBroken: found > 0,
    words: words(),
  };
}

async function shrink({ text, seed, job }: Extract<Request, { kind: "shrink" }>): Promise<Result> {
  const scenario = scenarioFrom(text);
  const again = job === undefined ? undefined : await rerun(scenario, job);
  const shrunk = await shrinkScenario(again?.scenario ?? scenario, {
    seed,
    ...(again !== undefined && { seed: again.report.seed, replay: again.report.choices }),
    onProgress: ({ pass, reruns, taken }) =>
      progress(`${reruns} reruns, ${taken} times smaller: ${pass}`),
  });
  const result = resultFrom(shrunk.report, `npx faultlane run ${NAME}.yaml`);
  return { ...result, scenario: shrunk.text, words: `${shrunk.reruns} reruns` };
}

async function check(request: Extract<Request, { kind: "check" }>): Promise<Result> {
  const { code, broker, seed, runs } = request;
  const module = await loadCode(code);
  const model = modelOf(broker);
  const createProducer = producerIn(module);
  const lineOf = (of: number): string =>
    `npx faultlane check producer.ts --broker ${broker} --seed ${of} --runs 1`;
  try {
    const report = await checkProducer<never>({
      broker: model,
      createProducer,
      seed,
      numRuns: runs,
      rerun: lineOf,
      onRun: (done, of) => progress(`${done} of ${of} runs held`),
      onBroken: ({ guarantee }) => progress(`${guarantee} broke; making the run smaller`),
    });
    return {
      verdict: "held",
      isBroken: false,
      words: `Every promise held in ${report.runs} runs: ${report.events} events, ${report.copies} copies`,
    };
  } catch (error) {
    if (!(error instanceof PropertyViolation)) throw error;
    const scenario = parseScenario(error.scenario ?? "", "producer");
    const parts: WorldParts = { producer: { broker: model, createProducer } };
    const report = await simulate(scenario, parts);
    return { ...resultFrom(report, lineOf(error.seed)), words: error.message };
  }
}

function modelOf(name: string): BrokerModel<never> {
  const model = brokerNamed(name);
  if (model === undefined) throw new RangeError(`There is no broker "${name}"`);
  return model as BrokerModel<never>;
}

/** @throws {TypeError} when the module exports no `createProducer` */
function producerIn(module: Readonly<Record<string, unknown>>): CreateProducer<never> {
  try {
    return createProducerFrom(module);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new TypeError(`Cannot check this code: ${cause.message}`, { cause });
  }
}

function resultFrom(report: RunReport, rerunLine: string): Result {
  const broken = [...new Set(report.violations.map(({ checker }) => checker))];
  const isBroken = !isGood(report.verdict);
  const verdict = broken.length === 0 ? report.verdict : `${report.verdict}: ${broken.join(", ")}`;
  const [first] = report.violations;
  return {
    verdict,
    isBroken,
    words:
      first === undefined ? `${report.stats.events} events` : `${first.promise}: ${first.detail}`,
    ...(setup !== undefined && {
      page: htmlPageFrom(setup.code, {
        kitVersion: setup.kitVersion,
        run: { report, rerun: rerunLine },
      }),
    }),
  };
}
