import type { FaultRule, SiteCall } from "./rule.ts";
import { FACTORY_SITE, type SiteName } from "./site.ts";
import { PASS, type Verdict, wordsFrom } from "./verdict.ts";

/**
 * The error of a call that a fault rule made fail. A test can tell it from a real error by its
 * class.
 *
 * @example
 * ```ts
 * import { InjectedFault } from "faultlane/sim";
 *
 * const error = new InjectedFault("broker.settle", "every second commit");
 * console.log(error.site, "|", error.rule); // => broker.settle | every second commit
 * ```
 */
export class InjectedFault extends Error {
  /** Always "InjectedFault". */
  override readonly name = "InjectedFault";
  /** The site of the call that failed: a key of {@linkcode SITES}. */
  readonly site: string;
  /** The name of the rule that made it fail. */
  readonly rule: string;

  /** Creates the error of a call at `site`, which `rule` made fail. */
  constructor(site: string, rule: string) {
    super(`Injected fault at "${site}" by rule "${rule}"`);
    this.site = site;
    this.rule = rule;
  }
}

/** The verdict on one call. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The name of the rule that decided; empty when the call passes. */
  readonly rule: string;
  /**
   * Notes that the fault struck. Given where that shows only in what the callee does: a fetch that
   * delivers nothing has nothing to answer about another's.
   */
  readonly struck?: () => void;
}

const CALM: Judgement = Object.freeze({ verdict: PASS, rule: "" });

/**
 * Decides about each call at a site by the installed rules, and counts calls and faults.
 *
 * Holds: the first rule, in install order, whose verdict is not "pass" decides; after `disarm`
 * every call passes but those that a limit refuses which is no fault.
 */
export class Injector {
  readonly #rules: FaultRule[] = [];
  readonly #calls = new Map<SiteName, number>();
  readonly #hits = new Map<string, number>();
  readonly #effects = new Map<object, number>();
  /** Called with each part of a scenario that takes effect, as `tookEffect` is. */
  onEffect: ((part: object) => void) | undefined;
  /** Called with each fault that was drawn at random, in the form in which a scenario lists it. */
  onChance: ((fault: object) => void) | undefined;
  /** Called with the same object when the fault is drawn, which may be long before it strikes. */
  onDrawn: ((fault: object) => void) | undefined;
  #armed = true;
  #callsArmed: ReadonlyMap<SiteName, number> | undefined;

  /** Installs a rule; disposing the returned object removes it. */
  install(rule: FaultRule): Disposable {
    this.#rules.push(rule);
    return {
      [Symbol.dispose]: () => {
        const at = this.#rules.indexOf(rule);
        if (at !== -1) this.#rules.splice(at, 1);
      },
    };
  }

  /** Whether faults may still strike: true during the safety phase. */
  get isArmed(): boolean {
    return this.#armed;
  }

  /** Ends the safety phase: from now on only limits are left that are no faults. */
  disarm(): void {
    this.#armed = false;
    this.#callsArmed ??= new Map(this.#calls);
  }

  /**
   * Counts a call at `site` and returns the verdict on it.
   *
   * `to` is who is called; undefined where the host passes a point in its own code, where a crash
   * is the only possible fault.
   */
  judge(site: SiteName, host: string, now: number, to: string | undefined): Judgement {
    const nth = (this.#calls.get(site) ?? 0) + 1;
    this.#calls.set(site, nth);
    if (this.#rules.length === 0) return CALM;
    const call: SiteCall = { site, host, to, nth, isPoint: to === undefined };
    for (const rule of this.#rules) {
      if (!this.#armed && rule.outlastsFaults !== true) continue;
      const verdict = rule.decide(call, now);
      if (verdict.kind === "pass" || !canStrike(verdict, call)) continue;
      const struck = (): void => {
        if (rule.part !== undefined) this.tookEffect(rule.part);
        this.count(`${site}: ${wordsFrom(verdict)}`);
      };
      if (verdict.kind === "lie" && site === "broker.fetch") {
        return { verdict, rule: rule.name, struck };
      }
      struck();
      return { verdict, rule: rule.name };
    }
    return CALM;
  }

  /** Counts a fault that does not belong to a site: a host crash, a partition. */
  count(name: string): void {
    this.#hits.set(name, (this.#hits.get(name) ?? 0) + 1);
  }

  /** Notes that a part which the scenario lists took effect: a fault struck, an act was done. */
  tookEffect(part: object): void {
    this.#effects.set(part, (this.#effects.get(part) ?? 0) + 1);
    this.onEffect?.(part);
  }

  /** Returns how often a part of the scenario took effect. */
  effectsOf(part: object): number {
    return this.#effects.get(part) ?? 0;
  }

  /** Returns how often each site was called. */
  calls(): ReadonlyMap<SiteName, number> {
    return this.#calls;
  }

  /** Returns how often each site was called while faults could strike. */
  callsArmed(): ReadonlyMap<SiteName, number> {
    return this.#callsArmed ?? this.#calls;
  }

  /** Returns how often each fault struck, by name. */
  hits(): ReadonlyMap<string, number> {
    return this.#hits;
  }
}

/** At a point in a host's own code nothing is on its way that could fail, get lost or come twice. */
function canStrike(verdict: Verdict, { isPoint, site }: SiteCall): boolean {
  if (!isPoint) return true;
  if (verdict.kind === "crash") return verdict.who !== "callee";
  return verdict.kind === "fail" && site === FACTORY_SITE;
}
