// Tries each module of the corpus as a producer, an operator, a manager and a state backend, in this
// process, and prints one line of JSON for each: `node test/soundness/run-corpus.ts <folder> [runs] [filter]`.
import { mkdirSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brokers } from "../../sim/brokers/brokers.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import { assertNoBoundImports } from "../../sim/cli/bound-imports.ts";
import { ownTheProcess } from "../../sim/cli/own-the-process.ts";
import { loadInRealm } from "../../sim/realm/loading-realm.ts";
import { NotVirtual } from "../../sim/realm/not-virtual.ts";
import { type SimulateOptions, simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { drawOperatorSweep } from "../../sim/worlds/operator/draw-operator.ts";
import { jobSystemKnobs } from "../../sim/jobs/presets.ts";
import { createJobFrom } from "../../sim/worlds/operator/operator-subject.ts";
import { OperatorUnderTest } from "../../sim/worlds/operator/operator-under-test.ts";
import { drawScenarioOn } from "../../sim/worlds/producer/draw-producer.ts";
import { createProducerFrom } from "../../sim/worlds/producer/producer-subject.ts";
import type { CreateProducer } from "../../sim/worlds/producer/producer-under-test.ts";
import type { StateBackend } from "../../src/store/mod.ts";
import type { ManagerFactory } from "../../sim/worlds/stage.ts";
import { CORPUS } from "./corpus.ts";
import type { Row } from "./corpus-row.ts";
import { moduleOf, SUBJECT_KINDS, type SubjectKind } from "./module-of.ts";

/** What became of one module. */
export interface Outcome {
  readonly name: string;
  readonly kind: SubjectKind;
  readonly verdict: string;
  readonly digests: readonly string[];
}

/** Small worlds of the kit in which a manager or a state backend is the code under test. */
const WORLDS_OF_KIT = {
  manager: [
    "{ story: A hostile client, world: manager, operations: 40 }",
    "{ story: A triggerer, world: triggerer, streams: [{ name: orders, triggers: 2 }], phases: { safety: 20s } }",
  ],
  backend: [
    "{ story: Pages, world: tasks, tasks: [{ name: pages, operator: pages, pages: 4 }], sweep: { every: 5s }, phases: { safety: 60s } }",
    "{ story: A lost commit, world: tasks, tasks: [{ name: pages, operator: pages, pages: 4, retries: 9 }], faults: [{ site: store.commit, nth: 2, verdict: fail-after }], phases: { safety: 60s } }",
  ],
} as const;
const KAFKA = brokers.kafka({ partitions: 2 });
const [folder = "", runsText = "4", filter = ""] = process.argv.slice(2);
const runs = Number(runsText);
const root = fileURLToPath(new URL("../../", import.meta.url));

ownTheProcess();
mkdirSync(folder, { recursive: true });
for (const [at, row] of CORPUS.entries()) {
  if (!row.name.includes(filter)) continue;
  for (const kind of SUBJECT_KINDS) {
    writeSync(1, `${JSON.stringify(await tryOut(row, kind, at))}\n`);
  }
}
process.exit(0);

async function tryOut(row: Row, kind: SubjectKind, at: number): Promise<Outcome> {
  const file = join(folder, `${kind}-${at}.ts`);
  writeFileSync(file, moduleOf(row, kind, root));
  const digests: string[] = [];
  const broken = new Set<string>();
  try {
    assertNoBoundImports(file);
    const load = (): Promise<unknown> => import(pathToFileURL(file).href);
    const module = (await loadInRealm(kind, load)) as Record<string, unknown>;
    for (let seed = 1; seed <= runs; seed += 1) {
      const [scenario, options] = runOf(kind, module, seed);
      const { digest, violations } = await simulate(scenario, { seed, ...options });
      digests.push(digest);
      for (const { checker, detail } of violations) broken.add(`${checker}: ${detail}`);
    }
  } catch (error) {
    const isRefusal = error instanceof NotVirtual;
    return {
      name: row.name,
      kind,
      verdict: isRefusal ? `refused: ${error.use} at ${error.where}` : `threw: ${String(error)}`,
      digests,
    };
  }
  const verdict = broken.size === 0 ? "held" : [...broken].join("; ");
  return { name: row.name, kind, verdict, digests };
}

function runOf(
  kind: SubjectKind,
  module: Record<string, unknown>,
  seed: number,
): readonly [Scenario, SimulateOptions] {
  if (kind === "manager" || kind === "backend") {
    const scenario = parseScenario(WORLDS_OF_KIT[kind][seed % 2 === 0 ? 0 : 1], "corpus");
    const { createManager, createBackend } = module as {
      createManager: ManagerFactory;
      createBackend: () => StateBackend;
    };
    return [scenario, kind === "manager" ? { createManager } : { taskParts: { createBackend } }];
  }
  const choices = new SeededChoices(seed, { record: false });
  const dice = new Dice(choices.stream("workload", "plan"), "plan");
  if (kind === "producer") {
    const createProducer = createProducerFrom(module) as CreateProducer<unknown>;
    const scenario = { ...drawScenarioOn(KAFKA, dice), name: "corpus" };
    return [scenario, { producer: { broker: KAFKA, createProducer } }];
  }
  const knobs = jobSystemKnobs("livy");
  const drawn = drawOperatorSweep(dice, seed, { system: "livy", knobs });
  const operator = new OperatorUnderTest(createJobFrom(module));
  return [{ ...drawn, name: "corpus" }, { operator }];
}
