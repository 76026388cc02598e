import type { ChoiceStream } from "../choices.ts";
import type { SiteName } from "./site.ts";
import { PASS, type Verdict } from "./verdict.ts";

/** One call at a site, as a rule sees it. `nth` counts the calls of this site from 1. */
export interface SiteCall {
  readonly site: SiteName;
  readonly host: string;
  readonly nth: number;
  /** Whether it is a point within a host, where only a crash can strike. */
  readonly isPoint: boolean;
}

/** A rule is a function; the first verdict that is not "pass" wins, in install order. */
export interface FaultRule {
  readonly name: string;
  decide(call: SiteCall, now: number): Verdict;
}

/** A probability in whole numbers: `{ numerator: 1, denominator: 20 }` is one in twenty. */
export interface Ratio {
  readonly numerator: number;
  readonly denominator: number;
}

/** Where and when a rule applies: every field that is present must fit. */
export interface RuleScope {
  readonly site: SiteName;
  readonly host?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

function fits(scope: RuleScope, call: SiteCall, now: number): boolean {
  if (call.site !== scope.site) return false;
  if (scope.host !== undefined && call.host !== scope.host) return false;
  if (scope.fromMs !== undefined && now < scope.fromMs) return false;
  return scope.untilMs === undefined || now < scope.untilMs;
}

/** Strikes the n-th call that fits the scope, and the `times - 1` after it. */
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
      if (!fits(scope, call, now)) return PASS;
      seen += 1;
      return seen >= nth && seen < nth + times ? verdict : PASS;
    },
  };
}

/** Strikes each call that fits the scope with the given probability. */
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
      if (!fits(scope, call, now)) return PASS;
      return chance.choose(rate.denominator, call.site) >= calm ? verdict : PASS;
    },
  };
}
