import { isSure, type Ratio } from "../../faults/rule.ts";
import { partWords } from "../../run/vacuity.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { worldKindOf } from "../../scenario/world-kinds.ts";
import { withoutImpossible } from "../possible.ts";
import { problemsOf } from "../../scenario/problems.ts";
import type { ChoiceTeller } from "./choice-words.ts";
import type { ChoicePoint, FailingRun } from "./failing-run.ts";

/** A fault or an act of the failing run, which may be left out of it. */
export interface RunPart {
  readonly kind: "fault" | "act";
  /** Where the scenario lists it: `faults[2]`; undefined for what was drawn. */
  readonly path: string | undefined;
  /** The choice that decided it, from 0; undefined for what the scenario lists. */
  readonly choice: number | undefined;
  readonly words: string;
  /** The listed fault or act itself. */
  readonly part: object | undefined;
}

/**
 * Returns the faults and acts of a run that took effect before its failure: listed ones first, then
 * drawn faults, then drawn acts, of each kind the latest first. That an act differs from the calm
 * one does not mean that it did anything.
 */
export function partsOfRun(
  scenario: Scenario,
  run: FailingRun,
  teller: ChoiceTeller,
): readonly RunPart[] {
  const struck = run.drawn.map(({ choice, fault }) => drawnPart("fault", choice, partWords(fault)));
  const acts = run.points
    .filter((point) => point.kind === "workload" && point.value > 0 && !teller.isCalm(point))
    .toSorted(likelyActsFirst)
    .map((point) => drawnPart("act", point.at, teller.tell(point).words));
  return [
    ...listedFaults(scenario).filter(({ part }) => run.effects.has(part as object)),
    ...listedActs(scenario).filter(({ part }) => run.effects.has(part as object)),
    ...struck.toReversed(),
    ...acts,
  ];
}

/** Returns the scenario without these parts; undefined where it makes no sense without them. */
export function scenarioWithout(
  scenario: Scenario,
  parts: readonly RunPart[],
): Scenario | undefined {
  const gone = new Set(parts.flatMap(({ part }) => (part === undefined ? [] : [part])));
  if (gone.size === 0) return scenario;
  const world = worldKindOf(scenario);
  const { makeup } = world;
  const faults = makeup.faults(scenario).filter((fault) => !gone.has(fault));
  const lists = new Set(world.acts(scenario).map(({ path: [list] }) => list));
  const members = Object.entries(makeup.withFaults(scenario, faults)).map(
    ([name, value]: readonly [string, unknown]) => [
      name,
      lists.has(name) && Array.isArray(value)
        ? value.filter((one: object) => !gone.has(one))
        : value,
    ],
  );
  const left = withoutImpossible(Object.fromEntries(members) as Scenario);
  return problemsOf(left).length > 0 ? undefined : left;
}

function listedFaults(scenario: Scenario): readonly RunPart[] {
  const isListed = ({ rate }: { readonly rate?: Ratio | undefined }): boolean => isSure(rate);
  return worldKindOf(scenario)
    .makeup.faults(scenario)
    .flatMap((part, at) => (isListed(part) ? [listedPart("fault", `faults[${at}]`, part)] : []));
}

function listedActs(scenario: Scenario): readonly RunPart[] {
  return worldKindOf(scenario)
    .acts(scenario)
    .map(({ path: [list, at], part }) => listedPart("act", `${list}[${at}]`, part));
}

function listedPart(kind: RunPart["kind"], path: string, part: object): RunPart {
  return { kind, path, choice: undefined, words: partWords(part), part };
}

function drawnPart(kind: RunPart["kind"], choice: number, words: string): RunPart {
  return { kind, path: undefined, choice, words, part: undefined };
}

/** The last option is the one that strikes, where something strikes at a rate. */
function likelyActsFirst(one: ChoicePoint, other: ChoicePoint): number {
  return classOf(one) - classOf(other) || other.at - one.at;
}

/** So many options are kinds of acts; more are the odds of something. */
const KINDS_MAX = 16;

function classOf(point: ChoicePoint): number {
  if (isMissedChance(point)) return 2;
  return point.value === point.n - 1 ? 0 : 1;
}

/** Whether something had a chance to happen, one of many options, and did not. */
export function isMissedChance({ n, value }: Pick<ChoicePoint, "n" | "value">): boolean {
  return n > KINDS_MAX && value < n - 1;
}
