/** Smaller than the id of every entry. */
export const FIRST_ID: string = "0-0";
const LAST_ID = `${Number.MAX_SAFE_INTEGER}-${Number.MAX_SAFE_INTEGER}`;

/** Completes an id: "5" becomes "5-0", "-" the smallest and "+" the greatest id. */
export function fullId(id: string): string {
  if (id === "-") return FIRST_ID;
  if (id === "+") return LAST_ID;
  return id.includes("-") ? id : `${id}-0`;
}

/** Compares two full ids by time, then by sequence number. */
export function compareIds(a: string, b: string): number {
  const [aMs = 0, aSequence = 0] = a.split("-").map(Number);
  const [bMs = 0, bSequence = 0] = b.split("-").map(Number);
  return aMs === bMs ? aSequence - bSequence : aMs - bMs;
}
