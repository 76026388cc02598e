/** The parts of one kind in a scenario; a search may leave some out. */
export interface PartList<S> {
  /** The member of the scenario that lists them, or that says how many there are. */
  readonly member: string;
  /** How many there must be. */
  readonly least: number;
  count(scenario: S): number;
  /** The scenario with only the parts at these places (from 0), in this order. */
  keep(scenario: S, places: readonly number[]): S;
  /** Whether a run means as much without the part at this place. */
  isOptional(scenario: S, place: number): boolean;
}

/**
 * How the scenarios of a world are put together: all that a search knows of their contents.
 *
 * Only what a scenario lists can be left out, not what it leaves to chance.
 */
export interface ScenarioMakeup<S> {
  /** Returns the listed faults; none in a world without faults. */
  faults(scenario: S): readonly object[];
  /** The scenario with these faults; itself in a world that takes none. */
  withFaults(scenario: S, faults: readonly object[]): S;
  /** Whether random faults strike beside the listed ones. */
  hasStorm(scenario: S): boolean;
  withoutStorm(scenario: S): S;
  /** What users and clients do. */
  readonly operations: PartList<S>;
  /** Other lists of parts; reduced in this order. */
  readonly members: readonly PartList<S>[];
  /** Members that are counts or numbers, by name, with the least value of each. */
  readonly counts: ReadonlyMap<string, number>;
  /** Returns the scenario with at most this many hosts of the kind it has several of. */
  withHosts(scenario: S, most: number): S;
  /**
   * In how many runs, of seeds one after the other, a shrinker tries each smaller scenario. Present
   * where scenarios list all that happens, and chance decides only how long it takes and what comes
   * first; without it a shrinker pins the choices of the failing run.
   */
  readonly seedsTried?: number;
}

type ListMember<S> = {
  [K in keyof S]-?: Exclude<S[K], undefined> extends readonly object[] ? K : never;
}[keyof S] &
  string;

type Item<S, K extends keyof S> = Extract<S[K], readonly object[]>[number];

interface ListOptions<One> {
  /** Default 0. */
  readonly least?: number;
  /** Default: every part is. */
  readonly isOptional?: (one: One) => boolean;
}

/** The parts that a scenario lists in one of its members. */
export function listedParts<S, K extends ListMember<S>>(
  member: K,
  { least = 0, isOptional = () => true }: ListOptions<Item<S, K>> = {},
): PartList<S> {
  const itemsOf = (scenario: S): readonly Item<S, K>[] =>
    (scenario[member] as readonly Item<S, K>[] | undefined) ?? [];
  return {
    member,
    least,
    count: (scenario) => itemsOf(scenario).length,
    keep: (scenario, places) => {
      const items = itemsOf(scenario);
      return { ...scenario, [member]: places.map((place) => items[place]) };
    },
    isOptional: (scenario, place) => {
      const item = itemsOf(scenario)[place];
      return item !== undefined && isOptional(item);
    },
  };
}

/** The names of all members of a scenario, however deep they lie. */
type MemberName<T> = T extends readonly (infer One)[]
  ? MemberName<One>
  : T extends object
    ? { [K in keyof T & string]: K | MemberName<T[K]> }[keyof T & string]
    : never;

/** The members of a scenario that are counts, with the least of each. */
export function countMembers<S>(
  least: Partial<Readonly<Record<MemberName<S>, number>>>,
): ReadonlyMap<string, number> {
  return new Map(Object.entries<number | undefined>(least).map(([name, n]) => [name, n ?? 0]));
}

interface FaultMembers {
  readonly faults?: readonly object[] | undefined;
  readonly storm?: object | undefined;
}

type FaultMakeup<S> = Pick<
  ScenarioMakeup<S>,
  "faults" | "withFaults" | "hasStorm" | "withoutStorm"
>;

/** The faults of scenarios that list them under `faults`, and may have a storm. */
export function listedFaults<S extends FaultMembers>(): FaultMakeup<S> {
  return {
    faults: ({ faults }) => faults ?? [],
    withFaults: (scenario, faults) => ({ ...scenario, faults }),
    hasStorm: ({ storm }) => storm !== undefined,
    withoutStorm: (scenario) =>
      scenario.storm === undefined ? scenario : { ...scenario, storm: undefined },
  };
}

/** The faults of scenarios that have none. */
export function noFaults<S>(): FaultMakeup<S> {
  return {
    faults: () => [],
    withFaults: (scenario) => scenario,
    hasStorm: () => false,
    withoutStorm: (scenario) => scenario,
  };
}
