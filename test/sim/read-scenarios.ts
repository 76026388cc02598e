import { readdirSync, readFileSync } from "node:fs";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";

const FOLDER = new URL("../../scenarios/", import.meta.url);

/** The scenarios that come with the kit, sorted: "lanes", "store/paginated-progress". */
export function scenarioNames(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.replace(/\.yaml$/, ""))
    .toSorted();
}

export function readScenario(name: string): Scenario {
  return parseScenario(readFileSync(new URL(`${name}.yaml`, FOLDER), "utf8"), name);
}

/** The scenarios by what their worlds are of: shared streams, or tasks. */
export function scenarioFamilies(): readonly (readonly [
  family: string,
  names: readonly string[],
])[] {
  const names = scenarioNames();
  const isOfTasks = (name: string): boolean => readScenario(name).world === "tasks";
  return [
    ["streams", names.filter((name) => !isOfTasks(name))],
    ["tasks", names.filter(isOfTasks)],
  ];
}
