import { LawBroken } from "./state-backend-subject.ts";

/** Returns what `act` throws; undefined when it throws nothing. */
export async function failureOf(
  act: () => Promise<void>,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Returns what was found to differ, whatever it was and should be; or which error was thrown. */
export function identityOf(error: unknown): string {
  return error instanceof LawBroken ? `differs: ${error.what}` : `throws ${nameOf(error)}`;
}

/** Returns the name of an error; the type of what is none. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
