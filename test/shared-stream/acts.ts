import * as fc from "fast-check";

/** How an advance goes; `abort` raises what a client library raises that was cancelled. */
export type AdvanceMode = "ok" | "raise" | "abort" | "block";

/** One thing that is done to a manager, its subscribers or its producers. */
export type Act =
  | {
      readonly op: "subscribe" | "ask" | "bind" | "reject" | "unsubscribe";
      readonly slot: number;
      readonly key: string;
    }
  | { readonly op: "emit"; readonly key: string; readonly lanes: readonly string[] }
  /** Sequence numbers, counted back from the one that is next; below 0 there are none. */
  | { readonly op: "confirm"; readonly backs: readonly number[] }
  | { readonly op: "advance"; readonly key: string; readonly mode: AdvanceMode }
  | { readonly op: "release"; readonly key: string; readonly how: Exclude<AdvanceMode, "block"> }
  | { readonly op: "end"; readonly key: string; readonly how: "fails" | "returns" }
  | { readonly op: "tick"; readonly ms: number }
  | { readonly op: "stopAll" };

/** What acts are done under. */
export interface ActPolicy {
  readonly queueMax: number;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly isStrict: boolean;
}

/** An act, and whether the next one follows before anything that it set off has happened. */
export interface Step {
  readonly act: Act;
  readonly isRushed: boolean;
}

export interface ActScript {
  readonly policy: ActPolicy;
  readonly steps: readonly Step[];
}

/** The lane whose hook throws. */
export const BOOM = "boom";

const STEPS_MIN = 10;
const STEPS_MAX = 80;

/** Scripts over some keys. Everything is stopped at once only where there is one key (E-15). */
export function actScripts(keys: readonly string[]): fc.Arbitrary<ActScript> {
  const key = fc.constantFrom(...keys);
  const slot = fc.constantFrom(1, 1, 2, 2, 3);
  const lane = fc.oneof(
    { weight: 150, arbitrary: fc.constantFrom("a", "a", "b") },
    { weight: 1, arbitrary: fc.constant(BOOM) },
  );
  const lanes = fc.array(lane, { minLength: 1, maxLength: 3 });
  const backs = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 5 });
  const how = fc.constantFrom("ok" as const, "ok" as const, "raise" as const, "abort" as const);
  const mode = fc.oneof(how, fc.constant("block" as const));
  const end = fc.constantFrom("fails" as const, "returns" as const);
  const ms = fc.constantFrom(30, 100, 500, 1_000, 1_100, 2_000);
  const one = <Op extends "subscribe" | "ask" | "bind" | "reject" | "unsubscribe">(op: Op) =>
    fc.record({ op: fc.constant(op), slot, key });
  const act: fc.Arbitrary<Act> = fc.oneof(
    { weight: 12, arbitrary: one("subscribe") },
    { weight: 70, arbitrary: one("ask") },
    { weight: 24, arbitrary: one("bind") },
    { weight: 8, arbitrary: one("reject") },
    { weight: 7, arbitrary: one("unsubscribe") },
    { weight: 20, arbitrary: fc.record({ op: fc.constant("emit"), key, lanes }) },
    { weight: 20, arbitrary: fc.record({ op: fc.constant("confirm"), backs }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant("advance"), key, mode }) },
    { weight: 5, arbitrary: fc.record({ op: fc.constant("release"), key, how }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("end"), key, how: end }) },
    { weight: 9, arbitrary: fc.record({ op: fc.constant("tick"), ms }) },
    { weight: keys.length === 1 ? 1 : 0, arbitrary: fc.record({ op: fc.constant("stopAll") }) },
  );
  const policy = fc.record({
    queueMax: fc.constantFrom(1, 2, 4, 0, 0),
    timeoutMs: fc.constantFrom(1_000, 5_000, 5_000),
    graceMs: fc.constantFrom(0, 0, 500),
    isStrict: fc.boolean(),
  });
  const step = fc.record({ act, isRushed: fc.nat({ max: 4 }).map((n) => n === 4) });
  const steps = fc.array(step, { minLength: STEPS_MIN, maxLength: STEPS_MAX, size: "max" });
  const crowd = fc.array(one("subscribe"), { minLength: 1, maxLength: 4 });
  return fc.record({ policy, crowd, steps }).map(({ policy, crowd, steps }) => ({
    policy,
    steps: [...crowd.map((act) => ({ act, isRushed: false })), ...steps],
  }));
}
