import type { PageState } from "./page-state.ts";
import type { Timeline } from "./timeline/timeline.ts";

/** Every key with what it does, for the help and for the listener. */
const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["← →", "last, next event"],
  ["[ ]", "last, next event of the same host"],
  ["{ }", "last, next event of the same lane"],
  ["j k", "next, last step of the chosen journey"],
  ["n p", "next, last fault or crash"],
  ["b", "the break"],
  ["Home End", "first, last event"],
  ["+ −", "zoom"],
  ["0", "the whole run"],
  ["e", "axis: time or event numbers"],
  ["/", "search"],
  ["?", "these keys"],
];

/** What the page does for a key besides moving the cursor. */
export interface KeyTargets {
  readonly timeline: Timeline;
  readonly toggleAxis: () => void;
  readonly search: () => void;
  readonly help: () => void;
}

/** The keys in words, for the help. */
export function keyHelp(): readonly (readonly [keys: string, does: string])[] {
  return KEYS;
}

/** Listens to the keys, except where somebody types. */
export function listenToKeys(state: PageState, targets: KeyTargets): void {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const isTyping =
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement;
    if (isTyping) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (press(event.key, state, targets)) event.preventDefault();
  });
}

/** Does what a key stands for; returns whether it stands for anything. */
function press(key: string, state: PageState, targets: KeyTargets): boolean {
  const { run, cursor } = state;
  const { trace, lanes, breaks } = run;
  const sameHost = (event: number): boolean => trace.host(event) === trace.host(cursor);
  const sameLane = (event: number): boolean => lanes.laneOf[event] === lanes.laneOf[cursor];
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => state.moveTo(cursor - 1),
    ArrowRight: () => state.moveTo(cursor + 1),
    "[": () => state.step(-1, sameHost),
    "]": () => state.step(1, sameHost),
    "{": () => state.step(-1, sameLane),
    "}": () => state.step(1, sameLane),
    j: () => stepJourney(state, 1),
    k: () => stepJourney(state, -1),
    n: () => state.step(1, (event) => isUpheaval(state, event)),
    p: () => state.step(-1, (event) => isUpheaval(state, event)),
    b: () => state.moveTo(breaks[0] ?? trace.length - 1),
    Home: () => state.moveTo(0),
    End: () => state.moveTo(trace.length - 1),
    "+": () => targets.timeline.zoom(1),
    "=": () => targets.timeline.zoom(1),
    "-": () => targets.timeline.zoom(-1),
    "0": () => targets.timeline.showAll(),
    e: () => targets.toggleAxis(),
    "/": () => targets.search(),
    "?": () => targets.help(),
  };
  const action = Object.hasOwn(actions, key) ? actions[key] : undefined;
  action?.();
  return action !== undefined;
}

/** Moves the cursor along the chosen journey. */
export function stepJourney(state: PageState, direction: 1 | -1): void {
  const { journey, cursor } = state;
  if (journey === undefined) return;
  const { steps } = journey;
  const step =
    direction === 1
      ? steps.find(({ event }) => event > cursor)
      : steps.findLast(({ event }) => event < cursor);
  if (step !== undefined) state.moveTo(step.event);
}

function isUpheaval({ run }: PageState, event: number): boolean {
  const kind = run.trace.kind(event);
  if (kind === "fault" || kind === "link" || kind === "uncaught") return true;
  if (kind !== "host") return false;
  const one = run.trace.event(event);
  return one.kind === "host" && one.state !== "start";
}
