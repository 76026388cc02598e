import type { Path } from "../../../sim/search/exhaustive/exhaustive.ts";

type Manager = "working" | "prepared" | "committed" | "aborted";

interface State {
  readonly managers: Manager[];
  coordinator: "init" | "committed" | "aborted";
  readonly heard: Set<number>;
  /** Messages are never taken away: who has sent "prepared", and what the coordinator has said. */
  readonly sent: Set<string>;
}

type Act = (state: State) => void;

/**
 * Two-phase commit as in Gray and Lamport, "Consensus on Transaction Commit" (TwoPhase), with so
 * many resource managers; answers what is wrong when one has committed and another has aborted.
 */
export function twoPhaseCommit(path: Path, count: number): string | undefined {
  const state: State = {
    managers: Array.from({ length: count }, () => "working"),
    coordinator: "init",
    heard: new Set(),
    sent: new Set(),
  };
  while (!path.wasVisited(() => textOf(state))) {
    const { managers } = state;
    if (managers.includes("committed") && managers.includes("aborted")) return textOf(state);
    const acts = actsIn(state);
    acts[path.choose(acts.length)]?.(state);
  }
  return undefined;
}

function actsIn(state: State): readonly Act[] {
  const acts: Act[] = [];
  const isOpen = state.coordinator === "init";
  if (isOpen && state.heard.size === state.managers.length) acts.push(commit);
  if (isOpen) acts.push(abort);
  for (const [at, manager] of state.managers.entries()) {
    if (isOpen && state.sent.has(`prepared ${at}`)) acts.push(({ heard }) => void heard.add(at));
    if (manager === "working") acts.push(prepare(at), become(at, "aborted"));
    if (state.sent.has("commit")) acts.push(become(at, "committed"));
    if (state.sent.has("abort")) acts.push(become(at, "aborted"));
  }
  return acts;
}

function commit(state: State): void {
  state.coordinator = "committed";
  state.sent.add("commit");
}

function abort(state: State): void {
  state.coordinator = "aborted";
  state.sent.add("abort");
}

function prepare(at: number): Act {
  return (state) => {
    state.managers[at] = "prepared";
    state.sent.add(`prepared ${at}`);
  };
}

function become(at: number, end: Manager): Act {
  return (state) => {
    state.managers[at] = end;
  };
}

function textOf({ managers, coordinator, heard, sent }: State): string {
  return JSON.stringify([
    managers,
    coordinator,
    [...heard].sort((one, other) => one - other),
    [...sent].sort(),
  ]);
}
