import {
  AckTimeout,
  type ForceFailure,
  type SharedStreamObserver,
  SubscriberOverflow,
} from "../../src/shared-stream/mod.ts";
import { textFromKey } from "./key-text.ts";
import type { Life } from "./life.ts";
import type { TraceIds } from "./trace-ids.ts";

/** Returns what the error of a failure names, if that is not the trigger and event that failed. */
function otherThanReported({ triggerId, eventId, error }: ForceFailure): string | undefined {
  if (error instanceof SubscriberOverflow) {
    return error.triggerId === triggerId ? undefined : `trigger ${error.triggerId}`;
  }
  if (!(error instanceof AckTimeout)) return undefined;
  if (error.triggerId === triggerId && error.eventId === eventId) return undefined;
  return `trigger ${error.triggerId} and event ${error.eventId}`;
}

/** Returns an observer that traces which subscribers and which groups a manager failed. */
export function observerOf(life: Life, ids: TraceIds): SharedStreamObserver {
  return {
    onForceFailed(failure) {
      const { triggerId: trigger, key, reason, error } = failure;
      const saysOther = otherThanReported(failure);
      life.trace({
        kind: "force-failed",
        trigger,
        key: textFromKey(key),
        reason,
        failure: ids.failureOf(error),
        ...(saysOther === undefined ? {} : { saysOther }),
      });
    },
    onGroupFailed: ({ key }) => life.trace({ kind: "group-failed", key: textFromKey(key) }),
  };
}
