import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";
import { type GroupFacts, isSure, type PollFacts, type SubFacts } from "./fact-shapes.ts";

/** I1: the manager holds a key exactly while its group's poll is alive and accepting. */
export const keysMeanLivePolls: Checker = {
  id: "I1",
  promise: "a key is held exactly while its group's poll is alive and accepting",
  on: {
    groups(event, facts, report) {
      const manager = facts.managers.get(event.host);
      if (manager === undefined) return;
      for (const { failings, group } of manager.polls) {
        if (failings.size === 0 || group.ended !== undefined) continue;
        report(
          "group-outlives-poll",
          `the poll of key ${group.key} has ended, but its group lives on`,
        );
      }
      const held = new Set(event.keys);
      for (const [key, group] of manager.groups) {
        const isAlive = group.ended === undefined;
        if (isAlive === held.has(key)) continue;
        if (isAlive)
          report("key-not-held", `key ${key} has subscribers, but the manager does not hold it`);
        else
          report(
            "key-held-after-poll",
            `key ${key} is held, but its poll is over (${group.ended})`,
          );
      }
      for (const key of held) {
        if (!manager.groups.has(key))
          report("key-held-unsubscribed", `key ${key} is held, but nobody subscribed`);
      }
    },
    factory(event, facts, report) {
      const group = facts.managers.get(event.host)?.groups.get(event.key);
      if (group === undefined || group.ended !== undefined) {
        report(
          "producer-without-group",
          `a producer was created for key ${event.key}, which has no live group`,
        );
      }
    },
  },
};

/** I13: a failed group reports its failure to each subscriber once; a stopped one to none. */
export const failureReachesAll: Checker = {
  id: "I13",
  promise: "a group's failure reaches every subscriber exactly once; a stop reaches none",
  onQuiet(facts, report) {
    for (const sub of facts.owedFailure) {
      if (sub.isDone || sub.hasLeft) continue;
      report(
        "failure-not-reported",
        `trigger ${sub.trigger} waits for its next event, but its stream has failed`,
      );
      facts.owedFailure.delete(sub);
    }
    for (const { group } of facts.failedDrains) {
      for (const sub of group.subs) {
        if (sub.isDone) continue;
        const what = "an advance of its stopped stream has failed";
        report("failure-not-reported", `trigger ${sub.trigger} was not told that ${what}`);
      }
    }
    facts.failedDrains.clear();
    for (const sub of facts.owedEnd) {
      report(
        "end-not-reported",
        `trigger ${sub.trigger} waits for its next event, but its stream is over`,
      );
      facts.owedEnd.delete(sub);
    }
  },
  on: {
    "force-failed"({ trigger, reason, saysOther }, _facts, report) {
      if (saysOther === undefined) return;
      report(
        "wrong-failure",
        `trigger ${trigger} is failed (${reason}) with an error of ${saysOther}`,
      );
    },
    "stream-error"(event, facts, report) {
      const sub = facts.subs.get(event.sub);
      if (sub === undefined) return;
      if (!isWhatFailed(sub, event)) {
        report(
          "wrong-failure",
          `trigger ${sub.trigger} got ${event.error}, which is not what failed`,
        );
      } else if (!isWhatOthersGot(sub, event)) {
        report(
          "wrong-failure",
          `trigger ${sub.trigger} got another ${event.error} than its siblings`,
        );
      }
      if (sub.isDone)
        report("second-failure", `trigger ${sub.trigger} got a second failure (${event.error})`);
      if (sub.failure === undefined) {
        report(
          "failure-without-cause",
          `trigger ${sub.trigger} got ${event.error}, but nothing had failed for it`,
        );
      }
    },
    "visit-failed"(event, facts, report) {
      const sub = facts.subs.get(event.sub);
      if (sub === undefined) return;
      const isSame = event.failure === undefined || sub.visitFailure === event.failure;
      if (sub.visitError === event.error && isSame) return;
      report(
        "wrong-failure",
        `the visit of trigger ${sub.trigger} failed with ${event.error}, its visitor threw ${sub.visitError}`,
      );
    },
    "stream-done"(event, facts, report) {
      const sub = facts.subs.get(event.sub);
      if (sub === undefined || sub.hasLeft || sub.isDone || sub.isReturned) return;
      report(
        "ended-without-failure",
        `trigger ${sub.trigger}'s stream ended without a failure, although it had not left`,
      );
    },
  },
};

type StreamError = Extract<TraceEvent, { kind: "stream-error" }>;

/**
 * Whether an error is the failure that a subscriber must get: the very object. A producer may throw
 * any error.
 */
function isWhatFailed(sub: SubFacts, { error, failure }: StreamError): boolean {
  const { thrown, group, ownFailure } = sub;
  const expected = thrown ?? sub.failure;
  if (expected === undefined) return true;
  if (expected !== "group") {
    return error === expected && (ownFailure === undefined || failure === ownFailure);
  }
  if (error === "AckTimeout" || error === "SubscriberOverflow") return false;
  if (error === "PollTerminated") return group.poll?.failings.has("returned") === true;
  if (group.poll?.failings.has("threw") !== true) return false;
  return failure === undefined || group.causes === undefined || group.causes.has(failure);
}

/** Whether the failure of a group is the same object as the one that an earlier subscriber got. */
function isWhatOthersGot({ thrown, failure: known, group }: SubFacts, event: StreamError): boolean {
  const { failure } = event;
  if ((thrown ?? known) !== "group" || failure === undefined) return true;
  return group.reported === undefined || group.reported === failure;
}

/** I14: aclose exactly once, after the last advance. */
export const closedOnce: Checker = {
  id: "I14",
  promise: "aclose is called exactly once, after the last advance returned",
  on: {
    aclose(event, facts, report) {
      const poll = facts.polls.get(event.poll);
      if (poll === undefined) return;
      if (poll.acloses > 0) report("closed-twice", `producer ${event.poll} was closed twice`);
      if (poll.isInFlight)
        report("closed-during-advance", `producer ${event.poll} was closed during an advance`);
      if (poll.hasFactoryFailed)
        report("closed-never-created", `producer ${event.poll} was closed, but never existed`);
      if (poll.group.ended === undefined)
        report("closed-alive", `producer ${event.poll} was closed while alive`);
    },
    unsubscribed(event, facts, report) {
      const group = facts.subs.get(event.sub)?.group;
      if (group?.lastLeaver !== event.sub || group.poll === undefined) return;
      if (!owesClose(group.poll)) return;
      report(
        "unsubscribed-before-close",
        `the last unsubscribe of key ${group.key} returned before its producer was closed`,
      );
    },
    stopped(event, facts, report) {
      const manager = facts.managers.get(event.host);
      // Of several calls a later one finds nothing to stop, and returns at once.
      if (manager === undefined || manager.stops > 1) return;
      for (const { poll, group, isAck, acloses, hasFactoryFailed } of manager.polls) {
        if (group.ended !== "stopped" || !isAck || acloses > 0 || hasFactoryFailed) continue;
        report(
          "stopped-before-close",
          `stopAll returned before producer ${poll} of key ${group.key} was closed`,
        );
      }
    },
    advance(event, facts, report) {
      const poll = facts.polls.get(event.poll);
      if ((poll?.acloses ?? 0) > 0)
        report("advanced-after-close", `producer ${event.poll} advanced after it was closed`);
    },
  },
  onEnd(facts, report) {
    for (const poll of facts.polls.values()) {
      if (!owesClose(poll)) continue;
      report("never-closed", `producer ${poll.poll} of key ${poll.group.key} was never closed`);
    }
  },
};

function owesClose(poll: PollFacts): boolean {
  const { group, isAck, acloses, hasFactoryFailed, isInFlight } = poll;
  return group.ended !== undefined && isAck && acloses === 0 && !hasFactoryFailed && !isInFlight;
}

/** I15: a stopping group settles what is resolved, and only that. */
export const stopDrains: Checker = {
  id: "I15",
  promise: "on stop, everything resolved at a lane's head is advanced before the producer closes",
  on: {
    aclose(event, facts, report) {
      const poll = facts.polls.get(event.poll);
      if (poll === undefined || poll.hasFailedAdvance) return;
      for (const name of poll.ready) {
        const head = poll.lanes.get(name)?.[0];
        if (head === undefined || head.resolvedAt >= event.at || !isSure(head)) continue;
        report(
          "closed-unadvanced",
          `event ${head.ref} was resolved, but its producer closes without advancing it`,
          head.ref,
        );
      }
    },
  },
  onQuiet(facts, report) {
    for (const poll of facts.readyPolls) {
      if (poll.group.ended === undefined || poll.acloses > 0) continue;
      const [name = ""] = poll.ready;
      const head = poll.lanes.get(name)?.[0];
      if (head === undefined || !isSure(head)) continue;
      report(
        "stopping-not-advanced",
        `lane ${name} is resolved in a stopping group, and nobody advances it`,
      );
    }
  },
};

/** I20: a group's stream is opened once, and not before or after its grace period is over. */
export const onePollPerGroup: Checker = {
  id: "I20",
  promise: "the factory and openStream run once per group, when its grace period is over",
  on: {
    factory(event, facts, report) {
      const group = facts.managers.get(event.host)?.groups.get(event.key);
      if (group?.ended === undefined && group?.poll !== undefined) {
        report("second-producer", `a second producer was created for key ${event.key}`);
      }
      judgeOpening(group, event.at, report);
    },
    open(event, facts, report) {
      const group = facts.managers.get(event.host)?.groups.get(event.key);
      // The stream of a producer is opened right after the factory ran, which was judged.
      if (event.ack) return;
      judgeOpening(group, event.at, report);
      if (group?.ended !== undefined || group?.poll === undefined) return;
      report("second-producer", `a second stream was opened for key ${event.key}`);
    },
  },
};

/** Who joins meanwhile does not prolong it; a host that stood still opens as soon as it goes on. */
function judgeOpening(group: GroupFacts | undefined, at: number, report: Report): void {
  if (group === undefined || group.ended !== undefined || group.poll !== undefined) return;
  const { key, createdAt, manager } = group;
  const { graceMs, pausedUntil } = manager;
  const dueAt = createdAt + graceMs;
  if (at >= dueAt && at <= Math.max(dueAt, pausedUntil)) return;
  report(
    "opened-off-time",
    `the stream of key ${key} opens ${at - createdAt} ms after its group was made, whose grace period is ${graceMs} ms`,
  );
}

/** Code that throws out of the manager would take its triggerer down. */
export const managerDoesNotThrow: Checker = {
  id: "no-throw",
  promise: "no method of the manager throws",
  on: {
    "manager-threw"({ method, error }, _facts, report) {
      report("method-threw", `${method} threw ${error}`);
    },
  },
};
