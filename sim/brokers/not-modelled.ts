import { recogniseAnyCopy } from "../../src/any-copy.ts";
import { currentRealm } from "../realm/realm.ts";

const WHY = "which the model of its broker does not have";

/**
 * Thrown for what a client of the real broker may use and the model does not have: it is refused by
 * name, so that no run passes because a call was swallowed.
 *
 * Holds: a run in which one was created is not judged, also when the code under test caught it:
 * what the real broker would have done then is not known. It ends with `NotVirtual`.
 *
 * @example
 * ```ts
 * import { NotModelled } from "faultlane/brokers";
 *
 * const error = new NotModelled("LISTEN", "the page of your model");
 * console.log(error.message); // => Not modelled: LISTEN; see the page of your model
 * ```
 */
export class NotModelled extends Error {
  static {
    recogniseAnyCopy(this, "NotModelled");
  }

  /** Always "NotModelled". */
  override readonly name = "NotModelled";

  /** Creates the error for what is not modelled, and says where one reads on. */
  constructor(what: string, see: string) {
    super(`Not modelled: ${what}; see ${see}`);
    currentRealm()?.refuse(what, `see ${see}`, WHY);
  }
}

/** A member that the library publishes and the model refuses. */
export type Refusing = (...given: readonly unknown[]) => never;

/**
 * Returns a member that throws `NotModelled`; also where the library's returns a promise.
 *
 * @example
 * ```ts
 * import { refusing } from "faultlane/brokers";
 *
 * const client = { subscribe: refusing("Jobs.subscribe()", "your model") };
 * try {
 *   client.subscribe("orders");
 * } catch (error) {
 *   console.log(String(error)); // => NotModelled: Not modelled: Jobs.subscribe(); see your model
 * }
 * ```
 */
export function refusing(what: string, see: string): Refusing {
  return () => {
    throw new NotModelled(what, see);
  };
}

/**
 * Returns such members of one object by their names.
 *
 * @example
 * ```ts
 * import { refusingAll } from "faultlane/brokers";
 *
 * const refused = refusingAll("Jobs", ["subscribe", "purge"], "your model");
 * console.log(Object.keys(refused).join(", ")); // => subscribe, purge
 * ```
 */
export function refusingAll<Name extends string>(
  owner: string,
  names: readonly Name[],
  see: string,
): Readonly<Record<Name, Refusing>> {
  const members = names.map((name) => [name, refusing(`${owner}.${name}()`, see)]);
  return Object.fromEntries(members) as Readonly<Record<Name, Refusing>>;
}

/**
 * Checks that a call sets no option that the model would have to ignore.
 *
 * @throws {NotModelled} for the first such option
 *
 * @example
 * ```ts
 * import { assertModelled } from "faultlane/brokers";
 *
 * try {
 *   assertModelled("Jobs.take()", { limit: 10, priority: 1 }, ["limit"], "your model");
 * } catch (error) {
 *   console.log(String(error)); // => NotModelled: Not modelled: Jobs.take() with priority; see your model
 * }
 * ```
 */
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
