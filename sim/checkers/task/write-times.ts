import type { Checker } from "../checker.ts";
import { HttpRequests } from "./http-requests.ts";
import type { KeptKey } from "./key-history.ts";
import { notedBy } from "./shown-state.ts";
import type { TaskFacts } from "./task-facts.ts";

/** When an attempt may have asked for a write that it then has sent, and from where. */
interface Sent {
  readonly host: string;
  readonly from: number;
  readonly at: number;
}

/** What an attempt did last with its state. */
interface Steps {
  sentAt: number;
  gotAt: number;
}

/**
 * R-dated: the time that is shown of an entry is the time at which its value was written, by the
 * clock of its writer.
 *
 * Allowed:
 *
 * 1. Of what the platform itself has written no time is known.
 * 2. A write that compares dates its value, reads the entry, and sends it: where an attempt has
 *    read before it sends, the time may be any since it has sent something before.
 */
export function entriesAreDated(): Checker<TaskFacts> {
  const requests = new HttpRequests();
  const sent = new Map<string, Sent[]>();
  const steps = new Map<number, Steps>();
  const idOf = (attempt: number, key: string, value: string): string =>
    JSON.stringify([attempt, key, value]);

  /** Whether a time is that of the write of an entry. */
  const isTimeOf = (scope: string, key: string, kept: KeptKey, time: number | null): boolean => {
    const { attempt, value, since } = kept;
    if (attempt === 0) {
      const asked = requests.writing(scope, key, value);
      if (asked === undefined) return true;
      const [least, most] = requests.apiRange(asked.at, since);
      return time !== null && least <= time && time <= most;
    }
    const sends = sent.get(idOf(attempt, key, value)) ?? [];
    return sends.some(({ host, from, at }) => {
      const [least, most] = requests.clocks.rangeOf(host, from, at);
      return at <= since && time !== null && least <= time && time <= most;
    });
  };
  return {
    id: "R-dated",
    promise: "the time of an entry is that of its write, by its writer's clock",
    on: {
      ...notedBy(requests),
      attempt: ({ attempt, at }) => void steps.set(attempt, { sentAt: at, gotAt: -1 }),
      "state-got"({ attempt, at }) {
        const step = steps.get(attempt);
        if (step !== undefined) step.gotAt = at;
      },
      "state-sent"({ attempt, key, value, host, at }) {
        const step = steps.get(attempt);
        if (step === undefined) return;
        const hasCompared = step.gotAt >= step.sentAt;
        const id = idOf(attempt, key, value);
        const one = { host, from: hasCompared ? step.sentAt : at, at };
        sent.set(id, [...(sent.get(id) ?? []), one]);
        step.sentAt = at;
      },
      "http-answered"({ request, shown }, { jobs }, report) {
        const asked = requests.answered(request);
        for (const { key, value, updatedAt } of asked === undefined ? [] : shown) {
          const { scope, at } = asked as { scope: string; at: number };
          const held = jobs.keys.heldSince(scope, key, at).filter((one) => one?.value === value);
          // What is not held is a matter of R-shown.
          if (held.length === 0) continue;
          if (held.some((kept) => kept && isTimeOf(scope, key, kept, updatedAt))) continue;
          const shownTime = updatedAt === null ? "at no time" : `at ${updatedAt}`;
          report(
            "dated-wrongly",
            `"${key}" of ${scope} is shown as ${value}, written ${shownTime}`,
          );
        }
      },
    },
  };
}
