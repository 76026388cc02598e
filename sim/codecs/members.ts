/** Every path to a member of an object in `value`, outer ones first. */
export function memberPaths(value: unknown): readonly (readonly (string | number)[])[] {
  const inner = Array.isArray(value)
    ? value.map((one, at) => [at, one] as const)
    : isRecord(value)
      ? Object.entries(value)
      : [];
  const own = isRecord(value) ? inner.map(([name]) => [name]) : [];
  const deeper = inner.flatMap(([name, one]) => memberPaths(one).map((path) => [name, ...path]));
  return [...own, ...deeper];
}

/** The same value with another member at `path`; with `undefined` there, without it. */
export function withMember<V>(value: V, path: readonly (string | number)[], member: unknown): V {
  const [name, ...deeper] = path;
  if (name === undefined) return member as V;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.map((one, at) => (at === name ? withMember(one, deeper, member) : one)) as V;
  }
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([key, one]) => {
    if (key !== name) return [[key, one] as const];
    const changed = withMember(one, deeper, member);
    return changed === undefined ? [] : [[key, changed] as const];
  });
  return Object.fromEntries(members) as V;
}

/** Returns every number in a piece of plain data with its path. */
export function numbersIn(
  data: unknown,
): readonly (readonly [path: readonly (string | number)[], number: number])[] {
  return memberPaths(data).flatMap((path) => {
    const member = memberAt(data, path);
    return typeof member === "number" ? [[path, member] as const] : [];
  });
}

/** Returns the member at `path`; undefined where there is none. */
export function memberAt(value: unknown, path: readonly (string | number)[]): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== "object" || member === null) return undefined;
    member = (member as Readonly<Record<string | number, unknown>>)[name];
  }
  return member;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
