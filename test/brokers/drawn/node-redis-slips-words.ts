import * as fc from "fast-check";
import { type Drawn, fields, mostly, oddValue } from "./odd-values.ts";
import { ODD_NAMES } from "./redis-slips-program.ts";
import { named } from "./slips-steps.ts";

export const of = (...all: readonly Drawn[]): fc.Arbitrary<Drawn> => fc.constantFrom(...all);
const odd = fc.oneof(oddValue, of(...ODD_NAMES.map(named)));
export const often = (right: fc.Arbitrary<Drawn>, weight = 24): fc.Arbitrary<Drawn> =>
  fc.oneof({ weight, arbitrary: right }, { weight: 1, arbitrary: odd });

export const flag = mostly(fc.boolean(), 8);
export const options = (
  others: Readonly<Record<string, fc.Arbitrary<Drawn>>>,
): fc.Arbitrary<Drawn> => often(fields({}, { ...others }, 2), 12);

export type Given = fc.Arbitrary<readonly Drawn[]>;
/** What a method takes; what stands behind `least` may be left out. */
export function given(least: number, ...all: readonly fc.Arbitrary<Drawn>[]): Given {
  const whole = fc.tuple(...all).map((drawn): readonly Drawn[] => drawn);
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 6, arbitrary: whole.map((drawn) => drawn.slice(0, least)) },
    { weight: 1, arbitrary: whole.map((drawn) => drawn.slice(0, Math.max(0, least - 1))) },
  );
}
