import type { UnusedPin } from "../choices/pinned-choices.ts";
import { durationText } from "../codecs/duration.ts";
import { HOST_FAULTS } from "../codecs/scenario-parts.ts";
import type { Injector } from "../faults/injector.ts";
import { SITE_NAMES } from "../faults/site.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";

/**
 * What came to nothing in a run.
 *
 * - `fault-never-struck`: a fault that the scenario lists struck nothing, or its storm did.
 * - `act-never-ran`: something that users, records or subscribers were to do was not done.
 * - `pin-unmatched`: a pinned choice was never asked for.
 * - `pin-out-of-range`: it was, and had fewer options than the pin takes.
 * - `pins-ignored`: a search makes all choices itself, also those that the scenario pins.
 * - `mark-never-reached`: a mark under `expect.marks` was not reached.
 */
export type VacuityKind =
  | "fault-never-struck"
  | "act-never-ran"
  | "pin-unmatched"
  | "pin-out-of-range"
  | "pins-ignored"
  | "mark-never-reached";

/** A part of a scenario that came to nothing, so that the run says nothing about it. */
export interface Vacuity {
  /** What came to nothing. */
  readonly kind: VacuityKind;
  /** Where the scenario has it: `faults[2]`. */
  readonly path: string;
  /** The same in a sentence. */
  readonly words: string;
}

/** A fault or an act that a scenario lists. */
export interface ListedPart {
  readonly kind: "fault-never-struck" | "act-never-ran";
  readonly path: string;
  /** The part itself, by which a run reports that it took effect. */
  readonly part: object;
}

/** Returns the faults and acts that a scenario lists, faults first. */
export function listedPartsOf(scenario: Scenario): readonly ListedPart[] {
  const kind = worldKindOf(scenario);
  const faults = kind.makeup.faults(scenario).map((part, at) => ({ path: `faults[${at}]`, part }));
  const storm = "storm" in scenario && scenario.storm !== undefined ? [scenario.storm] : [];
  return [
    ...[...faults, ...storm.map((part) => ({ path: "storm", part }))].map(
      (one) => ({ kind: "fault-never-struck", ...one }) as const,
    ),
    ...kind
      .acts(scenario)
      .map(
        ({ path: [list, at], part }) =>
          ({ kind: "act-never-ran", path: `${list}[${at}]`, part }) as const,
      ),
  ];
}

/** What is known of a run, or of many, when it is over. */
export interface Happened {
  /** How often a listed part took effect. */
  readonly effectsOf: (part: object) => number;
  readonly marksReached: ReadonlySet<string>;
  /** How often each site was called until the faults ended; left out where that is not known. */
  readonly calls?: ReturnType<Injector["callsArmed"]>;
  /** The pins of the scenario that decided nothing; none by default. */
  readonly unusedPins?: readonly UnusedPin[];
  /** Whether a search made the choices; default false. */
  readonly isSearch?: boolean;
}

/** Returns what of a scenario came to nothing. */
export function vacuityOf(scenario: Scenario, happened: Happened): readonly Vacuity[] {
  const { effectsOf, marksReached, calls, unusedPins = [], isSearch = false } = happened;
  const idle = listedPartsOf(scenario)
    .filter(({ part }) => effectsOf(part) === 0)
    .map(({ kind, path, part }) => {
      const end = kind === "fault-never-struck" ? "never struck" : "came to nothing";
      const words = `${path} (${partWords(part)}) ${end}${callWords(part, calls)}`;
      return { kind, path, words };
    });
  const marks = (scenario.expect.marks ?? []).flatMap((mark, at): readonly Vacuity[] => {
    if (marksReached.has(mark)) return [];
    const path = `expect.marks[${at}]`;
    return [{ kind: "mark-never-reached", path, words: `the mark "${mark}" was never reached` }];
  });
  const pins = isSearch ? ignoredPins(scenario) : pinVacuity(scenario, unusedPins);
  return [...idle, ...pins, ...marks];
}

function ignoredPins({ choices }: Scenario): readonly Vacuity[] {
  if (choices === undefined) return [];
  const words =
    "choices: a search makes all choices itself and ignores those that the scenario pins; `run` makes the pinned run";
  return [{ kind: "pins-ignored", path: "choices", words }];
}

/** Returns what came to nothing in every one of some runs of one scenario. */
export function vacuousInAll(
  runs: readonly { readonly vacuous: readonly Vacuity[] }[],
): readonly Vacuity[] {
  const [first, ...others] = runs;
  if (first === undefined) return [];
  return first.vacuous.filter(({ kind, path }) =>
    others.every((run) => run.vacuous.some((one) => one.kind === kind && one.path === path)),
  );
}

/** Returns the path of a pinned choice, by its place from 0. */
export function pinPath(at: number): string {
  return `choices[${at}]`;
}

function pinVacuity(
  { choices: pins = [] }: Scenario,
  unused: readonly UnusedPin[],
): readonly Vacuity[] {
  return unused.flatMap(({ at, asked, options }): readonly Vacuity[] => {
    const pin = pins[at];
    if (pin === undefined) return [];
    const { kind, part, label, nth, take } = pin;
    const path = pinPath(at);
    const what = `${path} (${kind} of ${part}: "${label}", call ${nth})`;
    if (options !== undefined) {
      const words = `${what} takes option ${take}, and there are only 0 to ${options - 1}`;
      return [{ kind: "pin-out-of-range", path, words }];
    }
    const words = `${what} was never asked for; this was asked ${times(asked)}`;
    return [{ kind: "pin-unmatched", path, words }];
  });
}

/** The members that say what a part is, most telling first. */
const TELLING = [
  ...HOST_FAULTS,
  "memoryLimit",
  "rebalance",
  "expireConsumers",
  "softKill",
  "lag",
  "failOver",
  "disturb",
  "closeUnopened",
  "loseAttempt",
  "killAttempt",
  "delayAttempt",
  "createTrigger",
  "cancelTriggers",
  "shutDown",
  "upgrade",
  "clear",
  "stop",
  "trigger",
  "deploy",
  "migrate",
  "otherJobs",
  "otherRun",
  "publish",
] as const;

/** Names a fault or an act in a few words: "crash runner-1 at 10s". */
export function partWords(part: object): string {
  const members: Readonly<Record<string, unknown>> = { ...part };
  const { at, site, verdict, nth = 1, rate, host, does, subscriber, on } = members;
  if (site !== undefined) {
    const calls = rate === undefined ? `call ${textOf(nth)}` : "some calls";
    const who = host === undefined ? "" : ` of ${textOf(host)}`;
    return `${textOf(verdict)} at ${calls} of ${textOf(site)}${who}`;
  }
  if (does !== undefined) return `subscriber ${textOf(subscriber)}: ${textOf(does)} ${textOf(on)}`;
  const name = TELLING.find((one) => one in members);
  if (name === undefined) return "random faults";
  const value = members[name];
  const words = [name, ...(value === true ? [] : [textOf(value)])];
  return [...words, ...(typeof at === "number" ? ["at", durationText(at)] : [])].join(" ");
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
}

function callWords(part: object, calls: Happened["calls"]): string {
  if (calls === undefined || !("site" in part)) return "";
  const site = SITE_NAMES.find((one) => one === part.site);
  if (site === undefined) return "";
  return `; ${site} was called ${times(calls.get(site) ?? 0)} until the faults ended`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
