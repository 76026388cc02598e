import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { subjectPartsOf } from "../../sim/cli/subject-module.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import type { WorldParts } from "../../sim/worlds/world-parts.ts";

const FOLDER = new URL("../../scenarios/", import.meta.url);

/** The scenarios that come with the kit, sorted: "lanes", "store/paginated-progress". */
export function scenarioNames(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.replace(/\.yaml$/, ""))
    .toSorted();
}

export function readScenario(name: string): Scenario {
  return parseScenario(readFileSync(urlOf(name), "utf8"), name);
}

/** Loads the code under test that the scenario names; most name none. */
export function loadParts(name: string): Promise<WorldParts> {
  return subjectPartsOf(readScenario(name), fileURLToPath(urlOf(name)));
}

function urlOf(name: string): URL {
  return new URL(`${name}.yaml`, FOLDER);
}

/** The scenarios by what their worlds are of: shared streams, tasks, producers or operators. */
export function scenarioFamilies(): readonly (readonly [
  family: string,
  names: readonly string[],
])[] {
  const names = scenarioNames();
  const of = (...worlds: readonly Scenario["world"][]): readonly string[] =>
    names.filter((name) => worlds.includes(readScenario(name).world));
  return [
    ["streams", of("triggerer", "manager")],
    ["tasks", of("tasks")],
    ["producers", of("producer")],
    ["operators", of("operator")],
  ];
}
