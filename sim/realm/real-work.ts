import { clearRealTimeout, setRealTimeout } from "./machine.ts";
import { runOutside, type Arrival } from "./realm.ts";
import { workAround } from "./work-gates.ts";

interface Work {
  readonly name: string;
  /** The work that this one is a part of. */
  readonly around: Work | undefined;
  /** Counts the work that is no part of other work; a part has the rank of the whole. */
  readonly rank: number;
  /** Whether the code that waits for it is gone, because its host has crashed. */
  readonly isAbandoned: () => boolean;
  /** Set when the result is there. */
  deliver: (() => void) | undefined;
}

/** How long real work may take before it counts as waiting for something outside, in real ms. */
const WAIT_MS_MAX = 30_000;

/**
 * The real asynchronous work of one run that is under way.
 *
 * Holds: results are delivered in the order in which the work was started, one at a time. Work that
 * other work is made of comes before it, and before all that was started after that.
 */
export class RealWork {
  readonly #begun: Work[] = [];
  readonly #works = new WeakMap<Arrival, Work>();
  #wake: (() => void) | undefined;
  #ranks = 0;

  /** Requests of the runtime that no gate has seen begin, by their ids. */
  readonly #requests = new Map<number, string>();

  get isPending(): boolean {
    return this.#begun.length > 0 || this.#requests.size > 0;
  }

  /** Notes a request of the runtime; what it hands over comes by itself, in the machine's order. */
  beginRequest(id: number, type: string): void {
    this.#requests.set(id, type);
  }

  endRequest(id: number): void {
    if (this.#requests.delete(id)) this.#wake?.();
  }

  /**
   * `deliverWith` is called with what hands the result to the code. Abandoned work is not waited
   * for: it may be made of other work whose results nobody hands over any more.
   */
  begin(
    name: string,
    deliverWith: (deliver: () => void) => void,
    isAbandoned: () => boolean,
  ): Arrival {
    const outer = workAround();
    const around = outer && this.#works.get(outer);
    const work: Work = {
      name,
      around,
      rank: around?.rank ?? this.#nextRank(),
      isAbandoned,
      deliver: undefined,
    };
    this.#begun.push(work);
    const arrive: Arrival = (deliver) => {
      work.deliver ??= () => deliverWith(deliver);
      this.#wake?.();
    };
    this.#works.set(arrive, work);
    return arrive;
  }

  /** Waits for the next result; `late` is the name of work that took too long. */
  async next(): Promise<{ readonly deliver?: () => void; readonly late?: string }> {
    for (;;) {
      this.#dropAbandoned();
      if (!this.isPending) return {};
      const at = this.#deliverable();
      const work = this.#begun[at];
      if (work?.deliver !== undefined) {
        this.#begun.splice(at, 1);
        return { deliver: work.deliver };
      }
      const requests = this.#requests.size;
      if (!(await this.#arrival())) {
        return { late: this.#begun[0]?.name ?? [...this.#requests.values()][0] ?? "real work" };
      }
      // What the request handed over goes on before anything else.
      if (this.#requests.size < requests) return {};
    }
  }

  #nextRank(): number {
    this.#ranks += 1;
    return this.#ranks;
  }

  #dropAbandoned(): void {
    for (let at = this.#begun.length - 1; at >= 0; at -= 1) {
      if (this.#begun[at]?.isAbandoned() === true) this.#begun.splice(at, 1);
    }
  }

  /** Everything before it has arrived or waits for it. */
  #deliverable(): number {
    return this.#begun.findIndex(
      (work, at) =>
        work.deliver !== undefined &&
        this.#begun.every(
          (other, place) =>
            other.rank > work.rank ||
            (other.rank === work.rank && (place >= at || isAround(other, work))),
        ),
    );
  }

  /** Resolves to true when a result arrives, to false when none does for too long. */
  #arrival(): Promise<boolean> {
    return runOutside(
      () =>
        new Promise((resolve) => {
          const timer = setRealTimeout(() => resolve(false), WAIT_MS_MAX);
          this.#wake = () => {
            this.#wake = undefined;
            clearRealTimeout(timer);
            resolve(true);
          };
        }),
    );
  }
}

function isAround(outer: Work, inner: Work): boolean {
  for (let work = inner.around; work !== undefined; work = work.around) {
    if (work === outer) return true;
  }
  return false;
}
