/** Two bounds of a share, from 0 to 1. */
export interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/** The normal quantiles for intervals that contain the true share in 95 and in 99 of 100 cases. */
export const Z_95 = 1.959964;
export const Z_99 = 2.575829;

/**
 * Returns the Wilson score interval of a share: `hits` of `runs`.
 *
 * Computed by the four operations and a square root only, which are equal on every engine.
 *
 * Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference (1927)
 */
export function wilsonInterval(hits: number, runs: number, z: number = Z_95): ShareInterval {
  if (runs === 0) return { low: 0, high: 1 };
  const share = hits / runs;
  const zz = z * z;
  const middle = share + zz / (2 * runs);
  const reach = z * Math.sqrt((share * (1 - share) + zz / (4 * runs)) / runs);
  const scale = 1 + zz / runs;
  return {
    low: hits === 0 ? 0 : Math.max(0, (middle - reach) / scale),
    high: hits === runs ? 1 : Math.min(1, (middle + reach) / scale),
  };
}
