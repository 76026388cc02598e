import { SqlError } from "./sql-error.ts";

/** Each escape in JSON: four digits where it is one of a code unit. */
const ESCAPE = /\\(?:u([0-9a-f]{4})|.)/gi;
const HEX = 16;

/**
 * Whether each half of a pair that is escaped in JSON has its other half: JSON.parse takes those
 * that have not, as JSON.stringify writes them of a text that was cut.
 *
 * @throws {SqlError} for U+0000, which no text of a server has
 */
export function areEscapesWhole(json: string): boolean {
  /** Behind which a high half has ended. */
  let afterHigh: number | undefined;
  for (const { 1: digits, 0: whole, index } of json.matchAll(ESCAPE)) {
    const unit = digits === undefined ? undefined : Number.parseInt(digits, HEX);
    const isLow = unit !== undefined && unit >= 0xdc_00 && unit <= 0xdf_ff;
    if (isLow !== (afterHigh === index)) return false;
    if (afterHigh !== undefined && !isLow) return false;
    if (unit === 0) throw new SqlError("22P05", "unsupported Unicode escape sequence");
    const isHigh = unit !== undefined && unit >= 0xd8_00 && unit <= 0xdb_ff;
    afterHigh = isHigh ? index + whole.length : undefined;
  }
  return afterHigh === undefined;
}
