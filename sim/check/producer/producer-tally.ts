import { CRASH_SITES } from "./producer-plan.ts";
import type { ProducerRun } from "./producer-run.ts";

/** What was tried, when all held. */
export interface CheckReport {
  readonly runs: number;
  readonly seed: number;
  /** Records that were published, and how often they were handed out. */
  readonly events: number;
  readonly copies: number;
  readonly virtualMs: number;
  /** How often each fault struck, by name. */
  readonly faults: readonly (readonly [name: string, times: number])[];
  /** At which points the triggerer died, and how often. */
  readonly crashPoints: readonly (readonly [site: string, times: number])[];
  /** How often each rare situation occurred. */
  readonly situations: readonly (readonly [what: string, times: number])[];
  /** The situations, disturbances and crash points that did not occur: nothing is said of them. */
  readonly neverOccurred: readonly string[];
}

/** The situations in which producers go wrong, counted on the trace. */
const SITUATIONS = {
  failed: "an event failed",
  zero: "an event was broadcast to nobody",
  rejected: "an event was rejected",
  mixed: "an event was rejected by one subscriber and failed by another",
  heldInBatch: "a batch held a failed event and others behind it",
  settledAfterHold: "a held event came back and was settled",
  overflow: "a subscriber was too slow for its queue",
  timedOut: "a subscriber held an event past the ack timeout",
  staleCopy: "a copy of an older reading was resolved after its record had come again",
  refused: "the broker refused a settlement",
  crashInAdvance: "the triggerer died while advance was under way",
  restart: "a producer took over from one that had died",
  unopened: "a producer was closed before its stream was opened",
  factory: "a factory failed after it had made its producer",
  lapsed: "a lease or membership ended",
  expired: "retention took a record that nobody had settled",
} as const;

type Situation = keyof typeof SITUATIONS;

/** Adds up what runs were made of. */
export class Tally {
  readonly #disturbances: readonly string[];
  readonly #faults = new Map<string, number>();
  readonly #crashPoints = new Map<string, number>();
  readonly #situations = new Map<Situation, number>();
  #runs = 0;
  #events = 0;
  #copies = 0;
  #virtualMs = 0;

  constructor(disturbances: readonly string[]) {
    this.#disturbances = disturbances;
  }

  add(run: ProducerRun): void {
    this.#runs += 1;
    this.#virtualMs += run.virtualMs;
    this.#events += run.facts.records.size;
    this.#copies += run.facts.copies.size;
    for (const [name, times] of run.faults) {
      bump(this.#faults, name.replace(/ \d+ ms$/, ""), times);
    }
    this.#addTrace(run);
    this.#addRecords(run);
  }

  report(seed: number): CheckReport {
    const situations = (Object.keys(SITUATIONS) as Situation[]).map(
      (name) => [SITUATIONS[name], this.#situations.get(name) ?? 0] as const,
    );
    const died = CRASH_SITES.map(
      (site) => [`the triggerer died at ${site}`, this.#crashPoints.get(site) ?? 0] as const,
    );
    const struck = this.#disturbances.map((name) => [name, this.#faults.get(name) ?? 0] as const);
    return {
      runs: this.#runs,
      seed,
      events: this.#events,
      copies: this.#copies,
      virtualMs: this.#virtualMs,
      faults: sorted(this.#faults),
      crashPoints: sorted(this.#crashPoints),
      situations,
      neverOccurred: [...situations, ...struck, ...died]
        .filter(([, times]) => times === 0)
        .map(([what]) => what),
    };
  }

  #addTrace({ trace }: ProducerRun): void {
    let advancing = 0;
    for (const event of trace) {
      switch (event.kind) {
        case "advance":
          advancing += 1;
          break;
        case "advanced":
          advancing -= 1;
          break;
        case "settle":
          if (event.refused !== "") this.#count("refused");
          break;
        case "lapsed":
          this.#count("lapsed");
          break;
        case "force-failed":
          this.#count(event.reason === "overflow" ? "overflow" : "timedOut");
          break;
        case "expired":
          this.#count("expired");
          break;
        case "fault":
          if (event.verdict.startsWith("crash")) bump(this.#crashPoints, event.site, 1);
          break;
        case "factory":
          if (event.key === "unopened") this.#count("unopened");
          break;
        case "factory-failed":
          this.#count("factory");
          break;
        case "host":
          if (event.host !== "triggerer") break;
          if (event.state === "restart") this.#count("restart");
          if (event.state === "crash" && advancing > 0) this.#count("crashInAdvance");
          if (event.state === "crash") advancing = 0;
          break;
        default:
      }
    }
  }

  #addRecords({ facts, trace }: ProducerRun): void {
    for (const { copies, settledAt } of facts.records.values()) {
      for (const [at, copy] of copies.entries()) {
        if (copy.outcome === undefined) continue;
        const { acked, failed, rejected } = copy.outcome;
        if (failed > 0) this.#count("failed");
        if (acked + failed + rejected === 0) this.#count("zero");
        if (rejected > 0) this.#count("rejected");
        if (rejected > 0 && failed > 0) this.#count("mixed");
        if (copy.decision === "hold" && settledAt !== undefined) this.#count("settledAfterHold");
        const next = copies[at + 1];
        if (next !== undefined && next.session === copy.session && copy.resolvedAt > next.emittedAt)
          this.#count("staleCopy");
      }
    }
    for (const event of trace) {
      if (event.kind !== "advance") continue;
      const held = event.items.findIndex(([number]) => {
        return facts.copies.get(number)?.decision === "hold";
      });
      if (held !== -1 && held < event.items.length - 1) this.#count("heldInBatch");
    }
  }

  #count(situation: Situation): void {
    this.#situations.set(situation, (this.#situations.get(situation) ?? 0) + 1);
  }
}

function bump(map: Map<string, number>, name: string, by: number): void {
  map.set(name, (map.get(name) ?? 0) + by);
}

function sorted(map: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
