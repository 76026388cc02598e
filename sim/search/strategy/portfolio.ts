import { pct } from "./pct.ts";
import { pos } from "./pos.ts";
import { randomWalk } from "./random-walk.ts";
import type { Strategy } from "./strategy.ts";
import { urw } from "./urw.ts";

/** The name of a strategy. */
export type StrategyName = "random" | "urw" | "pos" | "pct";

/** The strategies, by name. */
const MAKERS: Readonly<Record<StrategyName, Strategy>> = {
  random: randomWalk,
  urw,
  pos,
  pct,
};

/**
 * A kind of search: one strategy alone, `swarm` (random walks with swarm configurations), or the
 * portfolio of all strategies with swarm configurations.
 */
export type SearchName = "portfolio" | "swarm" | StrategyName;

export const SEARCHES: readonly SearchName[] = [
  "portfolio",
  "random",
  "swarm",
  "urw",
  "pos",
  "pct",
];

/**
 * Twenty runs of the portfolio: 7 URW, 5 POS, 4 random, 4 PCT, well mixed.
 *
 * None of them is guided by coverage. Searches that repeat the beginning of a run which reached
 * something new, or something rare, were tried on the bugs of bench/SEARCH-STEPS.md: alone they need
 * more runs than random walks, in a portfolio they save none.
 */
const SLOTS: readonly StrategyName[] = [
  ...(["urw", "pos", "pct", "random", "urw"] as const),
  ...(["random", "pos", "urw", "pos", "pct"] as const),
  ...(["urw", "random", "pct", "pos", "urw"] as const),
  ...(["pct", "pos", "urw", "urw", "random"] as const),
];

/** Which strategy makes the choices of one run of a search. */
export interface Turn {
  readonly strategy: StrategyName;
  /** How many runs the strategy has made before. */
  readonly turn: number;
  readonly isSwarm: boolean;
}

/** Returns the strategy of a run; `run` counts from 0. */
export function turnOf(search: SearchName, run: number): Turn {
  if (search === "swarm") return { strategy: "random", turn: run, isSwarm: true };
  if (search !== "portfolio") return { strategy: search, turn: run, isSwarm: false };
  const slot = run % SLOTS.length;
  const strategy = SLOTS[slot] as StrategyName;
  const perRound = SLOTS.filter((name) => name === strategy).length;
  const before = SLOTS.slice(0, slot).filter((name) => name === strategy).length;
  const turn = Math.floor(run / SLOTS.length) * perRound + before;
  return { strategy, turn, isSwarm: true };
}

/** Returns the strategy of this name. */
export function strategyNamed(name: StrategyName): Strategy {
  return MAKERS[name];
}
