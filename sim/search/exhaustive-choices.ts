import type { Choice, ChoiceKind, Choices, ChoiceStream, Scheduler } from "../choices.ts";
import type { TraceEvent } from "../trace.ts";
import type { Path } from "./exhaustive.ts";
import { Fingerprint } from "./exhaustive-fingerprint.ts";

/** What the bound on decisions of a kind is called. */
const BOUND_NAMES: Readonly<Record<ChoiceKind, string>> = {
  sched: "preemptions",
  fault: "faults",
  time: "delays",
  data: "data",
  workload: "workload",
};

/** A question of more answers than these is asked for the first and the last alone. */
const ANSWERS_MAX = 16;

/** Ends a run whose rest is walked already. */
export class WalkedAlready extends Error {
  override readonly name = "WalkedAlready";
}

/**
 * The choices of one run of a walk.
 *
 * Holds: who goes first is asked by name, not in the order of arrival, so that the question is the
 * same in equal states; a question with a rate behind it (`fault`) has two answers.
 */
export class ExhaustiveChoices implements Choices {
  readonly scheduler: Scheduler;
  readonly #path: Path;
  readonly #fingerprint = new Fingerprint();
  readonly #recorded: Choice[] = [];
  /** How many questions were narrowed to their ends. */
  narrowed = 0;

  constructor(path: Path) {
    this.#path = path;
    this.scheduler = {
      racesClock: false,
      choose: (tasks, label) => this.#schedule(tasks, label),
      took: (task) => this.#fingerprint.took(task),
    };
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    return { choose: (n, label) => (n === 1 ? 0 : this.#decide(kind, part, n, label)) };
  }

  recorded(): readonly Choice[] {
    return this.#recorded;
  }

  hear(event: TraceEvent): void {
    this.#fingerprint.hear(event);
  }

  /** The run is over: where it ended is a state, too, the only one where nobody races. */
  end(): void {
    this.#path.wasVisited(() => this.#fingerprint.text());
  }

  #schedule(tasks: readonly string[], label: string): number {
    if (this.#path.wasVisited(() => this.#fingerprint.text())) throw new WalkedAlready();
    const byName = tasks.toSorted();
    const first = byName[this.#path.choose(tasks.length, BOUND_NAMES.sched)] as string;
    const value = tasks.indexOf(first);
    this.#recorded.push({ kind: "sched", part: "world", n: tasks.length, label, value });
    return value;
  }

  #decide(kind: ChoiceKind, part: string, n: number, label: string): number {
    const isNarrow = kind === "fault" || n > ANSWERS_MAX;
    if (isNarrow && kind !== "fault") this.narrowed += 1;
    const answer = this.#path.choose(isNarrow ? 2 : n, BOUND_NAMES[kind]);
    const value = isNarrow && answer === 1 ? n - 1 : answer;
    this.#fingerprint.chose(`${kind}/${part} ${label}`, value);
    this.#recorded.push({ kind, part, n, label, value });
    return value;
  }
}
