import type { Checker } from "../checker.ts";
import { mayHaveTimedOut, type PollFacts } from "./fact-shapes.ts";

/** I12: a subscriber sees its own events in order, whatever happens to its siblings. */
export const siblingsAreApart: Checker = {
  id: "I12",
  promise: "force-failing a subscriber changes nothing for its siblings: each gets its own events",
  on: {
    deliver(event, facts, report) {
      const sub = facts.subs.get(event.sub);
      if (sub === undefined || sub.group.poll?.isAck !== true) return;
      const awaited = sub.isVisiting ? sub.queue[0] : sub.awaited;
      if (awaited === event.copy || event.copy === 0) return;
      const due = typeof awaited === "number" ? `copy ${awaited}` : awaited;
      if (sub.failure !== undefined) return;
      report(
        "wrong-copy",
        `trigger ${sub.trigger} got copy ${event.copy}, due was ${due ?? "nothing"}`,
      );
    },
  },
  onQuiet(facts, report) {
    for (const sub of facts.waiting) {
      const awaited = sub.isVisiting ? sub.queue[0] : sub.awaited;
      if (typeof awaited !== "number" || sub.hasLeft) continue;
      if (sub.failure !== undefined || sub.group.manager.pausedUntil > facts.now) continue;
      report(
        "not-woken",
        `trigger ${sub.trigger} waits, although event copy ${awaited} is there for it`,
      );
      sub.awaited = undefined;
      if (sub.isVisiting) sub.queue.length = 0;
    }
  },
};

/** I18: a force-failed subscriber gets no more events until it subscribes again. */
export const failedStayOut: Checker = {
  id: "I18",
  promise: "a force-failed subscriber gets its failure and is in no later snapshot",
  on: {
    deliver(event, facts, report) {
      const sub = facts.subs.get(event.sub);
      if (sub === undefined || sub.failure === undefined) return;
      if (sub.awaited === event.copy) return;
      report(
        "delivered-after-failure",
        `trigger ${sub.trigger} got copy ${event.copy} after it had failed (${sub.failure})`,
      );
    },
    advance(event, facts, report) {
      for (const [number, acked, failed, rejected] of event.items) {
        const copy = facts.copies.get(number);
        if (copy === undefined) continue;
        const failedMembers = [...copy.poll.group.subs].filter(
          (sub) => sub.failure !== undefined && !copy.members.has(sub),
        ).length;
        if (failedMembers === 0 || acked + failed + rejected <= copy.members.size) continue;
        report(
          "failed-subscriber-counted",
          `event ${copy.ref} counts a subscriber that had failed before it was broadcast`,
          copy.ref,
        );
      }
    },
  },
};

/** I19: filters see what the producer yielded, in both modes. */
export const rawEventsArriveBare: Checker = {
  id: "I19",
  promise: "a filter sees the raw event as the producer yielded it",
  on: {
    deliver(event, facts, report) {
      if (event.copy === 0) report("no-raw-event", "a filter got something else than a raw event");
      const sub = facts.subs.get(event.sub);
      const place = sub?.group.poll?.places.get(event.copy);
      if (sub === undefined || place === undefined || place === sub.nextPlace) return;
      // What the source yielded just before it joined may be broadcast just after.
      if (!sub.hasStarted && place === sub.nextPlace - 1) return;
      report(
        "wrong-copy",
        `trigger ${sub.trigger} got event ${place} of a fast stream, due was ${sub.nextPlace}`,
      );
    },
  },
  onQuiet(facts, report) {
    for (const sub of facts.waiting) {
      const { poll, ended } = sub.group;
      if (poll === undefined || poll.isAck || ended !== undefined || poll.failings.size > 0)
        continue;
      if (!(sub.isPulling || sub.isVisiting) || sub.nextPlace >= poll.places.size) continue;
      if (sub.failure !== undefined || sub.group.manager.pausedUntil > facts.now) continue;
      report(
        "not-woken",
        `trigger ${sub.trigger} waits, although event ${sub.nextPlace} was broadcast to it`,
      );
      sub.nextPlace = poll.places.size;
    }
  },
};

/** I16: sequence numbers are drawn one by one, and only for a bind that succeeds. */
export const seqsAreUnique: Checker = {
  id: "I16",
  promise: "sequence numbers are unique, and drawn only on a successful bind",
  on: {
    bind(event, facts, report) {
      const manager = facts.managers.get(event.host);
      const sub = facts.subs.get(event.sub);
      if (manager === undefined || sub === undefined) return;
      const { seq } = event;
      if (seq !== null && seq !== manager.nextSeq) {
        report("wrong-seq", `bind drew seq ${seq}, due was ${manager.nextSeq}`);
      }
      if (sub.group.ended !== undefined) return;
      const member = sub.open?.members.get(sub);
      const canBind = member?.fate === "pending";
      if (canBind && seq === null)
        report("no-seq-in-window", "bind gave no seq although a window was open");
      if (!canBind && seq !== null)
        report("seq-without-window", `bind drew seq ${seq} although there is nothing to gate`);
    },
  },
};

/** I17: confirmations of unknown sequence numbers change nothing. */
export const lateConfirmsAreIgnored: Checker = {
  id: "I17",
  promise: "unknown, duplicate and late confirmations are no-ops",
  on: {
    advance(event, facts, report) {
      for (const [number, acked] of event.items) {
        const copy = facts.copies.get(number);
        if (copy === undefined) continue;
        let ackable = 0;
        let failed = 0;
        for (const { fate } of copy.members.values()) {
          if (fate !== "failed" && fate !== "rejected") ackable += 1;
          else failed += 1;
        }
        if (acked <= ackable || failed === 0) continue;
        report(
          "ack-counted-after-failure",
          `event ${copy.ref} counts an ack for a subscriber that had already failed it`,
          copy.ref,
        );
      }
    },
  },
};

/** I22: with nothing outstanding, the manager keeps no events, lanes, sequences or windows. */
export const onlyOutstandingIsKept: Checker = {
  id: "I22",
  promise: "the manager keeps exactly what is outstanding",
  on: {
    outstanding(event, facts, report) {
      const manager = facts.managers.get(event.host);
      if (manager === undefined) return;
      const due = { outstanding: 0, lanes: 0, unconfirmed: 0, perhaps: 0 };
      for (const poll of manager.polls) {
        if (poll.group.ended === "stopped") return;
        if (poll.group.ended === undefined) countDue(poll, event.at, due);
      }
      let windows = 0;
      for (const { group, open } of manager.subs) {
        if (group.ended === undefined && open !== undefined) windows += 1;
      }
      const isDue =
        event.outstanding === due.outstanding &&
        event.lanes === due.lanes &&
        event.windows === windows &&
        event.unconfirmed >= due.unconfirmed &&
        event.unconfirmed <= due.unconfirmed + due.perhaps;
      if (isDue) return;
      const kept = `${event.outstanding} events, ${event.lanes} lanes, ${event.unconfirmed} seqs, ${event.windows} windows`;
      const owed = `${due.outstanding} events, ${due.lanes} lanes, ${due.unconfirmed} seqs, ${windows} windows`;
      report("outstanding-count-differs", `the manager keeps ${kept}; outstanding are ${owed}`);
    },
  },
};

/** `perhaps` are the sequence numbers of subscribers that left and may have timed out meanwhile. */
function countDue(
  poll: PollFacts,
  now: number,
  due: { outstanding: number; lanes: number; unconfirmed: number; perhaps: number },
): void {
  due.lanes += poll.lanes.size;
  for (const lane of poll.lanes.values()) {
    due.outstanding += lane.length;
    for (const { members } of lane) {
      for (const { fate, sub, unconfirmed } of members.values()) {
        if (fate !== "pending" && fate !== "unsure") continue;
        const isOpen = fate === "unsure" || mayHaveTimedOut(sub, now);
        if (isOpen) due.perhaps += unconfirmed.size;
        else due.unconfirmed += unconfirmed.size;
      }
    }
  }
}
