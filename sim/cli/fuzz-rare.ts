import type { Campaign, MarkFact } from "../search/campaign.ts";
import type { FuzzCorpus, KeptRun } from "./fuzz-corpus.ts";
import type { FuzzFindings } from "./fuzz-findings.ts";

/** A mark reached by at most one run in this many is rare; the run that reached it is kept. */
const RARE_ONE_IN = 100;
const RARE_KEPT_MAX = 20;

/** Keeps the runs of a campaign that reach rare marks, in its corpus. */
export class FuzzRare {
  readonly #campaign: Campaign;
  readonly #subjects: number;
  readonly #corpus: FuzzCorpus;
  readonly #findings: FuzzFindings;
  /** Marks that a run in the corpus reaches, by subject and name. */
  readonly #known = new Set<string>();
  readonly #paths = new Set<string>();
  #kept = 0;

  constructor(campaign: Campaign, subjects: number, corpus: FuzzCorpus, findings: FuzzFindings) {
    this.#campaign = campaign;
    this.#subjects = subjects;
    this.#corpus = corpus;
    this.#findings = findings;
  }

  /** What was written. */
  get paths(): readonly string[] {
    return [...this.#paths];
  }

  /** Notes which marks a run of the corpus reaches. */
  know({ subject, report }: KeptRun): void {
    for (const [mark, times] of report?.stats.marks ?? []) {
      if (times > 0) this.#known.add(`${subject} ${mark}`);
    }
  }

  /** Queues the runs that reached the marks which are rare by now, to be repeated and written. */
  keep(): void {
    if (!this.#corpus.isKept) return;
    const { marks, runs } = this.#campaign;
    const rare = [...marks.values()]
      .filter((fact) => fact.runs * RARE_ONE_IN <= runs / this.#subjects)
      .filter(({ subject, mark }) => !this.#known.has(`${subject} ${mark}`))
      .toSorted((one, other) => one.runs - other.runs);
    for (const fact of rare.slice(0, RARE_KEPT_MAX - this.#kept)) {
      this.#kept += 1;
      this.#known.add(`${fact.subject} ${fact.mark}`);
      this.#findings.later(() => this.#write(fact));
    }
  }

  async #write({ subject, first }: MarkFact): Promise<void> {
    const { scenario, report } = await this.#findings.repeat(subject, first);
    const name = `fuzz-${first.strategy}-${first.seed}`;
    this.#paths.add(this.#corpus.keepRare(subject, scenario, report, name));
  }
}
