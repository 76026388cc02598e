import {
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  CLOCK_PART,
  type Scheduler,
} from "../../choices/choices.ts";
import type { ChoiceSource } from "./strategy.ts";

/** Records the choices of a source. */
export class RecordedChoices implements Choices {
  readonly scheduler: Scheduler | undefined;
  readonly #source: ChoiceSource;
  readonly #recorded: Choice[] = [];

  constructor(source: ChoiceSource) {
    this.#source = source;
    this.scheduler = source.scheduler && this.#recording(source.scheduler);
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    const inner = this.#source.stream(kind, part);
    return {
      choose: (n, label) => {
        const value = inner.choose(n, label);
        if (n > 1) this.#recorded.push({ kind, part, n, label, value });
        return value;
      },
    };
  }

  recorded(): readonly Choice[] {
    return this.#recorded;
  }

  #recording(inner: Scheduler): Scheduler {
    const { racesClock } = inner;
    const part = racesClock ? CLOCK_PART : "world";
    return {
      racesClock,
      choose: (tasks, label) => {
        const value = inner.choose(tasks, label);
        this.#recorded.push({ kind: "sched", part, n: tasks.length, label, value });
        return value;
      },
      took: (task) => inner.took(task),
    };
  }
}
