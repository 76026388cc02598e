/** Converts an instant, in milliseconds since the epoch, to what the library gives. */
export function storedDate(epochMs: number): Date {
  return new Date(epochMs);
}
