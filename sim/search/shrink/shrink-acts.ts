import { memberPaths, withMember } from "../../codecs/members.ts";
import { fewer, lower, within } from "./shrink.ts";

type Walk<Act> = Generator<readonly Act[], readonly Act[], boolean>;

/** Pairs are not removed from longer lists, because there are too many pairs. */
const PAIRS_OF_MAX = 16;
/** A larger number stands for "no limit" and is not lowered. */
const COUNTED_TO = 1_000;
const SECOND_MS = 1_000;

/** Removes acts that `isOf` picks; the others keep their order. */
export function* fewerActs<Act>(acts: readonly Act[], isOf: (act: Act) => boolean): Walk<Act> {
  const places = acts.flatMap((act, at) => (isOf(act) ? [at] : []));
  return yield* within(fewer(places), (left) =>
    acts.filter((act, at) => !isOf(act) || left.includes(at)),
  );
}

/** Removes two acts that only make sense together, such as a fault and its repair. */
export function* withoutPair<Act>(acts: readonly Act[]): Walk<Act> {
  if (acts.length > PAIRS_OF_MAX) return acts;
  for (let first = acts.length - 1; first > 0; first -= 1) {
    for (let second = first - 1; second >= 0; second -= 1) {
      const left = acts.filter((_, at) => at !== first && at !== second);
      if (yield left) return left;
    }
  }
  return acts;
}

/** Lowers the members of these names, which are counts or ordinals, toward 1. */
export function* smallerCounts<Act>(acts: readonly Act[], names: ReadonlySet<string>): Walk<Act> {
  let kept = acts;
  for (const [path, count] of membersOf(acts, names)) {
    if (count > COUNTED_TO) continue;
    kept = yield* within(lower(count, 1), (number) => withMember(kept, path, number));
  }
  return kept;
}

/** Rounds the members of these names, which are milliseconds, to whole seconds. */
export function* wholeSeconds<Act>(acts: readonly Act[], names: ReadonlySet<string>): Walk<Act> {
  let kept = acts;
  for (const [path, ms] of membersOf(acts, names)) {
    if (ms % SECOND_MS === 0) continue;
    // Not to 0, which may mean something else than a short time.
    const roundings = [Math.round, Math.ceil, Math.floor].map((round) =>
      Math.max(1, round(ms / SECOND_MS)),
    );
    for (const seconds of new Set(roundings)) {
      const rounded = withMember(kept, path, seconds * SECOND_MS);
      if (!(yield rounded)) continue;
      kept = rounded;
      break;
    }
  }
  return kept;
}

/** Returns every number in a piece of plain data with its path. */
export function numbersIn(
  data: unknown,
): readonly (readonly [path: readonly (string | number)[], number: number])[] {
  return memberPaths(data).flatMap((path) => {
    const member: unknown = path.reduce<unknown>(
      (whole, name) => (whole as Readonly<Record<string | number, unknown>>)[name],
      data,
    );
    return typeof member === "number" ? [[path, member] as const] : [];
  });
}

function membersOf(
  acts: readonly unknown[],
  names: ReadonlySet<string>,
): ReturnType<typeof numbersIn> {
  return numbersIn(acts).filter(([path]) => names.has(String(path.at(-1))));
}
