const DIGITS = 3;

/** Three digits that count, thousands apart: 0.123, 12.3, 1,230. */
export function numberText(value: number): string {
  const whole = Math.trunc(Math.abs(value));
  const before = String(whole).length;
  if (before >= DIGITS) return grouped(Math.round(value));
  return value.toFixed(whole === 0 ? DIGITS - 1 : DIGITS - before);
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
