import type { TaskCheckpointed } from "./task-checkpointed.ts";
import type { TaskDeferred } from "./task-deferred.ts";
import type { TaskRescheduled } from "./task-rescheduled.ts";

export type TaskSignal = TaskDeferred | TaskCheckpointed | TaskRescheduled;

/** Per operator, the signals raised since its runner last asked. */
const raisedBy = new WeakMap<object, TaskSignal[]>();

/** Throws `signal`, and records it so that the runner notices if a catch block swallows it. */
export function raise(operator: object, signal: TaskSignal): never {
  raisedBy.set(operator, [...(raisedBy.get(operator) ?? []), signal]);
  // Deliberately not an Error: see TaskDeferred.
  throw signal as unknown;
}

/** Returns what `operator` raised since the last call, oldest first. */
export function takeRaised(operator: object): readonly TaskSignal[] {
  const raised = raisedBy.get(operator) ?? [];
  raisedBy.delete(operator);
  return raised;
}
