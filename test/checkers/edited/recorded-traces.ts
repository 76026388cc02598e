import { readFileSync } from "node:fs";
import type { Scenario } from "../../../sim/scenario/scenario.ts";
import type { TraceEvent } from "../../../sim/trace/trace.ts";

/** What happened in one run of a scenario, in which every promise held. */
export interface RecordedTrace {
  readonly world: Scenario["world"];
  /** "manager" for a drawn scenario, else the name of one that comes with the kit. */
  readonly scenario: string;
  readonly seed: number;
  /** Whether the scenario of the run asks for strict persistence, on which promises depend. */
  readonly strictPersistence: boolean;
  /** How many retries each of its tasks has at least. */
  readonly retriesMin: number;
  readonly events: readonly TraceEvent[];
}

/** Reads the traces that `record-traces.ts` wrote. */
export function readTraces(): readonly RecordedTrace[] {
  return readFileSync(new URL("traces.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordedTrace);
}
