/** The wall time at which a world begins that names no other: 2026-01-01T00:00:00Z. */
export const EPOCH_MS = 1_767_225_600_000;

/** Returns the milliseconds since the Unix epoch of an ISO instant in UTC. */
export function epochMsFrom(instant: string): number {
  return Date.parse(instant);
}

/** Returns the ISO text of an instant, in UTC. */
export function instantText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
