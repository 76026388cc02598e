import type { TaskCheckpointed } from "./task-checkpointed.ts";
import type { TaskDeferred } from "./task-deferred.ts";

export type TaskSignal = TaskDeferred | TaskCheckpointed;

/** By operator: what it raised and its runner has not asked about yet. */
const raisedBy = new WeakMap<object, TaskSignal[]>();

/** Throws `signal`, and remembers that `operator` did, so that its runner can miss it. */
export function raise(operator: object, signal: TaskSignal): never {
  raisedBy.set(operator, [...(raisedBy.get(operator) ?? []), signal]);
  // A signal is no Error on purpose: see TaskDeferred.
  throw signal as unknown;
}

/** What `operator` raised since the last call, oldest first. */
export function takeRaised(operator: object): readonly TaskSignal[] {
  const raised = raisedBy.get(operator) ?? [];
  raisedBy.delete(operator);
  return raised;
}
