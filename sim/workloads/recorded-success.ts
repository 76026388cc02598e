import type { ResumeContext } from "../../src/resumable/mod.ts";
import type { JsonValue } from "../../src/store/mod.ts";
import { textFromJobId } from "../jobs/job-id.ts";

/** The default key of the record; a task with several jobs has one for each. */
export const SUCCESS_KEY = "succeeded_job";

/**
 * Stores in the task's state that a job has succeeded, and its output, for systems that delete
 * finished jobs. Failures are not stored: a failed job may be submitted again.
 *
 * Without it a finished job is run again (E65), or one that vanished counts as a success (E66).
 */
export async function recordSuccess(
  ctx: ResumeContext,
  id: unknown,
  { key, output }: { readonly key: string; readonly output: string },
): Promise<void> {
  // An id that is no JSON value was refused when the mixin stored it.
  await ctx.taskStateStore?.set(key, { id: id as JsonValue, output });
}

/** Returns the stored output of the job, if the stored success is that of this job. */
export async function recordedOutput(
  ctx: ResumeContext | undefined,
  id: unknown,
  key: string,
): Promise<string | undefined> {
  const kept = await ctx?.taskStateStore?.get(key);
  if (typeof kept !== "object" || kept === null || !("id" in kept) || !("output" in kept)) {
    return undefined;
  }
  const isSame = textFromJobId(kept.id) === textFromJobId(id);
  return isSame && typeof kept.output === "string" ? kept.output : undefined;
}
