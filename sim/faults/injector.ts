import type { FaultRule, SiteCall } from "./rule.ts";
import type { SiteName } from "./site.ts";
import { PASS, type Verdict, wordsFrom } from "./verdict.ts";

/** An error that a rule put there, so that a test can tell ours from real. */
export class InjectedFault extends Error {
  override readonly name = "InjectedFault";
  readonly site: string;
  readonly rule: string;

  constructor(site: string, rule: string) {
    super(`Injected fault at "${site}" by rule "${rule}"`);
    this.site = site;
    this.rule = rule;
  }
}

/** What a rule decided about one call. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly rule: string;
}

const CALM: Judgement = Object.freeze({ verdict: PASS, rule: "" });

/**
 * Asks the rules about each call at a site, and counts.
 *
 * Holds: rules are asked in install order, the first verdict other than "pass" wins; once `disarm`
 * was called every call passes.
 */
export class Injector {
  readonly #rules: FaultRule[] = [];
  readonly #calls = new Map<SiteName, number>();
  readonly #hits = new Map<string, number>();
  /** Told of each fault that chance struck, in the form in which a scenario would list it. */
  onChance: ((fault: object) => void) | undefined;
  #armed = true;

  /** Installs a rule; dispose of the answer to take it out again. */
  install(rule: FaultRule): Disposable {
    this.#rules.push(rule);
    return {
      [Symbol.dispose]: () => {
        const at = this.#rules.indexOf(rule);
        if (at !== -1) this.#rules.splice(at, 1);
      },
    };
  }

  /** Whether faults may still strike: the safety phase is on. */
  get isArmed(): boolean {
    return this.#armed;
  }

  /** From now on nothing strikes: the liveness phase has begun. */
  disarm(): void {
    this.#armed = false;
  }

  /** `isPoint` says that nothing is asked of anybody: only a crash can strike there. */
  judge(site: SiteName, host: string, now: number, isPoint = false): Judgement {
    const nth = (this.#calls.get(site) ?? 0) + 1;
    this.#calls.set(site, nth);
    if (!this.#armed || this.#rules.length === 0) return CALM;
    const call: SiteCall = { site, host, nth, isPoint };
    for (const rule of this.#rules) {
      const verdict = rule.decide(call, now);
      if (verdict.kind === "pass") continue;
      this.count(`${site}: ${wordsFrom(verdict)}`);
      return { verdict, rule: rule.name };
    }
    return CALM;
  }

  /** Counts a fault that is no site's: a host crash, a partition. */
  count(name: string): void {
    this.#hits.set(name, (this.#hits.get(name) ?? 0) + 1);
  }

  /** How often each site was called, by name. */
  calls(): ReadonlyMap<SiteName, number> {
    return this.#calls;
  }

  /** How often each fault struck, by name. */
  hits(): ReadonlyMap<string, number> {
    return this.#hits;
  }
}
