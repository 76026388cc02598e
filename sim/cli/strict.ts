import type { Paint } from "../report/terminal.ts";
import type { Vacuity } from "../run/vacuity.ts";
import { complain, EXIT, paintOf, print } from "./output.ts";

/** The flag of a verb that makes what came to nothing a failure. */
export interface StrictFlag {
  readonly strict?: boolean;
}

/** Name and description of the flag, for `option`. */
export const STRICT_OPTION: readonly [flags: string, description: string] = [
  "--strict",
  "fail where a fault never struck, an act came to nothing or a pin matched nothing",
];

/** What came to nothing, and in which scenario or file. */
export interface VacuousIn {
  readonly where: string;
  readonly vacuous: readonly Vacuity[];
}

/**
 * Returns what came to nothing in a check: what its report says, and where no fault struck at all,
 * that.
 */
export function vacuousIn(
  where: string,
  {
    runs,
    faults,
    vacuous = [],
  }: {
    readonly runs: number;
    readonly faults: readonly (readonly [name: string, times: number])[];
    readonly vacuous?: readonly Vacuity[];
  },
): readonly VacuousIn[] {
  if (runs === 1 || faults.some(([, times]) => times > 0)) return [{ where, vacuous }];
  const words = `no fault struck in ${runs} runs`;
  return [{ where, vacuous: [{ kind: "fault-never-struck", path: "", words }] }];
}

/** A part that came to nothing, as JSON documents list it. */
export function listed({ where, vacuous }: VacuousIn): readonly object[] {
  return vacuous.map((one) => ({ scenario: where, ...one }));
}

/** Returns a line for each part that came to nothing. */
export function vacuousLines(all: readonly VacuousIn[], paint: Paint): readonly string[] {
  return all.flatMap(({ where, vacuous }) =>
    vacuous.map(({ words }) => paint.warn(`vacuous: ${where}: ${words}`)),
  );
}

/** Prints what came to nothing; nothing where everything came about, or in a JSON document. */
export function printVacuous(all: readonly VacuousIn[], json: boolean | undefined): void {
  if (json === true) return;
  for (const line of vacuousLines(all, paintOf(process.stdout))) print(line);
}

/**
 * Returns the exit code of a verb: a good one becomes that of a broken promise where something came
 * to nothing and the verb is strict.
 */
export function strictExit(
  exit: number,
  all: readonly VacuousIn[],
  { strict }: StrictFlag,
): number {
  const count = all.reduce((sum, { vacuous }) => sum + vacuous.length, 0);
  if (strict !== true || count === 0) return exit;
  complain(`--strict: ${count === 1 ? "one part" : `${count} parts`} came to nothing`);
  return exit === EXIT.held ? EXIT.broken : exit;
}
