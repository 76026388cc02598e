import type { ExecutionContext } from "faultlane";
import type { CheckedJob, CreateJob, JobClient } from "faultlane/check";

const ENDED: readonly string[] = ["done", "failed"];
/** A new job may not be listed for a few seconds. */
const PATIENCE_MS = 10_000;
const POLL_EVERY_MS = 5_000;

/**
 * A refresh that a webhook starts. The reply has no id: nothing can be stored, and a retry after a
 * lost worker starts a second refresh beside the first. Run only what may be run twice like this.
 *
 * 1. `submitJob` returns null, not a text made of it: "undefined" would be stored, and looked up.
 * 2. The page of the webhook lists refreshes by their tag, so the poll waits for the newest one that
 *    was not there before.
 * 3. No kill can cancel a refresh that cannot be named.
 */
class Refresh implements CheckedJob {
  readonly #webhook: JobClient;
  readonly #tag: string;
  #newestBefore = 0;

  constructor(webhook: JobClient, tag: string) {
    this.#webhook = webhook;
    this.#tag = tag;
  }

  async submitJob(): Promise<null> {
    this.#newestBefore = (await this.#newest())?.submittedAt ?? 0;
    await this.#webhook.submit({ jobType: "refresh", tag: this.#tag });
    return null;
  }

  async getJobStatus(): Promise<string> {
    const status = await this.#ownStatus();
    if (status !== "missing") return status;
    await pause(PATIENCE_MS);
    return this.#ownStatus();
  }

  isJobActive(status: string): boolean {
    return !ENDED.includes(status);
  }

  isJobSucceeded(status: string): boolean {
    return status === "done";
  }

  async pollUntilComplete(): Promise<void> {
    for (;;) {
      const status = await this.getJobStatus();
      if (this.isJobSucceeded(status)) return;
      if (status === "missing") throw new Error("The refresh is not listed");
      if (!this.isJobActive(status)) throw new Error(`The refresh ended as "${status}"`);
      await pause(POLL_EVERY_MS);
    }
  }

  getJobResult(): null {
    return null;
  }

  onKill(_executionContext: ExecutionContext | null): void {
    // There is nothing by which to cancel it.
  }

  async #ownStatus(): Promise<string> {
    const newest = await this.#newest();
    const isOwn = newest !== undefined && newest.submittedAt > this.#newestBefore;
    return isOwn ? newest.status : "missing";
  }

  async #newest(): Promise<{ submittedAt: number; status: string } | undefined> {
    return (await this.#webhook.find({ tag: this.#tag, last: 1 })).at(-1);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export const createJob: CreateJob = (webhook, { task }) => new Refresh(webhook, task);
