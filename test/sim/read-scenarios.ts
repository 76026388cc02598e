import { readdirSync, readFileSync } from "node:fs";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";

const FOLDER = new URL("../../scenarios/", import.meta.url);

/** The names of the scenarios that come with the kit, sorted. */
export function scenarioNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.replace(/\.yaml$/, ""))
    .toSorted();
}

export function readScenario(name: string): Scenario {
  return parseScenario(readFileSync(new URL(`${name}.yaml`, FOLDER), "utf8"), name);
}
