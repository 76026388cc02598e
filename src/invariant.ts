/**
 * Thrown when the kit itself is wrong: never caught, never logged and continued.
 *
 * It shares no base class with the errors that a caller may catch, so that no `catch` for
 * a failing world can swallow it. The command line answers it with exit code 3.
 */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

/**
 * States what must be true here if our own code is right.
 *
 * @throws {InvariantViolation} when `condition` is false
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}
