/**
 * Planted bugs whose needed step is known from what the bug is: the act without which it does no
 * harm. Bugs that ordinary use shows are not here, nor bugs of time-outs, whose runs are so long
 * that to explain one takes a while.
 */

/** Somebody makes a group fail: its advance, its source, its lane hook or its factory. */
const GROUP_FAILS =
  /"advance": throws|how advance ends|"how the source ends"|ends the source|what fails|unkeyable/;
const SOURCE_ENDS = /"how the source ends"|ends the source/;
/** A trigger leaves: it is unsubscribed, or its filter gives up. */
const LEAVES =
  /unsubscribes|"leaver"|"linger"|"give up"|may give up|"leave in the same turn"|"after leaving"/;
const STOPS = /stops the manager|"stop all"/;
const REJECTS = /rejects|"meddle how"|"reject again"/;

function anyOf(...steps: readonly RegExp[]): RegExp {
  return new RegExp(steps.map(({ source }) => source).join("|"));
}

/** The needed step of bugs of the manager, in the words of the hostile client's choices. */
export const MANAGER_STEPS: ReadonlyMap<string, RegExp> = new Map([
  ["B-01", GROUP_FAILS],
  ["B-02", LEAVES],
  ["B-05", GROUP_FAILS],
  ["B-07", anyOf(STOPS, LEAVES)],
  ["B-08", SOURCE_ENDS],
  ["B-46", LEAVES],
  ["B-47", LEAVES],
  ["B-48", LEAVES],
  ["B-49", LEAVES],
  ["B-53", REJECTS],
  ["B-54", REJECTS],
  ["B-55", REJECTS],
  ["B-56", REJECTS],
  ["B-58", REJECTS],
]);
