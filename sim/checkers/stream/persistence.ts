import type { Checker } from "../checker.ts";
import type { CopyFacts } from "./fact-shapes.ts";
import { FiredAlone } from "./fired-alone.ts";

interface AdvancedCopy {
  readonly copy: CopyFacts;
  readonly acked: number;
  readonly failed: number;
  readonly rejected: number;
}

/** I23: with `strictPersistence`, a clean event is persisted without exception. */
export function persistedWhenClean(): Checker {
  return {
    id: "I23",
    promise: "no event is advanced as clean unless all it led to was confirmed persisted",
    on: {
      advance(event, facts, report) {
        for (const [number, , , , clean] of event.items) {
          const copy = facts.copies.get(number);
          if (copy === undefined || !clean || !copy.poll.group.manager.strict) continue;
          const { confirmed } = copy.poll.group.manager;
          for (const { event: derived, seq } of copy.derived) {
            if (typeof seq === "number" && confirmed.has(seq)) continue;
            report(
              "clean-unconfirmed",
              `event ${copy.ref} is clean, but trigger event ${derived} was not confirmed`,
              copy.ref,
            );
          }
        }
      },
    },
  };
}

/**
 * At least once: a record is settled only when no subscriber needs it any more.
 *
 * Allowed without `strictPersistence`, as in Airflow (E-02): 1. a filter works on an event; 2.
 * the group is evicted, by a stop or a failure; 3. the filter yields, and the bind finds no group;
 * 4. the filter moves on, which counts as acked; 5. a drain that still runs settles the event,
 * although the trigger event may never be persisted.
 */
export function atLeastOnce(): Checker {
  const advanced = new Map<string, AdvancedCopy[]>();
  const persisted = new Set<number>();
  const deadLettered = new Set<string>();
  return {
    id: "at-least-once",
    promise:
      "no record is settled on the broker unless its subscribers accepted or rejected it and all they derived is persisted",
    on: {
      advance(event, facts) {
        for (const [number, acked, failed, rejected] of event.items) {
          const copy = facts.copies.get(number);
          if (copy === undefined) continue;
          const known = advanced.get(copy.ref) ?? [];
          known.push({ copy, acked, failed, rejected });
          advanced.set(copy.ref, known);
        }
      },
      persisted(event) {
        persisted.add(event.event);
      },
      "dead-lettered"(event) {
        deadLettered.add(event.ref);
      },
      settled({ ref }, _facts, report) {
        const tries = advanced.get(ref) ?? [];
        advanced.delete(ref);
        const why = tries.map((one) => whyNotSettled(one, persisted, deadLettered));
        // Nobody asks for them again, and a long run has many.
        for (const { copy } of tries) for (const { event } of copy.derived) persisted.delete(event);
        if (why.some((reason) => reason === undefined)) return;
        report(
          "settled-unresolved",
          `record ${ref} was settled, but ${why.at(-1) ?? "nobody had resolved it"}`,
          ref,
        );
      },
    },
  };
}

function whyNotSettled(
  { copy, acked, failed, rejected }: AdvancedCopy,
  persisted: ReadonlySet<number>,
  deadLettered: ReadonlySet<string>,
): string | undefined {
  if (failed > 0) return `${failed} of its subscribers had failed it`;
  if (acked + rejected === 0) return "nobody was there to accept it";
  if (rejected > 0 && !deadLettered.has(copy.ref)) return "it was rejected and not dead-lettered";
  const { strict } = copy.poll.group.manager;
  for (const { event, seq } of copy.derived) {
    if (persisted.has(event)) continue;
    if ((seq === null || seq === undefined) && !strict) continue;
    return `trigger event ${event} was not persisted`;
  }
  return undefined;
}

/**
 * Liveness: when the faults are over, every record is settled in the end, and what triggers without
 * a stream fired is stored. What was fired on a host that crashed may be lost; the trigger reads
 * its source anew.
 */
export function everythingSettles(): Checker {
  const owed = new Map<string, number>();
  const firedAlone = new FiredAlone();
  const rejected = new Set<string>();
  const deadLettered = new Set<string>();
  return {
    id: "settled",
    promise:
      "everything published is in the end settled as its outcome demands, and what fires alone is stored",
    on: {
      "fired-alone"(event) {
        firedAlone.observe(event);
      },
      persisted(event) {
        firedAlone.observe(event);
      },
      host(event) {
        firedAlone.observe(event);
      },
      published(event) {
        owed.set(event.ref, event.at);
      },
      settled(event) {
        owed.delete(event.ref);
      },
      advance(event, facts) {
        for (const [number, , failed, refused] of event.items) {
          const copy = facts.copies.get(number);
          if (copy !== undefined && refused > 0 && failed === 0) rejected.add(copy.ref);
        }
      },
      "dead-lettered"(event, _facts, report) {
        deadLettered.add(event.ref);
        if (!rejected.has(event.ref))
          report(
            "dead-lettered-unrejected",
            `record ${event.ref} was dead-lettered, unrejected`,
            event.ref,
          );
      },
    },
    onEnd(_facts, report) {
      for (const [ref, at] of owed)
        report("not-settled", `record ${ref}, published at ${at} ms, is not settled`, ref);
      for (const { event, trigger, ref } of firedAlone.owed)
        report("fired-unstored", `trigger event ${event} of trigger ${trigger} is not stored`, ref);
    },
  };
}
