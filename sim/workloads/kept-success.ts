import type { ResumeContext } from "../../src/resumable/mod.ts";
import { textFromJobId } from "../jobs/job-id.ts";

const KEY = "succeeded_job";

/**
 * Remembers in the task's own store that a job succeeded, and with what: where finished jobs are
 * cleaned away, nobody else knows it later. Failures are not remembered, they may be asked again.
 *
 * Source: spec, task state store and resumable jobs, E65 and E66
 */
export async function keepSuccess(ctx: ResumeContext, id: unknown, output: string): Promise<void> {
  await ctx.taskStateStore?.set(KEY, { id, output });
}

/** What the job ended with, if it is the one that is remembered. */
export async function keptOutput(
  ctx: ResumeContext | undefined,
  id: unknown,
): Promise<string | undefined> {
  const kept = await ctx?.taskStateStore?.get(KEY);
  if (typeof kept !== "object" || kept === null || !("id" in kept) || !("output" in kept)) {
    return undefined;
  }
  const isSame = textFromJobId(kept.id) === textFromJobId(id);
  return isSame && typeof kept.output === "string" ? kept.output : undefined;
}
