import type { TaskContext } from "./context.ts";
import { UnknownResumeMethod } from "./errors.ts";

/** What goes on after a checkpoint or a deferral; `argument` is the job's id, or the event. */
export type ResumeMethod = (
  ctx: TaskContext,
  argument: unknown,
  kwargs: Readonly<Record<string, unknown>>,
) => unknown;

/**
 * Returns the operator's method of this name; `operatorName` is what an error calls the operator.
 *
 * @throws {UnknownResumeMethod} when it has none, be it that every object has one that is called so
 */
export function resumeMethodOf(
  operator: object,
  methodName: string,
  operatorName: string,
): ResumeMethod {
  const method = methodIn(operator, methodName);
  const isOfAll = methodName === "constructor" || method === methodIn(Object.prototype, methodName);
  if (typeof method !== "function" || isOfAll) {
    throw new UnknownResumeMethod(operatorName, methodName);
  }
  return method.bind(operator) as ResumeMethod;
}

function methodIn(owner: object, name: string): unknown {
  return (owner as Readonly<Record<string, unknown>>)[name];
}
