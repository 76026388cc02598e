import { counted } from "../property-violation.ts";

export { PropertyViolation } from "../property-violation.ts";

export interface CounterexampleSize {
  readonly events: number;
  readonly subscribers: number;
  /** What subscribers do other than accepting. */
  readonly conducts: number;
  readonly faults: number;
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
