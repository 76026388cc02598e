/** A number as so many units of a power of two, as a "long double" of C on x86 has it. */
interface LongDouble {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const MANTISSA_BITS = 64;
/** So many digits behind the point are told. */
const PLACES = 17;

/**
 * Returns the sum of two numbers in decimal form, as HINCRBYFLOAT adds them.
 *
 * Source: redis, util.c, string2ld and ld2string in its human form
 */
export function longDoubleSum(a: string, b: string): string {
  const [left, right] = [parsed(a), parsed(b)];
  const exponent = Math.min(left.exponent, right.exponent);
  const mantissa = raised(left, exponent) + raised(right, exponent);
  return textOf(fraction({ mantissa, exponent }));
}

/** A numerator above a denominator. */
type Fraction = readonly [above: bigint, below: bigint];

function parsed(text: string): LongDouble {
  const [, sign, digits = "", part = "", power = "0"] =
    /^([+-]?)(0x[\da-f]+|\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const value = BigInt(`${digits}${part}` || "0") * (sign === "-" ? -1n : 1n);
  const places = Number(power) - part.length;
  if (places >= 0) return longDouble([value * tenTo(places), 1n]);
  return longDouble([value, tenTo(-places)]);
}

function tenTo(power: number): bigint {
  return BigInt(`1${"0".repeat(power)}`);
}

function longDouble([above, below]: Fraction): LongDouble {
  if (above === 0n) return { mantissa: 0n, exponent: 0 };
  let exponent = bitsOf(above) - bitsOf(below) - MANTISSA_BITS;
  // The first guess is one too low where the division gives a bit more.
  if (bitsOf(scaled([above, below], exponent)) > MANTISSA_BITS) exponent += 1;
  return { mantissa: scaled([above, below], exponent), exponent };
}

/** Returns so many units of a power of two. */
function scaled([above, below]: Fraction, exponent: number): bigint {
  if (exponent < 0) return rounded(above << BigInt(-exponent), below);
  return rounded(above, below << BigInt(exponent));
}

function fraction({ mantissa, exponent }: LongDouble): Fraction {
  const { mantissa: kept, exponent: by } = longDouble(
    exponent < 0 ? [mantissa, 1n << BigInt(-exponent)] : [mantissa << BigInt(exponent), 1n],
  );
  return by < 0 ? [kept, 1n << BigInt(-by)] : [kept << BigInt(by), 1n];
}

function raised({ mantissa, exponent }: LongDouble, to: number): bigint {
  return mantissa << BigInt(exponent - to);
}

function bitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length;
}

/** Rounds to the nearest, or to the even one of two. */
function rounded(above: bigint, below: bigint): bigint {
  const isNegative = above < 0n;
  const size = isNegative ? -above : above;
  const [whole, twice] = [size / below, (size % below) * 2n];
  const isUp = twice > below || (twice === below && whole % 2n === 1n);
  const value = isUp ? whole + 1n : whole;
  return isNegative ? -value : value;
}

function textOf([above, below]: Fraction): string {
  const units = rounded(above * tenTo(PLACES), below);
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, "0");
  const part = digits.slice(-PLACES).replace(/0+$/, "");
  const whole = digits.slice(0, -PLACES);
  return `${units < 0n ? "-" : ""}${whole}${part === "" ? "" : `.${part}`}`;
}
