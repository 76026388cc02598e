import type { TraceEvent } from "../trace/trace.ts";

export type SubscriberNoun = "trigger" | "subscriber";

/** What the numbers in a trace stand for, so that a story can call things by their names. */
export interface Cast {
  /** The record of each copy that a stream has yielded. */
  readonly refs: ReadonlyMap<number, string>;
  /** Where each record lies in its broker, in the broker's own terms. */
  readonly places: ReadonlyMap<string, string>;
  /** The trigger of each subscription. */
  readonly triggers: ReadonlyMap<number, number>;
  /** Whether more than one consumer settles in this run, so that a line must say which. */
  readonly hasRivals: boolean;
  /** What the world calls those who subscribe. */
  readonly subscriber: SubscriberNoun;
  /** The task or record that the story is about, if it is about one. */
  readonly focus: string | undefined;
}

/** Reads the cast of a story about `focus` from the whole trace. */
export function castFrom(
  trace: Iterable<TraceEvent>,
  focus: string | undefined,
  subscriber: SubscriberNoun = "trigger",
): Cast {
  const refs = new Map<number, string>();
  const places = new Map<string, string>();
  const triggers = new Map<number, number>();
  const consumers = new Set<string>();
  for (const event of trace) {
    if (event.kind === "emit") refs.set(event.copy, event.ref);
    if (event.kind === "subscribe") triggers.set(event.sub, event.trigger);
    if (event.kind === "settle") consumers.add(event.consumer);
    if (event.kind !== "delivered" || event.place === undefined) continue;
    if (!places.has(event.ref)) places.set(event.ref, event.place);
  }
  return { refs, places, triggers, hasRivals: consumers.size > 1, subscriber, focus };
}
