import {
  type Choice,
  type ChoiceKind,
  type Choices,
  type ChoiceStream,
  CLOCK_PART,
  ReplayedChoices,
  type Scheduler,
} from "../../choices/choices.ts";
import { FAULT_DETAILS } from "../../faults/fault-details.ts";
import type { Violation } from "../../checkers/mod.ts";
import type { RunReport } from "../../run/run-report.ts";
import { simulate } from "../../run/simulate.ts";
import type { WorldParts } from "../../worlds/world-parts.ts";
import type { Scenario } from "../../scenario/scenario.ts";

/** A choice of the failing run, and what is known about it. */
export interface ChoicePoint extends Choice {
  /** Its place among the choices of the run, from 0. */
  readonly at: number;
  /** How many events the trace had before it. */
  readonly eventsBefore: number;
  /** Of a `sched` choice: the lanes that were due, in the order in which they became due. */
  readonly lanes: readonly string[] | undefined;
}

/** A fault that a choice has drawn, in the form in which a scenario lists it. */
export interface DrawnFault {
  /** The choice that decided that it strikes, by its place. */
  readonly choice: number;
  readonly fault: object;
}

/** The failing run up to its failure, with the choices that it made until then. */
export interface FailingRun {
  readonly violation: Violation;
  readonly report: RunReport;
  readonly points: readonly ChoicePoint[];
  /** The random faults that struck before the failure. */
  readonly drawn: readonly DrawnFault[];
  /** The faults and acts of the scenario that took effect before the failure. */
  readonly effects: ReadonlySet<object>;
}

/** What makes the run again: everything but where its choices come from. */
export interface RunAgain extends WorldParts {
  readonly seed: number;
}

/**
 * Makes a recorded run again until this promise breaks, and notes what each choice was about;
 * undefined when the promise holds.
 *
 * @throws a `ReplayDrift` when the recorded choices do not fit the code any more
 */
export async function failingRunOf(
  scenario: Scenario,
  replay: readonly Choice[],
  checker: string,
  parts: RunAgain,
): Promise<FailingRun | undefined> {
  const choices = new NotedChoices(replay);
  const drawnAt = new Map<object, number>();
  const drawn: DrawnFault[] = [];
  const effects = new Set<object>();
  const report = await simulate(scenario, {
    ...parts,
    choices,
    endAt: (one) => one.checker === checker,
    listen: () => choices.countEvent(),
    onEffect: (part) => effects.add(part),
    onDrawn: (fault) => {
      const choice = choices.lastDraw();
      if (choice !== undefined) drawnAt.set(fault, choice);
    },
    onChance: (fault) => {
      const choice = drawnAt.get(fault);
      if (choice !== undefined) drawn.push({ choice, fault });
    },
  });
  const violation = report.violations.find((one) => one.checker === checker);
  if (violation === undefined) return undefined;
  return { violation, report, points: choices.points, drawn, effects };
}

const DETAILS: ReadonlySet<string> = new Set(Object.values(FAULT_DETAILS));

/** Replays choices, and notes what each was about. */
class NotedChoices implements Choices {
  readonly scheduler: Scheduler;
  readonly points: ChoicePoint[] = [];
  readonly #replayed: ReplayedChoices;
  readonly #recording: readonly Choice[];
  #events = 0;

  constructor(recording: readonly Choice[]) {
    this.#recording = recording;
    this.#replayed = new ReplayedChoices(recording);
    const racesClock = recording.some(({ part }) => part === CLOCK_PART);
    const inner = this.#replayed.stream("sched", racesClock ? CLOCK_PART : "world");
    this.scheduler = {
      racesClock,
      choose: (tasks, label) => {
        const value = inner.choose(tasks.length, label);
        this.#note(tasks);
        return value;
      },
      took: () => undefined,
    };
  }

  countEvent(): void {
    this.#events += 1;
  }

  stream(kind: ChoiceKind, part: string): ChoiceStream {
    const inner = this.#replayed.stream(kind, part);
    return {
      choose: (n, label) => {
        const value = inner.choose(n, label);
        if (n > 1) this.#note(undefined);
        return value;
      },
    };
  }

  recorded(): readonly Choice[] {
    return this.#recording.slice(0, this.points.length);
  }

  /** Returns the choice by which a fault strikes that was drawn just now: the last but details. */
  lastDraw(): number | undefined {
    const last = this.points.at(-1);
    return this.points.findLast(
      ({ kind, part, label }) => kind === last?.kind && part === last.part && !DETAILS.has(label),
    )?.at;
  }

  #note(lanes: readonly string[] | undefined): void {
    const at = this.points.length;
    const choice = this.#recording[at] as Choice;
    this.points.push({ ...choice, at, eventsBefore: this.#events, lanes });
  }
}
