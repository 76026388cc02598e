import type { ChoiceStream } from "../choices/choices.ts";
import type { SiteName } from "./site.ts";
import { PASS, type Verdict } from "./verdict.ts";

/** One call at a site. `nth` counts the calls at this site from 1. */
export interface SiteCall {
  /** Where the call is made. */
  readonly site: SiteName;
  /** The host that makes the call. */
  readonly host: string;
  /** The host or outside system that it goes to; undefined at a point in the host's own code. */
  readonly to?: string | undefined;
  /** The number of the call, from 1. */
  readonly nth: number;
  /** Whether the host only passes a point in its own code, where only a crash can strike. */
  readonly isPoint: boolean;
}

/** Decides which calls a fault strikes. */
export interface FaultRule {
  /** Appears in the trace beside each fault of this rule. */
  readonly name: string;
  /**
   * The fault of the scenario for which it strikes, if there is one.
   *
   * @internal
   */
  readonly part?: object;
  /**
   * Whether it is a limit that lasts also when the faults are over.
   *
   * @internal
   */
  readonly outlastsFaults?: boolean;
  /** Returns the verdict on a call at virtual time `now`, in milliseconds. */
  decide(call: SiteCall, now: number): Verdict;
}

/** A probability as a fraction of whole numbers: `{ numerator: 1, denominator: 20 }` is 1/20. */
export interface Ratio {
  /** From 0 to the denominator. */
  readonly numerator: number;
  /** From 1. */
  readonly denominator: number;
}

/** Whether what strikes at this rate strikes for sure; without a rate it does. */
export function isSure(rate: Ratio | undefined): boolean {
  return rate === undefined || rate.numerator >= rate.denominator;
}

/** Where and when a rule applies: all fields that are present must match. */
export interface RuleScope {
  readonly site: SiteName;
  readonly host?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

function matches(scope: RuleScope, call: SiteCall, now: number): boolean {
  if (call.site !== scope.site) return false;
  if (scope.host !== undefined && call.host !== scope.host) return false;
  if (scope.fromMs !== undefined && now < scope.fromMs) return false;
  return scope.untilMs === undefined || now < scope.untilMs;
}

/** Returns a rule that strikes the n-th call in the scope and the `times - 1` calls after it. */
export function strikeNth(
  scope: RuleScope,
  verdict: Verdict,
  nth: number,
  times: number,
): FaultRule {
  let seen = 0;
  return {
    name: `${scope.site} #${nth}`,
    decide(call, now) {
      if (!matches(scope, call, now)) return PASS;
      seen += 1;
      return seen >= nth && seen < nth + times ? verdict : PASS;
    },
  };
}

/** Returns a rule that strikes each call in the scope with the given probability. */
export function strikeAtRate(
  scope: RuleScope,
  verdict: Verdict,
  rate: Ratio,
  chance: ChoiceStream,
): FaultRule {
  const calm = rate.denominator - rate.numerator;
  return {
    name: `${scope.site} ${rate.numerator}/${rate.denominator}`,
    decide(call, now) {
      if (!matches(scope, call, now)) return PASS;
      return chance.choose(rate.denominator, call.site) >= calm ? verdict : PASS;
    },
  };
}
