/**
 * Thrown when this package itself is wrong; never caught, and never logged and ignored.
 *
 * It has no base class in common with the errors that a caller may catch, so that no `catch` for
 * those can swallow it. The command line ends with exit code 3.
 */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

/**
 * Asserts a condition that holds unless our own code is wrong.
 *
 * @throws {InvariantViolation} when `condition` is false
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}
