import {
  diedAt,
  PRODUCER_CRASH_SITES,
  PRODUCER_SITUATIONS,
  RENEWAL_SITUATION,
} from "../../checkers/producer/producer-marks.ts";
import type { RunReport } from "../../run/run-report.ts";
import type { Vacuity } from "../../run/vacuity.ts";
import type { TraceEvent } from "../../trace/trace.ts";

/** What `checkProducer` returns when every guarantee held. */
export interface CheckReport {
  /** How many runs were made. */
  readonly runs: number;
  /** The seed of the first run. */
  readonly seed: number;
  /** How many records were published in all runs. */
  readonly events: number;
  /** How many raw events the producer yielded; redeliveries count again. */
  readonly copies: number;
  /** How long all runs lasted, in virtual milliseconds. */
  readonly virtualMs: number;
  /** How often each fault struck, by name, sorted by name. */
  readonly faults: readonly (readonly [name: string, times: number])[];
  /** How often the triggerer crashed at each site, sorted by site. */
  readonly crashPoints: readonly (readonly [site: string, times: number])[];
  /** How often each rare situation occurred. */
  readonly situations: readonly (readonly [what: string, times: number])[];
  /** The situations, disturbances and crash points that did not occur, and so were not checked. */
  readonly neverOccurred: readonly string[];
  /** What came to nothing, where the one run of a scenario was made. */
  readonly vacuous: readonly Vacuity[];
}

/** Adds up what happened in all runs. */
export class Tally {
  readonly #disturbances: readonly string[];
  readonly #situations: readonly string[];
  readonly #faults = new Map<string, number>();
  readonly #marks = new Map<string, number>();
  #runs = 0;
  #events = 0;
  #copies = 0;
  #virtualMs = 0;

  /** `disturbances` are those of the broker; `renews` says whether clients renew its leases. */
  constructor(disturbances: readonly string[], renews: boolean) {
    this.#disturbances = disturbances;
    this.#situations = renews
      ? PRODUCER_SITUATIONS
      : PRODUCER_SITUATIONS.filter((what) => what !== RENEWAL_SITUATION);
  }

  /** Counts an event of a run as it happens. */
  observe({ kind }: TraceEvent): void {
    if (kind === "published") this.#events += 1;
    if (kind === "emit") this.#copies += 1;
  }

  /** Adds the report of a finished run. */
  add({ stats }: RunReport): void {
    this.#runs += 1;
    this.#virtualMs += stats.virtualMs;
    for (const [mark, times] of stats.marks) bump(this.#marks, mark, times);
    for (const [name, times] of stats.faults) {
      bump(this.#faults, name.replace(/ \d+ ms$/, ""), times);
    }
  }

  report(seed: number, vacuous: readonly Vacuity[] = []): CheckReport {
    const timesOf = (mark: string): number => this.#marks.get(mark) ?? 0;
    const situations = this.#situations.map((what) => [what, timesOf(what)] as const);
    const sites = PRODUCER_CRASH_SITES.map((site) => [site, timesOf(diedAt(site))] as const);
    const died = sites.map(([site, times]) => [diedAt(site), times] as const);
    const struck = this.#disturbances.map((name) => [name, this.#faults.get(name) ?? 0] as const);
    return {
      runs: this.#runs,
      seed,
      events: this.#events,
      copies: this.#copies,
      virtualMs: this.#virtualMs,
      faults: sorted([...this.#faults]),
      crashPoints: sorted(sites.filter(([, times]) => times > 0)),
      situations,
      neverOccurred: [...situations, ...struck, ...died]
        .filter(([, times]) => times === 0)
        .map(([what]) => what),
      vacuous,
    };
  }
}

function bump(map: Map<string, number>, name: string, by: number): void {
  map.set(name, (map.get(name) ?? 0) + by);
}

function sorted(
  rows: readonly (readonly [string, number])[],
): readonly (readonly [string, number])[] {
  return rows.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
