import type { ProducerScenario } from "../../worlds/producer/producer-scenario.ts";
import { counted } from "../property-violation.ts";

/** How large the counterexample of a producer is. */
export interface CounterexampleSize {
  /** How many records are published. */
  readonly events: number;
  /** How many subscribers there are. */
  readonly subscribers: number;
  /** How often a subscriber does something else with a record than accepting it. */
  readonly conducts: number;
  /** How many faults strike. */
  readonly faults: number;
}

export function sizeOf(scenario: ProducerScenario): CounterexampleSize {
  const { records, subscribers, behaviours, faults } = scenario;
  return {
    events: records.length,
    subscribers: subscribers.length,
    conducts: behaviours.length,
    faults: faults.length,
  };
}

export function sizeInWords(size: CounterexampleSize): string {
  const { events, subscribers, conducts, faults } = size;
  return [
    counted(events, "event"),
    counted(subscribers, "subscriber"),
    counted(conducts, "misbehaviour"),
    counted(faults, "fault"),
  ].join(", ");
}
