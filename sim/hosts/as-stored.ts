/**
 * Returns what a trigger, or the payload of a trigger event, becomes in the database, through which
 * it comes to another process: JSON, so that a date arrives as text, and no live object arrives.
 *
 * @throws {TypeError} when it cannot be written as JSON
 */
export function asStored(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null") as unknown;
}
