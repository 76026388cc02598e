import type { ProducerScenario } from "../../worlds/producer/producer-scenario.ts";
import { counted } from "../property-violation.ts";

/** How small the counterexample of a producer is. */
export interface CounterexampleSize {
  readonly events: number;
  readonly subscribers: number;
  /** What subscribers do other than accepting. */
  readonly conducts: number;
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
