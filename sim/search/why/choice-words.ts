import { CLOCK_TASK } from "../../choices/choices.ts";
import { partWords } from "../../run/vacuity.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { worldKindOf } from "../../scenario/world-kinds.ts";
import { castFrom } from "../../story/cast.ts";
import { eventWords } from "../../story/event-words.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { ChoicePoint, FailingRun } from "./failing-run.ts";

/** A choice of the failing run in words. */
export interface ChoiceInWords {
  /** Its place among the choices of the run, from 0. */
  readonly choice: number;
  /** What the choice decides: "sched", "fault", "time", "data", "workload". */
  readonly kind: ChoicePoint["kind"];
  readonly part: string;
  readonly label: string;
  /** The chosen option, from 0, of how many. */
  readonly value: number;
  readonly of: number;
  /** Who went first, which fault struck, which act was done. */
  readonly words: string;
  /** What happened next, as stories say it; may be empty. */
  readonly next: readonly string[];
  /** When that was, in virtual milliseconds: the time of the last event before. */
  readonly at: number;
}

/** How many events after a choice are told. */
const THEN_MAX = 2;
/** What happens all the time and explains little. */
const COMMON: ReadonlySet<TraceEvent["kind"]> = new Set<TraceEvent["kind"]>([
  "pull",
  "outstanding",
  "groups",
  "manager",
  "client-call",
  "state-got",
  "phase",
]);

/** Puts the choices of a failing run into words. */
export class ChoiceTeller {
  readonly #scenario: Scenario;
  readonly #run: FailingRun;
  readonly #faults: ReadonlyMap<number, object>;
  readonly #cast: ReturnType<typeof castFrom>;

  constructor(scenario: Scenario, run: FailingRun) {
    this.#scenario = scenario;
    this.#run = run;
    this.#faults = new Map(run.drawn.map(({ choice, fault }) => [choice, fault]));
    this.#cast = castFrom(run.report.trace, run.violation.ref);
  }

  /** Returns one choice in words. */
  tell(point: ChoicePoint): ChoiceInWords {
    const { at, kind, part, label, value, n } = point;
    return {
      choice: at,
      kind,
      part,
      label,
      value,
      of: n,
      words: this.#words(point),
      next: this.#next(point),
      at: this.timeOf(point),
    };
  }

  /** Whether a choice, though not the calm one, does what the calm one would have done. */
  isCalm(point: ChoicePoint): boolean {
    const world = worldKindOf(this.#scenario);
    const words = world.optionWords?.(point);
    return words !== undefined && words === world.optionWords?.({ ...point, value: 0 });
  }

  /** Returns the virtual time of the last event before a choice. */
  timeOf({ eventsBefore }: ChoicePoint): number {
    return this.#run.report.trace[eventsBefore - 1]?.at ?? 0;
  }

  #words(point: ChoicePoint): string {
    const { kind, part, label, value, n, lanes } = point;
    const fault = this.#faults.get(point.at);
    if (fault !== undefined) return partWords(fault);
    if (lanes !== undefined) return scheduleWords(lanes, value);
    const option =
      worldKindOf(this.#scenario).optionWords?.(point) ?? `option ${value} of 0 to ${n - 1}`;
    return kind === "fault" ? `no fault: ${label} (${part})` : `${part}, "${label}": ${option}`;
  }

  /** What happened until the next choice of the same stream. */
  #next({ at, kind, part, eventsBefore }: ChoicePoint): readonly string[] {
    const { points, report } = this.#run;
    const next = points.find((one) => one.at > at && one.kind === kind && one.part === part);
    const events = report.trace.slice(eventsBefore, next?.eventsBefore);
    const told = events.filter((event) => !COMMON.has(event.kind));
    return [...new Set(told.map((event) => eventWords(event, this.#cast)))].slice(0, THEN_MAX);
  }
}

function scheduleWords(lanes: readonly string[], value: number): string {
  const first = lanes[value] ?? "?";
  if (first === CLOCK_TASK) return `time went on before ${lanes.slice(0, value).join(", ")}`;
  if (value > 0) return `${first} went first, before ${lanes.slice(0, value).join(", ")}`;
  return `${first} went first, as it was due first`;
}
