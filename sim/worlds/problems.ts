import { durationText } from "../codecs/duration.ts";
import { HOST_FAULTS, type HostFault, type SiteFault } from "../codecs/scenario-parts.ts";
import { LYING_SITES, type SiteName, type Transaction, TRANSACTIONS } from "../faults/site.ts";
import { DATABASE_ERROR_NAMES, type DatabaseErrorName } from "../faults/database-error.ts";
import { VERDICT_NAMES, type VerdictName } from "../faults/verdict.ts";

/** Something in a scenario that cannot come about in its world. */
export interface Problem {
  /** Where in the scenario. */
  readonly path: readonly (string | number)[];
  /** What is wrong there, and what would be right. */
  readonly words: string;
}

/** Where faults can strike in a world, and the verdicts that each place takes. */
export type WorldSites = ReadonlyMap<SiteName, readonly VerdictName[]>;

const CRASHES: readonly VerdictName[] = ["crash-before", "crash-after"];
const CALLEE_CRASHES: readonly VerdictName[] = ["crash-callee-before", "crash-callee-after"];
const OUTSIDE: readonly VerdictName[] = VERDICT_NAMES.filter(
  (verdict) => !CALLEE_CRASHES.includes(verdict),
);
const FAILURES: readonly VerdictName[] = ["fail-before", "fail-after"];

/**
 * Returns the sites of a world. A call to a host takes every verdict, a call to an outside system
 * all but a crash of the callee, a point in a host's own code only a crash, and a factory, which
 * returns at once, a failure as well. Only where a transaction commits can its commit be late, only
 * where answers are about one thing among several can one be about another's, and on one connection
 * no copy of a request arrives after the next.
 */
export function sitesFrom({
  calls,
  outside = [],
  points = [],
  factories = [],
  transactions = TRANSACTIONS,
  lying = LYING_SITES,
  connections = [],
}: {
  readonly calls: readonly SiteName[];
  readonly outside?: readonly SiteName[];
  readonly points?: readonly SiteName[];
  readonly factories?: readonly SiteName[];
  /** What calls do in the database; by default as where there is one. */
  readonly transactions?: ReadonlyMap<SiteName, Transaction>;
  /** Where an answer can be about another's; by default where it says what it is about. */
  readonly lying?: readonly SiteName[];
  /** Where requests go over one connection, which brings each once and in order. */
  readonly connections?: readonly SiteName[];
}): WorldSites {
  const possibleAt = (site: SiteName, verdicts: readonly VerdictName[]): readonly VerdictName[] =>
    verdicts.filter((verdict) => {
      if (verdict === "delay-commit") return transactions.get(site) === "commit";
      if (verdict === "duplicate-late") return !connections.includes(site);
      return verdict !== "answer-other" || lying.includes(site);
    });
  return new Map([
    ...points.map((site) => [site, CRASHES] as const),
    ...factories.map((site) => [site, [...FAILURES, ...CRASHES]] as const),
    ...outside.map((site) => [site, possibleAt(site, OUTSIDE)] as const),
    // What is a point at one place and a call at another takes what a call does.
    ...calls.map((site) => [site, possibleAt(site, VERDICT_NAMES)] as const),
  ]);
}

/** The names of the hosts of a world, as scenarios give them. */
export class HostNames {
  readonly #single: readonly string[];
  readonly #numbered: readonly (readonly [prefix: string, count: number])[];

  /** `numbered`: how many hosts there are of each kind, "worker" for worker-1, worker-2, … */
  constructor(single: readonly string[], numbered: Readonly<Record<string, number>> = {}) {
    this.#single = single;
    this.#numbered = Object.entries(numbered);
  }

  has(name: string): boolean {
    if (this.#single.includes(name)) return true;
    const [, prefix, number] = /^(.+)-([1-9]\d*)$/.exec(name) ?? [];
    return this.#numbered.some(([kind, count]) => kind === prefix && Number(number) <= count);
  }

  /** Whether there are numbered hosts of this kind. */
  hasKind(name: string): boolean {
    return this.#numbered.some(([kind, count]) => kind === name && count > 0);
  }

  /** Lists the kinds of which there are several: "worker, task". */
  kinds(): string {
    return this.#numbered.map(([kind]) => kind).join(", ");
  }

  /** Lists the names: "broker, worker-1 to worker-16". */
  words(): string {
    return [...this.#single, ...this.#numbered.map(([kind, count]) => numbersText(kind, count))]
      .filter((name) => name !== "")
      .join(", ");
  }
}

function numbersText(kind: string, count: number): string {
  if (count === Number.POSITIVE_INFINITY) return `${kind}-1, ${kind}-2, …`;
  if (count <= 2) {
    return Array.from({ length: count }, (_, at) => `${kind}-${at + 1}`).join(", ");
  }
  return `${kind}-1 to ${kind}-${count}`;
}

/** What the faults of a scenario can reach. */
export interface FaultGround {
  readonly hosts: HostNames;
  /** Who is at an end of a link: the hosts, and outside systems that calls go to. Default: hosts. */
  readonly ends?: HostNames;
  readonly sites: WorldSites;
  /** What calls do in the database; default: as where there is one. */
  readonly transactions?: ReadonlyMap<SiteName, Transaction>;
  /** How long faults strike, in virtual milliseconds. */
  readonly safety: number;
}

/** Finds what keeps the faults from striking; `own` are those that only this world has. */
export function* faultProblems<Own extends object>(
  faults: readonly (SiteFault | HostFault | Own)[],
  ground: FaultGround,
  own: (fault: Own, path: Problem["path"]) => Iterable<Problem>,
): Generator<Problem> {
  for (const [at, fault] of faults.entries()) {
    const path = ["faults", at];
    if ("at" in fault && typeof fault.at === "number") {
      yield* lateProblems(fault.at, [...path, "at"], ground.safety);
    }
    if (isSiteFault(fault)) yield* siteProblems(fault, path, ground);
    else if (isHostFault(fault)) yield* hostProblems(fault, path, ground);
    else yield* own(fault, path);
  }
}

function isSiteFault(fault: object): fault is SiteFault {
  return "site" in fault;
}

function isHostFault(fault: object): fault is HostFault {
  return HOST_FAULTS.some((name) => name in fault);
}

/** Finds a time after the end of the safety phase. */
export function* lateProblems(
  ms: number,
  path: Problem["path"],
  safety: number,
  what = "faults strike",
): Generator<Problem> {
  if (ms <= safety) return;
  const words = `expected a time up to ${durationText(safety)}, the end of phases.safety, as ${what} only until then; found ${durationText(ms)}`;
  yield { path, words };
}

/** Finds a name that is not one of those that there are. */
export function* nameProblems(
  name: string,
  path: Problem["path"],
  { noun, known }: { readonly noun: string; readonly known: readonly string[] | HostNames },
): Generator<Problem> {
  const isKnown = known instanceof HostNames ? known.has(name) : known.includes(name);
  if (isKnown) return;
  const names = known instanceof HostNames ? known.words() : listOf(known);
  const there = names === "" ? "there is none" : `there are ${names}`;
  yield { path, words: `this scenario has no ${noun} ${JSON.stringify(name)}; ${there}` };
}

/** Finds names that are given twice. */
export function* twiceProblems(
  names: readonly string[],
  pathOf: (at: number) => Problem["path"],
  noun: string,
): Generator<Problem> {
  const seen = new Set<string>();
  for (const [at, name] of names.entries()) {
    if (seen.has(name)) {
      yield { path: pathOf(at), words: `there is another ${noun} ${JSON.stringify(name)} above` };
    }
    seen.add(name);
  }
}

const LISTED_MAX = 60;

function listOf(names: readonly string[]): string {
  const more = names.length - LISTED_MAX;
  const shown = names.slice(0, LISTED_MAX).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function* siteProblems(
  fault: SiteFault,
  path: Problem["path"],
  ground: FaultGround,
): Generator<Problem> {
  const { hosts, sites, safety } = ground;
  const { site, verdict, nth, times, rate, host, from, until } = fault;
  const verdicts = sites.get(site);
  if (verdicts === undefined) {
    yield* nameProblems(site, [...path, "site"], { noun: "site", known: [...sites.keys()] });
  } else if (!verdicts.includes(verdict)) {
    const why = reasonFor(verdict, verdicts);
    const words = `"${verdict}" cannot strike at ${site}${why}; expected one of ${verdicts.join(", ")}`;
    yield { path: [...path, "verdict"], words };
  }
  yield* errorProblems(fault, path, ground);
  if (rate !== undefined && (nth !== undefined || times > 1)) {
    const member = nth === undefined ? "times" : "nth";
    const words = `expected either ${member} or rate: a fault strikes the n-th call or each with a probability`;
    yield { path: [...path, member], words };
  }
  if (host !== undefined) {
    yield* nameProblems(host, [...path, "host"], { noun: "host", known: hosts });
  }
  if (from !== undefined) yield* lateProblems(from, [...path, "from"], safety);
  if (until !== undefined && until <= (from ?? 0)) {
    const words = `expected a time after ${durationText(from ?? 0)}, when the fault begins; found ${durationText(until)}`;
    yield { path: [...path, "until"], words };
  }
  if (verdict === "delay" || verdict === "delay-commit")
    yield* emptyProblems(fault.for, [...path, "for"]);
}

/** Why a call does not take a verdict that others take; empty where the name says it. */
function reasonFor(verdict: VerdictName, verdicts: readonly VerdictName[]): string {
  if (verdict !== "duplicate-late" || !verdicts.includes("duplicate")) return "";
  return ", where requests go over one connection, which brings each once and in order (over HTTP a copy may be late)";
}

const ERRORS: Readonly<Record<Transaction, readonly DatabaseErrorName[]>> = {
  read: ["pool-exhausted"],
  claim: DATABASE_ERROR_NAMES,
  commit: DATABASE_ERROR_NAMES,
};

/** Finds an error of the database where there is no transaction that could fail with it. */
function* errorProblems(
  { site, verdict, error }: SiteFault,
  path: Problem["path"],
  { sites, transactions = TRANSACTIONS }: FaultGround,
): Generator<Problem> {
  if (error === undefined || !sites.has(site)) return;
  const transaction = transactions.get(site);
  const known = transaction === undefined ? [] : ERRORS[transaction];
  if (!known.includes(error)) {
    const there = known.length === 0 ? "no error of the database" : known.join(", ");
    const words = `"${error}" cannot strike at ${site}; expected ${there}`;
    yield { path: [...path, "error"], words };
  } else if (verdict !== "fail-before") {
    const words = `expected "fail-before", as nothing is done of a transaction that fails with "${error}"; found "${verdict}"`;
    yield { path: [...path, "verdict"], words };
  }
}

function* hostProblems(
  fault: HostFault,
  path: Problem["path"],
  { hosts, ends = hosts, sites }: FaultGround,
): Generator<Problem> {
  const known = { noun: "host", known: hosts };
  if ("crash" in fault) yield* nameProblems(fault.crash, [...path, "crash"], known);
  else if ("clockStep" in fault) {
    yield* nameProblems(fault.clockStep, [...path, "clockStep"], known);
    yield* emptyProblems(Math.abs(fault.by), [...path, "by"]);
    if (fault.for !== undefined) yield* emptyProblems(fault.for, [...path, "for"]);
  } else if ("clockDrift" in fault) {
    yield* nameProblems(fault.clockDrift, [...path, "clockDrift"], known);
    yield* emptyProblems(Math.abs(fault.ppm), [...path, "ppm"]);
  } else if ("pause" in fault) {
    yield* nameProblems(fault.pause, [...path, "pause"], known);
    yield* emptyProblems(fault.for, [...path, "for"]);
  } else if ("restartAll" in fault) {
    if (hosts.hasKind(fault.restartAll)) return;
    const words = `this scenario has no kind of host ${JSON.stringify(fault.restartAll)}; there are ${hosts.kinds()}`;
    yield { path: [...path, "restartAll"], words };
  } else if ("overload" in fault) {
    yield* nameProblems(fault.overload, [...path, "overload"], { noun: "host", known: ends });
    if (fault.calls !== undefined) {
      const ofWorld = { noun: "site", known: [...sites.keys()] };
      yield* nameProblems(fault.calls, [...path, "calls"], ofWorld);
    }
    yield* emptyProblems(fault.for, [...path, "for"]);
  } else {
    const [member, link] = "cut" in fault ? ["cut", fault.cut] : ["hold", fault.hold];
    for (const [at, end] of link.entries()) {
      yield* nameProblems(end, [...path, member, at], { noun: "host", known: ends });
    }
    if (link[0] === link[1]) {
      yield { path: [...path, member], words: `expected two hosts, found "${link[0]}" twice` };
    }
    yield* emptyProblems(fault.for, [...path, "for"]);
  }
}

/** Finds a length of time with which a fault would change nothing. */
export function* emptyProblems(ms: number, path: Problem["path"]): Generator<Problem> {
  if (ms <= 0) yield { path, words: "expected more than 0: the fault would change nothing" };
}
