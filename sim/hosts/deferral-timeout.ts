import type { TaskDeferred } from "../../src/operator/mod.ts";
import { millisecondsFrom } from "../../src/time/mod.ts";

type Waiting = Pick<TaskDeferred, "timeout">;

/** Returns how long a deferral may wait, in milliseconds; undefined: for ever. */
export function deferralTimeoutMs({ timeout }: Waiting): number | undefined {
  return timeout && millisecondsFrom(timeout, "timeout");
}

/** Returns when a deferral that is made now times out; undefined: never. */
export function deferralTimesOutAt(deferral: Waiting | undefined, now: number): number | undefined {
  const ms = deferral && deferralTimeoutMs(deferral);
  return ms === undefined ? undefined : now + ms;
}
