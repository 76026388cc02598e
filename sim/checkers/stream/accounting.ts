import type { AdvancedItem } from "../../trace/trace.ts";
import type { Checker } from "../checker.ts";
import { type CopyFacts, type MemberFacts, mayHaveTimedOut } from "./fact-shapes.ts";

/** I2: the subscribers that must resolve an event are fixed when it is broadcast. */
export const snapshotAtFanOut: Checker = {
  id: "I2",
  promise: "the set that must resolve an event is frozen when it is broadcast",
  on: {
    deliver(event, facts, report) {
      const sub = facts.subs.get(event.sub);
      if (sub === undefined || event.copy === 0) return;
      const copy = facts.copies.get(event.copy) ?? sub.open;
      if (copy === undefined || !copy.poll.isAck || copy.copy !== event.copy) return;
      if (copy.members.has(sub)) return;
      report(
        "joined-after-broadcast",
        `subscription ${event.sub} got event ${copy.ref}, broadcast before it joined`,
        copy.ref,
      );
    },
  },
};

/** I3: the counts of an outcome are those of the snapshot, each member once. */
export const countsAddUp: Checker = {
  id: "I3",
  promise: "acked + failed + rejected is the size of the snapshot, each member counted once",
  on: {
    advance(event, facts, report) {
      for (const item of event.items) {
        const copy = facts.copies.get(item[0]);
        if (copy === undefined) continue;
        const wrong = miscountOf(copy, item);
        if (wrong !== undefined) report("wrong-snapshot", `event ${copy.ref}: ${wrong}`, copy.ref);
      }
    },
  },
};

function miscountOf(copy: CopyFacts, item: AdvancedItem): string | undefined {
  const [, acked, failed, rejected, clean] = item;
  const size = copy.members.size;
  const told = `acked ${acked}, failed ${failed}, rejected ${rejected}`;
  if (acked + failed + rejected !== size) return `${told}, but ${size} were in its snapshot`;
  const isClean = acked > 0 && failed === 0 && rejected === 0;
  if (clean !== isClean) return `${told} was called ${clean ? "clean" : "not clean"}`;
  const known = { acked: 0, failed: 0, rejected: 0 };
  let open = 0;
  for (const { fate } of copy.members.values()) {
    if (fate === "unsure" || fate === "pending") open += 1;
    else known[fate] += 1;
  }
  const isShort = acked < known.acked || failed < known.failed || rejected < known.rejected;
  // Nobody rejects by leaving or by a time-out, so that no fate that is unsure is a reject.
  if (!isShort && rejected <= rejectsOf(copy)) return undefined;
  const seen = `acked ${known.acked}, failed ${known.failed}, rejected ${known.rejected}`;
  return `${told}, but its subscribers did otherwise: ${seen}${open > 0 ? `, ${open} open` : ""}`;
}

function rejectsOf({ members }: CopyFacts): number {
  let rejects = 0;
  for (const { hasRejected } of members.values()) if (hasRejected) rejects += 1;
  return rejects;
}

/** I4: nothing counts as acked before its window is closed and its trigger events are persisted. */
export const persistGate: Checker = {
  id: "I4",
  promise:
    "a subscriber acks only once its window is closed and all it derived is confirmed persisted",
  on: {
    advance(event, facts, report) {
      for (const [number, acked] of event.items) {
        const copy = facts.copies.get(number);
        if (copy === undefined) continue;
        const held = heldBack(copy);
        const ackable = copy.members.size - held.length - countOf(copy, "failed", "rejected");
        if (acked <= ackable) continue;
        const first = held[0];
        if (first === undefined) continue;
        report(
          "wrong-ack",
          `event ${copy.ref} was acked for trigger ${first.sub.trigger}, ${whyHeld(first)}`,
          copy.ref,
        );
      }
    },
  },
};

function heldBack(copy: CopyFacts): MemberFacts[] {
  return [...copy.members.values()].filter(
    (member) => member.fate === "pending" && (!member.isClosed || member.unconfirmed.size > 0),
  );
}

function countOf(copy: CopyFacts, ...fates: readonly string[]): number {
  let count = 0;
  for (const { fate } of copy.members.values()) if (fates.includes(fate)) count += 1;
  return count;
}

function whyHeld(member: MemberFacts): string {
  if (!member.isClosed) return "which had not moved past it";
  return `whose trigger event (seq ${[...member.unconfirmed].join(", ")}) was not confirmed`;
}

/** I9: no event reaches the producer while a subscriber still has to resolve it. */
export const nothingPendingAdvances: Checker = {
  id: "I9",
  promise: "no event with a pending member is handed to advance",
  on: {
    advance(event, facts, report) {
      for (const [number] of event.items) {
        const copy = facts.copies.get(number);
        for (const member of copy?.members.values() ?? []) {
          if (member.fate !== "pending" || mayHaveTimedOut(member.sub, event.at)) continue;
          report(
            "advanced-pending",
            `event ${copy?.ref} was advanced, pending on trigger ${member.sub.trigger}`,
            copy?.ref,
          );
        }
      }
    },
  },
};

/** The time-out of those who have left shows only when the event is advanced, which has to wait. */
function hasOnlyLeavers(copy: CopyFacts): boolean {
  for (const { fate, sub } of copy.members.values()) {
    if (fate === "pending" && !sub.hasLeft) return false;
  }
  return true;
}

/** The first scan of the poll at which an event is overdue. */
function scanThatFails({ at, poll }: CopyFacts): number {
  const { ackTimeoutMs, cadenceMs } = poll.group.manager;
  const scans = Math.ceil((at + ackTimeoutMs - poll.openedAt) / cadenceMs);
  return poll.openedAt + scans * cadenceMs;
}

/** I11: no subscriber holds an event for longer than the ack timeout and one scan. */
export const timeoutsAreKept: Checker = {
  id: "I11",
  promise: "every event is resolved within the ack timeout and one scan of its broadcast",
  onQuiet(facts, report) {
    for (const manager of facts.managers.values()) {
      if (facts.restedUntil < manager.pausedUntil + manager.cadenceMs) continue;
      for (const poll of manager.polls) {
        const copy = poll.byAge[0];
        if (copy === undefined || copy.pending === 0 || poll.group.ended !== undefined) continue;
        if (poll.isInFlight && hasOnlyLeavers(copy)) continue;
        if (facts.restedUntil < scanThatFails(copy)) continue;
        if (poll.openedAt < manager.pausedUntil) continue;
        report(
          "still-pending",
          `event ${copy.ref} is still pending after ${facts.restedUntil - copy.at} ms`,
          copy.ref,
        );
      }
    }
  },
  on: {
    "force-failed"(event, facts, report) {
      if (event.reason !== "ackTimeout") return;
      const sub = facts.forceFailed(event);
      if (sub === undefined) return;
      const { ackTimeoutMs } = sub.group.manager;
      for (const copy of sub.pendingCopies) if (event.at - copy.at >= ackTimeoutMs) return;
      report(
        "timed-out-too-early",
        `trigger ${event.trigger} timed out, but held no event for ${ackTimeoutMs} ms`,
      );
    },
  },
};
