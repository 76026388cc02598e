import { PropertyViolation } from "./property-violation.ts";

interface StackHost {
  captureStackTrace?(target: Error, below: unknown): void;
}

/** The frames of `framesBelow` and of `atCallSite`. */
const OWN_FRAMES = 2;

/**
 * Runs a check for the one who called `face`: a violation points at that call, and not into the
 * kit, so that a test runner shows the line of the test.
 */
export async function atCallSite<T>(face: unknown, check: () => Promise<T>): Promise<T> {
  const frames = framesBelow(face);
  try {
    return await check();
  } catch (error) {
    if (error instanceof PropertyViolation) {
      error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n");
    }
    throw error;
  }
}

/** A runtime with proper tail calls has no frame of `face` by now, and leaves none below it. */
function framesBelow(face: unknown): readonly string[] {
  const site = new Error();
  (Error as StackHost).captureStackTrace?.(site, face);
  const frames = framesOf(site);
  return frames.length > 0 ? frames : framesOf(new Error()).slice(OWN_FRAMES);
}

function framesOf({ stack = "" }: Error): readonly string[] {
  return stack.split("\n").filter((line) => /^\s+at /.test(line));
}
