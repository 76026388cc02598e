import { ReplyError } from "./reply-error.ts";

/** The form of an id; without a sequence number it has 0. */
export const ID: RegExp = /^\d+(-\d+)?$/;
/** Smaller than the id of every entry. */
export const FIRST_ID: string = "0-0";
/** Either number of an id. */
const NUMBER_MAX = 18_446_744_073_709_551_615n;
const SEQUENCE_MAX = Number.MAX_SAFE_INTEGER;
const LAST_ID = `${SEQUENCE_MAX}-${SEQUENCE_MAX}`;

/**
 * Completes an id: "5" becomes "5-0", "-" the smallest and "+" the greatest id.
 *
 * @throws {ReplyError} when it is no id
 */
export function fullId(id: string): string {
  if (id === "-") return FIRST_ID;
  if (id === "+") return LAST_ID;
  return entryId(id);
}

/**
 * Completes the id of one entry.
 *
 * @throws {ReplyError} when it is no id
 */
export function entryId(id: string): string {
  if (!ID.test(id)) {
    throw new ReplyError("ERR Invalid stream ID specified as stream command argument");
  }
  if (/\d{20}/.test(id) && id.split("-").some((part) => BigInt(part) > NUMBER_MAX)) {
    throw new ReplyError("ERR Invalid stream ID specified as stream command argument");
  }
  return id.includes("-") ? id : `${id}-0`;
}

/**
 * Completes the first id of a range; "(5-1" begins behind that entry.
 *
 * @throws {ReplyError} when it is no id
 */
export function rangeStart(id: string): string {
  if (!id.startsWith("(")) return fullId(id);
  const after = entryId(id.slice(1));
  if (after === `${NUMBER_MAX}-${NUMBER_MAX}`) {
    throw new ReplyError("ERR invalid start ID for the interval");
  }
  const [ms, sequence = 0] = after.split("-").map(Number);
  return `${ms}-${sequence + 1}`;
}

/**
 * Completes the last id of a range; "5" is the last of that time, "(5-1" ends before that entry.
 *
 * @throws {ReplyError} when it is no id
 */
export function rangeEnd(id: string): string {
  if (!id.startsWith("(")) return /^\d+$/.test(id) ? `${id}-${SEQUENCE_MAX}` : fullId(id);
  const [ms = 0, sequence = 0] = entryId(id.slice(1)).split("-").map(Number);
  if (ms === 0 && sequence === 0) throw new ReplyError("ERR invalid end ID for the interval");
  return sequence > 0 ? `${ms}-${sequence - 1}` : `${ms - 1}-${SEQUENCE_MAX}`;
}

/** Compares two full ids by time, then by sequence number. */
export function compareIds(a: string, b: string): number {
  const [aMs = 0, aSequence = 0] = a.split("-").map(Number);
  const [bMs = 0, bSequence = 0] = b.split("-").map(Number);
  return aMs === bMs ? aSequence - bSequence : aMs - bMs;
}
