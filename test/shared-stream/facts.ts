import type { Counts } from "./scripted-producer.ts";

/** An event of a batch, and how its members resolved it. */
export interface ItemFact {
  readonly event: number;
  readonly counts: Counts;
  readonly isClean: boolean;
}

/** What a manager holds: by its own account, or by the model's. */
export interface Books {
  readonly outstanding: number;
  readonly lanes: number;
  readonly unconfirmed: number;
  readonly windows: number;
}

/** What is seen from outside when everything rests. */
export interface View {
  readonly keys: readonly string[];
  readonly books: Books;
  /** What each subscriber has seen so far, by its number. */
  readonly seen: readonly (readonly unknown[])[];
  /** How many producers were closed. */
  readonly aclosed: number;
}

/**
 * One thing that happened, as told from outside; in order. Subscribers, groups and events are
 * numbered from 0 over a whole run. What the model says to it stands beside it.
 */
export type Fact =
  | { readonly kind: "joined"; readonly sub: number; readonly group: number }
  | { readonly kind: "produced"; readonly group: number; readonly by: number }
  | {
      readonly kind: "broadcast";
      readonly group: number;
      readonly event: number;
      readonly lane: string;
      /** Who is there and was not force-failed. */
      readonly members: readonly number[];
    }
  | { readonly kind: "forceFailed"; readonly sub: number; readonly reason: string }
  | { readonly kind: "asked"; readonly sub: number }
  /** A window opens, at the instant in which the model opens it. */
  | { readonly kind: "handed"; readonly sub: number; readonly event: number }
  /** A pull brought an event; whoever pulled hears of it a turn later. */
  | { readonly kind: "received"; readonly sub: number; readonly event: number }
  | { readonly kind: "threw"; readonly sub: number; readonly name: string }
  | { readonly kind: "bound"; readonly sub: number; readonly seq: number | null }
  | {
      readonly kind: "confirmed";
      readonly seqs: readonly number[];
      /** Whether one of them is still waited for. */
      readonly isAwaited: boolean;
    }
  | { readonly kind: "rejected"; readonly sub: number }
  | { readonly kind: "left"; readonly sub: number; readonly isLast: boolean }
  | { readonly kind: "returned"; readonly sub: number }
  | {
      readonly kind: "advanced";
      readonly group: number;
      readonly lane: string;
      readonly lanes: readonly string[];
      readonly items: readonly ItemFact[];
      /** The resolved prefix of the lane at this instant, by the model. */
      readonly prefix: readonly ItemFact[];
    }
  | { readonly kind: "settled"; readonly group: number; readonly isOk: boolean }
  | { readonly kind: "died"; readonly group: number; readonly name: string }
  | { readonly kind: "stopped"; readonly group: number }
  | {
      readonly kind: "aclosed";
      readonly group: number;
      /** Lanes with a resolved head that are left behind, though no advance raised. */
      readonly unserved: readonly string[];
    }
  | {
      readonly kind: "rest";
      readonly view: View;
      readonly model: View;
      /** The age of the oldest event that somebody in a live group has not resolved. */
      readonly ageMs: number;
      /** Groups that may advance and have a resolved head, with nothing under way. */
      readonly unserved: readonly number[];
    };

export type FactOf<Kind extends Fact["kind"]> = Extract<Fact, { kind: Kind }>;

/** A whole run: what it was made under, and what happened. */
export interface Run {
  readonly timeoutMs: number;
  readonly isStrict: boolean;
  readonly facts: readonly Fact[];
}
