import * as fc from "fast-check";

/** Data that is drawn: what JSON has, and `{ $: name }` for what only a program has. */
export type Drawn =
  | string
  | number
  | boolean
  | null
  | readonly Drawn[]
  | { readonly [name: string]: Drawn };

/** What a caller without types may give in the place of anything. */
const ODD: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  "empty text": () => "",
  text: () => "x",
  "text of a number": () => "1",
  "-1": () => -1,
  "-2": () => -2,
  "0": () => 0,
  "1": () => 1,
  "1.5": () => 1.5,
  huge: () => 1e12,
  NaN: () => Number.NaN,
  true: () => true,
  false: () => false,
  object: () => ({}),
  list: () => [],
  "list of null": () => [null],
  "list of a number": () => [1],
  "list of a text": () => ["x"],
  "list of an object": () => [{}],
  function: () => () => undefined,
  bytes: () => new Uint8Array([104, 105]),
  buffer: () => Buffer.from("hi"),
};

export const oddValue: fc.Arbitrary<Drawn> = fc
  .constantFrom(...Object.keys(ODD))
  .map((name) => ({ $: name }));

/** What is right most of the time. */
export function mostly(right: fc.Arbitrary<Drawn>, weight = 14): fc.Arbitrary<Drawn> {
  return fc.oneof({ weight, arbitrary: right }, { weight: 1, arbitrary: oddValue });
}

type Fields = Readonly<Record<string, fc.Arbitrary<Drawn>>>;

/** An object that has all of the first fields most of the time, and few of the others. */
export function fields(needed: Fields, others: Fields = {}, share = 4): fc.Arbitrary<Drawn> {
  const absent = Symbol("absent");
  const maybe = (field: fc.Arbitrary<Drawn>, weight: number): fc.Arbitrary<Drawn | symbol> =>
    weight > 0
      ? fc.oneof({ weight, arbitrary: field }, { weight: 1, arbitrary: fc.constant(absent) })
      : fc.oneof(
          { weight: 1, arbitrary: field },
          { weight: -weight, arbitrary: fc.constant(absent) },
        );
  const all = Object.fromEntries([
    ...Object.entries(needed).map(([name, field]) => [name, maybe(field, 40)] as const),
    ...Object.entries(others).map(([name, field]) => [name, maybe(field, -share)] as const),
  ]);
  return fc.record(all).map((drawn) => {
    const kept = Object.entries(drawn).filter(([, value]) => value !== absent);
    return Object.fromEntries(kept) as Drawn;
  });
}

/** Makes of what is drawn what a program has; `named` is what it calls by a name of its own. */
export function madeFrom(
  drawn: Drawn,
  named: (name: string, drawn: { readonly [name: string]: Drawn }) => unknown,
): unknown {
  if (Array.isArray(drawn)) return drawn.map((one: Drawn) => madeFrom(one, named));
  if (typeof drawn !== "object" || drawn === null) return drawn;
  const known = drawn as { readonly [name: string]: Drawn };
  const name = known["$"];
  if (typeof name === "string") return (ODD[name] ?? (() => named(name, known)))();
  return Object.fromEntries(
    Object.entries(known).map(([key, value]) => [key, madeFrom(value, named)]),
  );
}

const DEPTH_MAX = 7;
const ENGINES = /^(?:Type|Range|Syntax|Reference)Error$/;
/** What a server or a clock makes up, by the name of its field. */
const MADE_UP =
  /^(?:retryTime|memberId|leaderId|clientId|clientHost|duration|timestamp|id|memberAssignment|memberMetadata|stack|helpUrl)$/;

/** What a value shows to who looks at all of it, as JSON. */
export function shown(value: unknown, depth = 0): unknown {
  if (value === undefined) return "(undefined)";
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : `(${value})`;
  if (typeof value !== "object") return `(${typeof value})`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString()}`;
  if (value instanceof Error) return { failed: shownError(value, depth) };
  if (depth > DEPTH_MAX) return "(deep)";
  // The order between partitions is nobody's promise.
  if (Array.isArray(value)) return inOrder(value.map((one) => shown(one, depth + 1)));
  const entries = Object.entries(value)
    .filter(([, one]) => typeof one !== "function")
    .map(([name, one]) => [name, MADE_UP.test(name) ? `(${typeof one})` : shown(one, depth + 1)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}

function inOrder(shownOnes: readonly unknown[]): readonly unknown[] {
  const isAboutPartitions = shownOnes.every(
    (one) =>
      typeof one === "object" &&
      one !== null &&
      /"(?:partition|partitionId|failed)"/.test(JSON.stringify(one)),
  );
  if (!isAboutPartitions) return shownOnes;
  return shownOnes
    .map((one) => JSON.stringify(one))
    .toSorted()
    .map((one) => JSON.parse(one) as unknown);
}

const FACTS = ["name", "message", "code", "type", "retriable", "retryCount", "topic", "partition"];

function shownError(error: Error, depth: number): unknown {
  const known = error as unknown as Readonly<Record<string, unknown>>;
  const { cause } = error;
  const isEngines =
    ENGINES.test(error.name) || (cause instanceof Error && ENGINES.test(cause.name));
  if (ENGINES.test(error.name)) return "(an engine's error)";
  const facts = FACTS.filter((name) => known[name] !== undefined).map((name) => [
    name,
    name === "message" && isEngines ? "(the engine's)" : shown(known[name], depth + 1),
  ]);
  const errors = known["errors"];
  return {
    ...Object.fromEntries(facts),
    ...(cause === undefined ? {} : { cause: shown(cause, depth + 1) }),
    ...(Array.isArray(errors) ? { errors: errors.map((one) => shown(one, depth + 1)) } : {}),
  };
}

/**
 * Leaves out what comes again at once: how often a reader that makes no progress begins anew is a
 * matter of time.
 */
export function withoutRepeats(told: readonly unknown[]): readonly unknown[] {
  const kept: string[] = [];
  for (const one of told) {
    kept.push(JSON.stringify(one));
    for (let length = 1; length <= REPEATED_MAX && 2 * length <= kept.length; length += 1) {
      const [before, last] = [kept.slice(-2 * length, -length), kept.slice(-length)];
      if (before.join() !== last.join()) continue;
      kept.splice(-length);
      break;
    }
  }
  return kept.map((one) => JSON.parse(one) as unknown);
}

/** So many events come again together at most. */
const REPEATED_MAX = 12;

/** Whether what was seen is the model's word for what it does not have. */
export function isRefused(seen: unknown): boolean {
  return JSON.stringify(seen ?? null).includes("Not modelled: ");
}
