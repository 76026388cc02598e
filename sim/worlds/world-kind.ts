import type { Choice, Choices } from "../choices/choices.ts";
import type { OrphanedJob, Violation } from "../checkers/mod.ts";
import type { ScenarioBase } from "../codecs/scenario-parts.ts";
import type { Dice } from "../choices/dice.ts";
import type { World } from "../kernel/world.ts";
import type { StoryEnd } from "../story/story.ts";
import type { TraceEvent } from "../trace/trace.ts";
import type { Problem } from "./problems.ts";
import type { ScenarioMakeup } from "./scenario-makeup.ts";
import type { Stage } from "./stage.ts";
import type { SubjectModule } from "./subject-module.ts";
import type { WorldParts } from "./world-parts.ts";

/** Runs the checkers of one world over the trace of one run. */
export interface CheckerRun {
  readonly violations: readonly Violation[];
  observe(event: TraceEvent): void;
  /** Judges what can only be judged after the last event. */
  end(): void;
  /** How often each crash point of the triggerer's flow was hit; of other worlds none. */
  crashPoints(): ReadonlyMap<string, number>;
  /** The jobs that ran on without a task that waited for them; absent where there are no jobs. */
  orphans?(): readonly OrphanedJob[];
}

/** An act that a scenario lists. */
export interface Act {
  /** The member of the scenario that lists it, and its place there. */
  readonly path: readonly [list: string, at: number];
  readonly part: object;
}

/** The items of one member of a scenario, as acts. */
export function actsIn(list: string, parts: readonly object[]): readonly Act[] {
  return parts.map((part, at) => ({ path: [list, at], part }));
}

/** Runs without faults, from which all others know what to expect of the code under test. */
export interface ReferenceRun<S> {
  /** The scenario of the next such run; undefined where all is known that they show. */
  scenario(scenario: S, parts: WorldParts): S | undefined;
  /** Notes in `parts` what such a run showed. */
  note(scenario: S, trace: readonly TraceEvent[], parts: WorldParts): void;
}

/**
 * One kind of world: what plays a scenario that names it, and what judges the run.
 *
 * Everything that runs is such a world; the run loop, the search and the command line know a world
 * only by this interface.
 */
export interface WorldKind<S extends ScenarioBase> {
  /** Draws what a scenario leaves to chance; absent where scenarios leave nothing. */
  complete?(scenario: S, choices: Choices, parts: WorldParts): S;
  /** Builds the world of a complete scenario; nothing in it has started yet. */
  build(world: World, scenario: S, parts: WorldParts): Stage;
  /** What must be known of the code under test before a run; absent where there is nothing. */
  readonly reference?: ReferenceRun<S>;
  /** Draws a whole scenario that checks every promise of the world. */
  draw(dice: Dice): Omit<S, "name">;
  /** Finds what a scenario says that cannot come about in this world. */
  problems(scenario: S): Iterable<Problem>;
  /** What others do than the code under test, an entry each that should not come to nothing. */
  acts(scenario: S): readonly Act[];
  /** The ids of the checkers that a scenario of this world may name. */
  readonly checkers: readonly string[];
  /** Whether a promise is owed, so that a scenario that asks for all has it checked. */
  isOwed(scenario: S, checker: string): boolean;
  /** The checkers that the scenario wants; `sometimes` is called with each mark that is reached. */
  judge(scenario: S, sometimes: (mark: string) => void, parts: WorldParts): CheckerRun;
  /** The events that led to a violation, or to the end of a run, a line each. */
  story(trace: readonly TraceEvent[], end: StoryEnd): readonly string[];
  /** What should happen now and then in this world. */
  readonly marks: readonly string[];
  /** Whether its promises must hold even if hosts stall for up to a minute. */
  mayStall(scenario: S): boolean;
  /** What the chosen option of a choice means, in a few words; absent where labels say enough. */
  optionWords?(choice: Choice): string | undefined;
  /** How a search takes its scenarios apart. */
  readonly makeup: ScenarioMakeup<S>;
  /** How a scenario names the code under test; absent where that is the kit's own. */
  readonly subject?: SubjectModule<S>;
  /** Whether jobs of an outside system are submitted in it. */
  readonly hasJobs: boolean;
}
