/** Rounds a decimal to so many places: halves go away from zero. */
export function fromZero(value: number, places = 0): number {
  const rounded = Math.round(pointMoved(Math.abs(value), places));
  return Math.sign(value) * pointMoved(rounded, -places);
}

/** Moves the decimal point of what is written, as a multiplication would not do exactly. */
function pointMoved(value: number, by: number): number {
  const [digits, exponent] = value.toExponential().split("e");
  return Number(`${digits}e${Number(exponent) + by}`);
}

/** Rounds a fraction: halves go to the even number. */
export function toEven(value: number): number {
  const near = Math.round(value);
  return Math.abs(value % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}
