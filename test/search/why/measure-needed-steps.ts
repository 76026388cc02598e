/**
 * Explains a failing run of each planted bug whose needed step is known, or of those that are
 * named, and prints of how many the step is among the named choices: `npm run measure:why`.
 */
import { MutantSandbox } from "../../mutants/mutant-sandbox.ts";
import { type StepVerdict, stepCounts, stepLine, verdictOnStep } from "./named-steps.ts";
import { MANAGER_STEPS } from "./needed-steps.ts";

const PERCENT_MIN = 90;

using sandbox = new MutantSandbox();
const bugs = process.argv.length > 2 ? process.argv.slice(2) : [...MANAGER_STEPS.keys()];
const verdicts: StepVerdict[] = [];
for (const bug of bugs) {
  const verdict = await verdictOnStep(sandbox, bug);
  verdicts.push(verdict);
  console.log(stepLine(verdict));
}
const { percent, line } = stepCounts(verdicts);
console.log(line);
if (percent < PERCENT_MIN) process.exitCode = 1;
