import { PropertyViolation } from "./property-violation.ts";

interface StackHost {
  captureStackTrace?(target: Error, below: unknown): void;
}

/**
 * Runs a check for the one who called `face`: a violation points at that call, and not into the
 * kit, so that a test runner shows the line of the test.
 */
export async function atCallSite<T>(face: unknown, check: () => Promise<T>): Promise<T> {
  const site = new Error();
  (Error as StackHost).captureStackTrace?.(site, face);
  try {
    return await check();
  } catch (error) {
    if (error instanceof PropertyViolation) error.stack = stackFrom(error, site);
    throw error;
  }
}

function stackFrom(error: Error, { stack = "" }: Error): string {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${error.message}`, ...frames].join("\n");
}
