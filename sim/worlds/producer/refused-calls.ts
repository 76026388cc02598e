import type { Violation } from "../../checkers/checker.ts";
import type { Symptom } from "../../checkers/symptom.ts";
import type { SiteName } from "../../faults/site.ts";
import { inOneLine } from "../failure-words.ts";

/** What a producer may bring about that takes no notice of what its broker refuses. */
const UNSETTLED: ReadonlySet<Symptom> = new Set<Symptom>([
  "done-unsettled",
  "held-lost",
  "never-delivered",
  "delivered-and-lost",
  "advance-hangs",
]);
const MESSAGE_CHARS = 200;

interface Refused {
  readonly times: number;
  readonly error: unknown;
}

/**
 * What the broker has refused since all is calm, in its own words: no fault did that. No trace has
 * these words, as an engine's own errors are worded differently by each engine.
 */
export class RefusedCalls {
  readonly #bySite = new Map<SiteName, Refused>();

  add(site: SiteName, error: unknown): void {
    this.#bySite.set(site, { times: (this.#bySite.get(site)?.times ?? 0) + 1, error });
  }

  /** A line for the story of a violation, of the site with the most refusals; undefined: none. */
  remarkOn({ symptom }: Violation): string | undefined {
    if (!UNSETTLED.has(symptom)) return undefined;
    const [most] = [...this.#bySite].toSorted(([, one], [, other]) => other.times - one.times);
    if (most === undefined) return undefined;
    const [site, { times, error }] = most;
    const count = times === 1 ? "a call" : `${times} calls`;
    const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
    const words = inOneLine(name === "" ? message : `${name}: ${message}`).slice(0, MESSAGE_CHARS);
    return `Without a fault, the broker has refused ${count} at ${site}, at last with: ${words}`;
  }
}
