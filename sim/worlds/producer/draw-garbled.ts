import type { Dice } from "../../choices/dice.ts";
import type { Workload } from "./draw-amid.ts";

/**
 * Now and then one record is no JSON, as when its publisher cut it off. Whoever lets the error of
 * its parser end the stream reads it again and again, and nothing behind it.
 */
export function garble(dice: Dice, { records }: Pick<Workload, "records">): void {
  if (!dice.oneIn(24)) return;
  const nth = dice.below(records.length);
  const record = records[nth];
  if (record !== undefined) records[nth] = { ...record, garbled: true };
}
