/** What a client of the real broker may use and the model does not have. */
export class NotModelled extends Error {
  override readonly name = "NotModelled";

  constructor(what: string, see: string) {
    super(`Not modelled: ${what}; see ${see}`);
  }
}

/** A member that the library publishes and the model refuses. */
export type Refusing = (...given: readonly unknown[]) => never;

/** Returns a member that throws `NotModelled`; also where the library's returns a promise. */
export function refusing(what: string, see: string): Refusing {
  return () => {
    throw new NotModelled(what, see);
  };
}

/** Returns such members of one object by their names. */
export function refusingAll<Name extends string>(
  owner: string,
  names: readonly Name[],
  see: string,
): Readonly<Record<Name, Refusing>> {
  const members = names.map((name) => [name, refusing(`${owner}.${name}()`, see)]);
  return Object.fromEntries(members) as Readonly<Record<Name, Refusing>>;
}

/** @throws {NotModelled} for an option that is set and that the model would have to ignore */
export function assertModelled(
  call: string,
  options: object,
  known: readonly string[],
  see: string,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    throw new NotModelled(`${call} with ${name}`, see);
  }
}
