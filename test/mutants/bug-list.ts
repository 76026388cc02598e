import { DISPATCH_BUGS } from "./dispatch-bugs.ts";
import type { Mutant } from "./mutant.ts";
import { RESOLUTION_BUGS } from "./resolution-bugs.ts";

/**
 * Bugs of the specification's list (section B), planted in copies of the manager. I-… are faults for
 * promises that no listed bug breaks here, W-… are listed ones again, in a whole triggerer.
 */
export const MUTANTS: readonly Mutant[] = [...RESOLUTION_BUGS, ...DISPATCH_BUGS];
