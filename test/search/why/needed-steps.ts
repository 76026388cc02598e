/**
 * Planted bugs whose needed step is known from what the bug is: the act without which it does no
 * harm, in the words of the hostile client's choices. Bugs that ordinary use shows are not here,
 * nor bugs of time-outs, which need that something is not done, nor B-42: it needs a second group
 * and a confirmation of that, which the words do not tell from any other subscription or fire.
 */

/** `advance` throws. */
const ADVANCE_FAILS = /"advance": throws|how advance ends/;
const ADVANCE_FAILS_ODDLY = /"advance": throws-oddly|how advance ends/;
/** Somebody makes a group fail: its advance, its source, its lane hook or its factory. */
const GROUP_FAILS = anyOf(
  ADVANCE_FAILS,
  /"how the source ends"|ends the source|what fails|"unkeyable lane": yes/,
);
const SOURCE_ENDS = /"how the source ends"|ends the source/;
/** A trigger leaves: it is unsubscribed, or its filter gives up. */
const LEAVES =
  /unsubscribes|"linger": yes|give up|"leave in the same turn": yes|"after leaving": all others/;
const STOPS = /"stop all": stops the manager/;
const REJECTS = /: rejects|then rejects|"reject again": yes/;
/** A filter derives a trigger event. */
const FIRES = /: fires|"fire after \w+": yes|"meddle how": binds/;
const CONFIRMS = /"confirm when"|"confirm how": [tw]/;
/** A trigger subscribes while others are there. */
const JOINS = /subscribes a trigger|"after leaving": joins|"join after stop": yes/;
/** Another event: while nobody is subscribed, or while one is in somebody's hand. */
const PUBLISHES = /publishes events|"burst": \d+ events/;
/** A subscriber works so long, or so many events come at once, that its queue is full. */
const QUEUE_FILLS = anyOf(PUBLISHES, /"think": \d+ ms|"dawdle": yes/);
/** More events, or events of another lane, that are resolved while some are advanced. */
const MORE_TO_ADVANCE = anyOf(PUBLISHES, /"lane"/);
/** A bind or a reject while no event is open. */
const OUT_OF_TURN =
  /whether or not an event is open|"meddle how"|"reject again": yes|"fire after reject": yes/;

function anyOf(...steps: readonly RegExp[]): RegExp {
  return new RegExp(steps.map(({ source }) => source).join("|"));
}

/** The needed steps that the long gate looks for. */
export const SAMPLED: readonly string[] = [
  ...["B-01", "B-02", "B-05", "B-07", "B-08", "B-46", "B-47"],
  ...["B-48", "B-49", "B-53", "B-54", "B-55", "B-56", "B-58"],
];

/** The needed step of bugs of the manager. */
export const MANAGER_STEPS: ReadonlyMap<string, RegExp> = new Map([
  ["B-01", GROUP_FAILS],
  ["B-02", LEAVES],
  ["B-05", GROUP_FAILS],
  ["B-07", anyOf(STOPS, LEAVES)],
  ["B-08", SOURCE_ENDS],
  ["B-20", JOINS],
  ["B-24", QUEUE_FILLS],
  ["B-26", QUEUE_FILLS],
  ["B-30", PUBLISHES],
  ["B-31", PUBLISHES],
  ["B-32", PUBLISHES],
  ["B-34", PUBLISHES],
  ["B-36", FIRES],
  ["B-38", anyOf(CONFIRMS, FIRES)],
  ["B-39", FIRES],
  ["B-40", OUT_OF_TURN],
  ["B-43", CONFIRMS],
  ["B-44", CONFIRMS],
  ["B-46", LEAVES],
  ["B-47", LEAVES],
  ["B-48", LEAVES],
  ["B-49", LEAVES],
  ["B-51", FIRES],
  ["B-52", OUT_OF_TURN],
  ["B-53", REJECTS],
  ["B-54", REJECTS],
  ["B-55", REJECTS],
  ["B-56", REJECTS],
  ["B-58", FIRES],
  ["B-60", REJECTS],
  ["B-61", anyOf(REJECTS, OUT_OF_TURN)],
  ["B-74", anyOf(GROUP_FAILS, QUEUE_FILLS)],
  ["B-75", MORE_TO_ADVANCE],
  ["B-81", MORE_TO_ADVANCE],
  ["B-87", /"lane"/],
  ["B-88", ADVANCE_FAILS],
  ["B-89", ADVANCE_FAILS],
  ["B-92", ADVANCE_FAILS_ODDLY],
  ["B-95", anyOf(STOPS, LEAVES, GROUP_FAILS)],
  ["B-96", anyOf(STOPS, LEAVES)],
  ["B-97", anyOf(STOPS, LEAVES)],
  ["B-101", GROUP_FAILS],
  ["B-104", STOPS],
  ["I-02", JOINS],
  ["I-08", LEAVES],
  ["I-24", ADVANCE_FAILS],
  ["I-25", /"confirm how": [tw]/],
  ["L-02", LEAVES],
  ["L-04", SOURCE_ENDS],
  ["L-05", QUEUE_FILLS],
  ["L-09", GROUP_FAILS],
  ["L-11", LEAVES],
  ["L-12", LEAVES],
  ["S-03", LEAVES],
  ["S-22", REJECTS],
]);
