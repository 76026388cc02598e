import type {
  Choice,
  ChoiceKind,
  Choices,
  ChoiceStream,
  Scheduler,
} from "../../choices/choices.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { Path } from "./exhaustive.ts";
import { Fingerprint } from "./exhaustive-fingerprint.ts";

/** The name of the bound on each kind of decision. */
const BOUND_NAMES: Readonly<Record<ChoiceKind, string>> = {
  sched: "preemptions",
  fault: "faults",
  time: "delays",
  data: "data",
  workload: "workload",
};

/** For a choice with more options than this, only the first and the last are tried. */
const OPTIONS_MAX = 16;

/** Thrown to end a run that has reached a state from which everything was explored. */
export class AlreadyExplored extends Error {
  override readonly name = "AlreadyExplored";
}

/**
 * The choices of one run of an exhaustive exploration.
 *
 * Holds: runnable tasks are sorted by name, so that the choice is the same in equal states; a fault
 * with a rate has two options, to strike or not.
 */
export class ExhaustiveChoices implements Choices {
  readonly scheduler: Scheduler;
  readonly #path: Path;
  readonly #fingerprint = new Fingerprint();
  readonly #recorded: Choice[] = [];
  /** How many choices were narrowed to their first and last option. */
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

  /** Adds an event of the run to the fingerprint of its state. */
  observe(event: TraceEvent): void {
    this.#fingerprint.observe(event);
  }

  /** Records the final state, the only one in which no tasks race. */
  end(): void {
    this.#path.wasVisited(() => this.#fingerprint.text());
  }

  #schedule(tasks: readonly string[], label: string): number {
    if (this.#path.wasVisited(() => this.#fingerprint.text())) throw new AlreadyExplored();
    const byName = tasks.toSorted();
    const first = byName[this.#path.choose(tasks.length, BOUND_NAMES.sched)] as string;
    const value = tasks.indexOf(first);
    this.#recorded.push({ kind: "sched", part: "world", n: tasks.length, label, value });
    return value;
  }

  #decide(kind: ChoiceKind, part: string, n: number, label: string): number {
    const isNarrow = kind === "fault" || n > OPTIONS_MAX;
    if (isNarrow && kind !== "fault") this.narrowed += 1;
    const option = this.#path.choose(isNarrow ? 2 : n, BOUND_NAMES[kind]);
    const value = isNarrow && option === 1 ? n - 1 : option;
    this.#fingerprint.chose(`${kind}/${part} ${label}`, value);
    this.#recorded.push({ kind, part, n, label, value });
    return value;
  }
}
