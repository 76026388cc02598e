/** Before the first id that an entry can have. */
export const FIRST_ID: string = "0-0";
const LAST_ID = `${Number.MAX_SAFE_INTEGER}-${Number.MAX_SAFE_INTEGER}`;

/** An id as the server writes it: "5" is "5-0", "-" the first and "+" the last. */
export function fullId(id: string): string {
  if (id === "-") return FIRST_ID;
  if (id === "+") return LAST_ID;
  return id.includes("-") ? id : `${id}-0`;
}

/** Orders two full ids: by time, then by sequence number. */
export function compareIds(a: string, b: string): number {
  const [aMs = 0, aSequence = 0] = a.split("-").map(Number);
  const [bMs = 0, bSequence = 0] = b.split("-").map(Number);
  return aMs === bMs ? aSequence - bSequence : aMs - bMs;
}
