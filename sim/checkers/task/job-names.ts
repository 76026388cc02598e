/** Whether a stored value names a job: by its id alone, or by the id as JSON text. */
export function names(value: string, { id }: { readonly id: string }): boolean {
  return value === id || value === JSON.stringify(id);
}

/** In a path: whichever element of an array. */
const ANY = "*";

/** A part of a stored JSON value that is the id of a job. */
export interface IdPlace {
  readonly key: string;
  /** The names of the members that lead to it; `*` for the elements of an array. */
  readonly path: readonly string[];
}

/** Where an operator keeps the ids of its jobs, as a run without faults shows. */
export interface IdForms {
  /** The parts of larger values that are ids; none where it stores ids as they are. */
  readonly places: readonly IdPlace[];
  /** The keys under which it stores something else, while another one has the ids. */
  readonly others: readonly string[];
}

/** An operator that stores each id as a value of its own. */
export const PLAIN_IDS: IdForms = Object.freeze({ places: [], others: [] });

/** A count or a number of a try, which may be the id of a job on a system that counts its jobs. */
const SMALL_NUMBER = /^\d{1,9}$/;

/** Whether what is stored under a key names a job; no key: in a checkpoint, which is no entry. */
export function namesAt(
  { key, value }: { readonly key?: string; readonly value: string },
  job: { readonly id: string },
  { places, others }: IdForms,
): boolean {
  if (key !== undefined && others.includes(key) && SMALL_NUMBER.test(value)) return false;
  if (names(value, job)) return true;
  const paths = places.filter((place) => key === undefined || place.key === key);
  if (paths.length === 0) return false;
  const parsed = parsedOf(value);
  return paths.some(({ path }) => partsAt(parsed, path).some((part) => isIdOf(part, job)));
}

/** Returns the path to the first part of a JSON value that is the id of a job. */
export function pathToId(
  value: string,
  job: { readonly id: string },
): readonly string[] | undefined {
  return job.id === "" ? undefined : pathIn(parsedOf(value), job);
}

function pathIn(value: unknown, job: { readonly id: string }): readonly string[] | undefined {
  if (isIdOf(value, job)) return [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const path = pathIn(member, job);
    if (path !== undefined) return [Array.isArray(value) ? ANY : name, ...path];
  }
  return undefined;
}

function partsAt(value: unknown, [name, ...path]: readonly string[]): readonly unknown[] {
  if (name === undefined) return [value];
  if (typeof value !== "object" || value === null) return [];
  if (name === ANY) return Object.values(value).flatMap((member) => partsAt(member, path));
  return partsAt((value as Readonly<Record<string, unknown>>)[name], path);
}

function isIdOf(part: unknown, { id }: { readonly id: string }): boolean {
  return part === id || JSON.stringify(part) === id;
}

/** Returns a stored JSON text as a value; undefined when it is none. */
function parsedOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
