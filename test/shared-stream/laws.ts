import { isDeepStrictEqual } from "node:util";
import type { Fact, FactOf, ItemFact, Run } from "./facts.ts";

/**
 * The promises I1 to I24, each a pure function of a run: what it finds broken, in words; nothing
 * when it holds.
 *
 * @module
 */
export type Law = (run: Run) => readonly string[];

type Advanced = FactOf<"advanced">;
type Rest = FactOf<"rest">;

function only<Kind extends Fact["kind"]>({ facts }: Run, kind: Kind): readonly FactOf<Kind>[] {
  return facts.filter((fact): fact is FactOf<Kind> => fact.kind === kind);
}

function groupsOf(run: Run): readonly number[] {
  return [...new Set(only(run, "joined").map(({ group }) => group))];
}

function factsOfGroup({ facts }: Run, group: number): readonly Fact[] {
  return facts.filter((fact) => "group" in fact && fact.group === group);
}

function itemsOf(run: Run): readonly ItemFact[] {
  return only(run, "advanced").flatMap(({ items }) => items);
}

/** Who was there when an event was broadcast. */
function membersOf(run: Run, event: number): readonly number[] {
  return only(run, "broadcast").find((fact) => fact.event === event)?.members ?? [];
}

/** Pairs of a batch and all that happened before it. */
function batchesOf({ facts }: Run): readonly (readonly [Advanced, readonly Fact[]])[] {
  return facts.flatMap((fact, at) =>
    fact.kind === "advanced" ? [[fact, facts.slice(0, at)] as const] : [],
  );
}

/** The stretch in which a subscriber sat on an event: what it did there, and whether it is over. */
function sitting(facts: readonly Fact[], sub: number, event: number) {
  const from = facts.findIndex(
    (fact) => fact.kind === "handed" && fact.sub === sub && fact.event === event,
  );
  if (from === -1) return undefined;
  const after = facts.slice(from + 1).filter((fact) => "sub" in fact && fact.sub === sub);
  const end = after.findIndex(({ kind }) => kind === "asked" || kind === "left");
  const during = end === -1 ? after : after.slice(0, end);
  const bounds = during.filter((fact): fact is FactOf<"bound"> => fact.kind === "bound");
  return { bounds, end: end === -1 ? undefined : after[end]?.kind };
}

function isConfirmed(facts: readonly Fact[], seq: number): boolean {
  return facts.some((fact) => fact.kind === "confirmed" && fact.seqs.includes(seq));
}

/** At each rest, what `view` finds of ours is what it finds of the model. */
function likeTheModel(view: (of: Rest["view"]) => unknown): Law {
  return (run) =>
    only(run, "rest")
      .filter(({ view: ours, model }) => !isDeepStrictEqual(view(ours), view(model)))
      .map(
        ({ view: ours, model }) =>
          `ours shows ${JSON.stringify(view(ours))}, the model ${JSON.stringify(view(model))}`,
      );
}

/** I1 */
export const keyIsHeldWhileThePollLives: Law = likeTheModel(({ keys }) => keys.toSorted());

/** I2: the counts of an event are those of whoever was there when it was broadcast. */
export const membersAreFrozenAtBroadcast: Law = (run) =>
  itemsOf(run).flatMap(({ event, counts }) => {
    const count = counts[0] + counts[1] + counts[2];
    const members = membersOf(run, event).length;
    return count === members ? [] : [`event ${event}: ${count} counted, ${members} were there`];
  });

/** I3: each member is in the count in which the model has it. */
export const eachMemberIsCountedOnce: Law = (run) =>
  only(run, "advanced").flatMap(({ items, prefix }) =>
    items.flatMap((item) => {
      const expected = prefix.find(({ event }) => event === item.event);
      return isDeepStrictEqual(item, expected)
        ? []
        : [`ours has ${JSON.stringify(item)}, the model ${JSON.stringify(expected)}`];
    }),
  );

/** I4: acked are at most those who moved past the event and had everything confirmed. */
export const ackedIsPassedAndPersisted: Law = (run) =>
  batchesOf(run).flatMap(([{ items }, before]) =>
    items.flatMap(({ event, counts: [acked] }) => {
      const done = membersOf(run, event).filter((sub) => {
        const sat = sitting(before, sub, event);
        return (
          sat?.end !== undefined &&
          sat.bounds.every(({ seq }) => seq === null || isConfirmed(before, seq))
        );
      });
      return acked <= done.length ? [] : [`event ${event}: ${acked} acked, ${done.length} may be`];
    }),
  );

/** I5: per lane, what is advanced is a prefix of what was broadcast, in that order. */
export const lanesAdvanceInOrder: Law = (run) =>
  groupsOf(run).flatMap((group) => {
    const facts = factsOfGroup(run, group);
    const broadcasts = facts.filter(
      (fact): fact is FactOf<"broadcast"> => fact.kind === "broadcast",
    );
    const lanes = [...new Set(broadcasts.map(({ lane }) => lane))];
    return lanes.flatMap((lane) => {
      const order = broadcasts.filter((fact) => fact.lane === lane).map(({ event }) => event);
      const advanced = facts
        .filter((fact): fact is Advanced => fact.kind === "advanced" && fact.lane === lane)
        .flatMap(({ items }) => items.map(({ event }) => event));
      const prefix = order.slice(0, advanced.length);
      return isDeepStrictEqual(advanced, prefix) ? [] : [`lane ${lane}: ${advanced.join()}`];
    });
  });

/** I6: no advance begins before the one before it is settled. */
export const oneAdvanceAtATime: Law = (run) =>
  groupsOf(run).flatMap((group) => {
    const turns = factsOfGroup(run, group)
      .map(({ kind }) => kind)
      .filter((kind) => kind === "advanced" || kind === "settled");
    return turns.every((kind, at) => kind === (at % 2 === 0 ? "advanced" : "settled"))
      ? []
      : [`group ${group}: ${turns.join(" ")}`];
  });

/** I7: a batch is not empty, of one lane, and the longest resolved prefix at its instant. */
export const batchIsTheResolvedPrefix: Law = (run) =>
  only(run, "advanced")
    .filter(
      ({ items, lanes, prefix }) =>
        items.length === 0 || lanes.length !== 1 || items.length < prefix.length,
    )
    .map(({ items, lanes, prefix }) => `${items.length} of ${prefix.length} in ${lanes.join()}`);

/** I8 */
export const eventIsAdvancedOnce: Law = (run) => {
  const events = itemsOf(run).map(({ event }) => event);
  return events
    .filter((event, at) => events.indexOf(event) !== at)
    .map((event) => `event ${event}`);
};

/** I9: what is advanced is resolved. */
export const nothingPendingIsAdvanced: Law = (run) =>
  only(run, "advanced").flatMap(({ items, prefix }) =>
    items
      .filter(({ event }) => !prefix.some((item) => item.event === event))
      .map(({ event }) => `event ${event} is pending`),
  );

/** I10, I21: at rest no lane has a resolved head, unless an advance is under way. */
export const readyLanesAreServed: Law = (run) =>
  only(run, "rest").flatMap(({ unserved }) => unserved.map((group) => `group ${group} waits`));

/** I11: nobody holds an event beyond the ack timeout and one scan. */
export const eventsAgeOut: Law = (run) =>
  [...likeTheModel(({ books }) => books.outstanding)(run)].concat(
    only(run, "rest")
      .filter(({ ageMs }) => ageMs >= run.timeoutMs + run.timeoutMs / 10)
      .map(({ ageMs }) => `an event is pending for ${ageMs} ms`),
  );

/** I12: whatever befalls its siblings, a subscriber gets what was broadcast to it, in order. */
export const siblingsAreLeftAlone: Law = (run) =>
  only(run, "joined").flatMap(({ sub }) => {
    const owed = only(run, "broadcast").filter(({ members }) => members.includes(sub));
    const got = only(run, "received").filter((fact) => fact.sub === sub);
    const order = owed.slice(0, got.length).map(({ event }) => event);
    const events = got.map(({ event }) => event);
    return isDeepStrictEqual(events, order) ? [] : [`${sub} got ${events.join()}`];
  });

/** I13: a failure reaches everyone who is there, once; a stop alone tells nobody anything. */
export const failureReachesEveryoneOnce: Law = (run) => {
  const twice = only(run, "joined").filter(
    ({ sub }) => only(run, "threw").filter((fact) => fact.sub === sub).length > 1,
  );
  const groupOf = new Map(only(run, "joined").map(({ sub, group }) => [sub, group]));
  const untold = only(run, "threw").filter(
    ({ sub, name }) =>
      name !== "AckTimeout" &&
      name !== "SubscriberOverflow" &&
      !only(run, "died").some((fact) => fact.group === groupOf.get(sub) && fact.name === name),
  );
  return [
    ...likeTheModel(({ seen }) => seen)(run),
    ...twice.map(({ sub }) => `${sub} was thrown at twice`),
    ...untold.map(({ sub, name }) => `${sub} was told "${name}", which nobody died of`),
  ];
};

/** I14: a producer is closed once, after its last advance, and the last leaver waits for it. */
export const producerIsClosedOnceAtTheEnd: Law = (run) => {
  const open = groupsOf(run).flatMap((group) => {
    const facts = factsOfGroup(run, group);
    const closes = facts.filter(({ kind }) => kind === "aclosed").length;
    const end = facts.findIndex(({ kind }) => kind === "aclosed");
    const after = end === -1 ? [] : facts.slice(end + 1);
    const isLate = after.some(({ kind }) => kind === "advanced" || kind === "settled");
    return closes <= 1 && !isLate ? [] : [`group ${group}: ${facts.map((f) => f.kind).join(" ")}`];
  });
  const groupOf = new Map(only(run, "joined").map(({ sub, group }) => [sub, group]));
  const early = only(run, "left").filter(({ sub, isLast }) => {
    const group = groupOf.get(sub);
    const returned = run.facts.findIndex((fact) => fact.kind === "returned" && fact.sub === sub);
    const wasMade = only(run, "produced").some((fact) => fact.group === group);
    if (!isLast || returned === -1 || !wasMade) return false;
    return !run.facts.slice(0, returned).some((f) => f.kind === "aclosed" && f.group === group);
  });
  return [
    ...likeTheModel(({ aclosed }) => aclosed)(run),
    ...open,
    ...early.map(({ sub }) => `unsubscribe of ${sub} returned before aclose`),
  ];
};

/** I15: when a producer is closed, nothing that was resolved is left, unless an advance raised. */
export const stopSettlesWhatIsResolved: Law = (run) =>
  only(run, "aclosed")
    .filter(({ unserved }) => unserved.length > 0)
    .map(({ group, unserved }) => `group ${group} was closed with ${unserved.join()} resolved`);

/** I16: sequence numbers count from 0 over all groups, drawn by what was bound and nothing else. */
export const seqsAreCounted: Law = (run) => {
  const seqs = only(run, "bound").flatMap(({ seq }) => (seq === null ? [] : [seq]));
  return seqs.every((seq, at) => seq === at) ? [] : [seqs.join()];
};

/** I17: what nobody waits for confirms nothing: nothing happens until the next rest. */
export const strangeConfirmationsAreIgnored: Law = ({ facts }) =>
  facts.flatMap((fact, at) => {
    if (fact.kind !== "confirmed" || fact.isAwaited) return [];
    const next = facts[at + 1]?.kind;
    return next === "rest" ? [] : [`after confirming ${fact.seqs.join()} came ${next}`];
  });

/** I18: who was force-failed gets nothing that was broadcast later. */
export const forceFailedIsOut: Law = (run) =>
  run.facts.flatMap((fact, at) => {
    if (fact.kind !== "forceFailed") return [];
    const later = run.facts
      .slice(at)
      .filter((f): f is FactOf<"broadcast"> => f.kind === "broadcast");
    const got = only(run, "received").filter(
      ({ sub, event }) => sub === fact.sub && later.some((one) => one.event === event),
    );
    return got.map(({ event }) => `${fact.sub} got ${event}`);
  });

/** I20: one factory call a group, of the trigger that was there first. */
export const producerIsTheFirstOnes: Law = (run) =>
  groupsOf(run).flatMap((group) => {
    const calls = only(run, "produced").filter((fact) => fact.group === group);
    const first = only(run, "joined").find((fact) => fact.group === group)?.sub;
    return calls.length <= 1 && calls.every(({ by }) => by === first) ? [] : [`group ${group}`];
  });

/** I22: the books hold what the model's hold, and nothing else. */
export const booksAreGarbageFree: Law = likeTheModel(({ books }) => ({
  outstanding: books.outstanding,
  lanes: books.lanes,
  unconfirmed: books.unconfirmed,
  windows: books.windows,
}));

/** I23, with strictPersistence: nothing is clean that was left unseen or derived unpersisted. */
export const cleanIsPersisted: Law = (run) =>
  (run.isStrict ? batchesOf(run) : []).flatMap(([{ items }, before]) =>
    items
      .filter(({ isClean }) => isClean)
      .flatMap(({ event }) =>
        membersOf(run, event)
          .map((sub) => [sub, sitting(before, sub, event)] as const)
          .filter(([, sat]) => {
            const isLost = sat?.bounds.some(({ seq }) => seq === null || !isConfirmed(before, seq));
            return sat === undefined || isLost || (sat.end === "left" && sat.bounds.length === 0);
          })
          .map(([sub]) => `event ${event} is clean, and ${sub} lost something`),
      ),
  );

/** I24: after an advance raised there is no other in its group. */
export const raisedAdvanceIsTheLast: Law = (run) =>
  groupsOf(run).flatMap((group) => {
    const facts = factsOfGroup(run, group);
    const raised = facts.findIndex((fact) => fact.kind === "settled" && !fact.isOk);
    const isOver = raised === -1 || !facts.slice(raised).some(({ kind }) => kind === "advanced");
    return isOver ? [] : [`group ${group}`];
  });
