import * as fc from "fast-check";
import { LawBroken, type LawSettings } from "./state-backend-subject.ts";

/**
 * Runs a property and, when it fails, says the smallest failing case in words.
 *
 * @throws {LawBroken} with the steps, what was found, and the seed and path that find it again
 */
export async function runProperty<T>(
  property: fc.IAsyncProperty<T>,
  { numRuns, seed }: LawSettings,
): Promise<void> {
  const details = await fc.check(property, { numRuns, seed });
  if (!details.failed) return;
  const found = details.errorInstance;
  const reason = found instanceof Error ? found.message : String(found);
  const steps = stepsOf(details.counterexample);
  const again = `seed ${seed}, path "${details.counterexamplePath ?? ""}"`;
  throw new LawBroken(`${steps}${reason} (found again by ${again})`, { cause: found });
}

/**
 * The commands that ran, numbered; nothing for a property of plain values, whose message names
 * them.
 */
function stepsOf(counterexample: unknown): string {
  if (!Array.isArray(counterexample)) return "";
  const commands: unknown = counterexample.at(-1);
  if (!isIterable(commands)) return "";
  const ran = [...commands].filter((command) => (command as { hasRan?: boolean }).hasRan === true);
  return ran.map((command, at) => `${at + 1}. ${String(command)}; `).join("");
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}
