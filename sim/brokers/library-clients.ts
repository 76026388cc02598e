import { libraryPrototype } from "./library-errors.ts";

/** For a class of a library, the prototypes of models that stand in for its instances. */
const joined = new WeakMap<object, Map<object, object>>();

/**
 * Makes a client of a model, or a part of it, an instance of the client library's own class, if the
 * process has loaded that library: code that asks `instanceof` takes the class from there.
 *
 * Holds: each member of the model's class is still the model's; as of errors, no library is loaded
 * for this. The model itself may not ask `instanceof` of its own class afterwards.
 */
export function adoptClientClass(client: object, packageName: string, className: string): void {
  const library = libraryPrototype(packageName, className, Object);
  if (library !== undefined) Object.setPrototypeOf(client, joinedPrototype(client, library));
}

function joinedPrototype(client: object, library: object): object {
  const model = Object.getPrototypeOf(client) as object;
  const known = joined.get(library) ?? new Map<object, object>();
  joined.set(library, known);
  const found = known.get(model);
  if (found !== undefined) return found;
  const made = Object.create(library, membersOf(model)) as object;
  known.set(model, made);
  return made;
}

/** Whatever the prototypes of a class and of those above it have, but for the class itself. */
function membersOf(prototype: object): PropertyDescriptorMap {
  if (prototype === Object.prototype) return {};
  const above = membersOf(Object.getPrototypeOf(prototype) as object);
  const members = { ...above, ...Object.getOwnPropertyDescriptors(prototype) };
  delete members["constructor"];
  return members;
}
