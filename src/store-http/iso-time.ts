/**
 * Groups: the day, the minute, seconds, the fraction of a second, and the sign, hours and minutes
 * of the zone.
 */
const SHAPE =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?:(:\d{2})(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;
const MS_PER_MINUTE = 60_000;

/**
 * Returns the instant of an ISO 8601 date with a time and a zone, or undefined when `text` is none.
 *
 * A date without a zone is refused: it does not say which instant it means. Digits below the
 * millisecond are cut off.
 */
export function instantFromIso(text: string): number | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, day, minute, second = ":00", fraction = "", sign, hours, minutes] = match;
  const local = `${day}T${minute}${second}.${fraction.padEnd(3, "0").slice(0, 3)}Z`;
  const instant = Date.parse(local);
  // Some dates that do not exist, such as 30 February, are read as a later day.
  if (Number.isNaN(instant) || isoFromInstant(instant) !== local) return undefined;
  if (sign === undefined) return instant;
  const offset = (Number(hours) * 60 + Number(minutes)) * MS_PER_MINUTE;
  return sign === "-" ? instant + offset : instant - offset;
}

/** Returns `instant` as text: `2026-01-31T23:59:59.000Z`. */
export function isoFromInstant(instant: number): string {
  return new Date(instant).toISOString();
}
