import * as fc from "fast-check";
import { type Drawn, mostly, oddValue } from "./odd-values.ts";

export type Part = "admin" | "consumer" | "producer";
export type Call = readonly [part: Part, method: string, given: readonly Drawn[]];
/** What a program does next: data alone, so that it shrinks and can be read. */
export type Step =
  | readonly ["make", Part, Drawn]
  | readonly ["call", Call]
  | readonly ["begin", Call]
  | readonly ["look", ms: number];
/** What each method may be given. */
export type Methods = Readonly<
  Record<Part, Readonly<Record<string, fc.Arbitrary<readonly Drawn[]>>>>
>;
export type Configs = Readonly<Record<Part, fc.Arbitrary<Drawn>>>;

/** What a program calls by a name of its own. */
export const named = (name: string): Drawn => ({ $: name });
export const TOPIC: Drawn = named("topic");
export const flag: fc.Arbitrary<Drawn> = mostly(fc.boolean());
export const unknown = { unknownOption: fc.constant<Drawn>(1) };
export const text: fc.Arbitrary<Drawn> = fc.constantFrom<Drawn>(
  ...["v", "", "größe", named("buffer")],
);

export function some(
  given: fc.Arbitrary<Drawn>,
  maxLength = 2,
  minLength = 0,
): fc.Arbitrary<Drawn> {
  return fc.array(given, { minLength, maxLength });
}

export const header: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: some(text) },
  { weight: 1, arbitrary: oddValue },
);

/** One argument; sometimes it is none at all, or an odd one. */
export function one(given: fc.Arbitrary<Drawn>, weight = 14): fc.Arbitrary<readonly Drawn[]> {
  return fc.oneof(
    { weight: weight * 2, arbitrary: fc.tuple(given) },
    { weight: 2, arbitrary: fc.tuple(oddValue) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
}

/** Acts of a handler, each at its nth call. */
export function handlerOf(act: fc.Arbitrary<Drawn>): fc.Arbitrary<Drawn> {
  return fc
    .array(fc.tuple(fc.nat({ max: 2 }), act), { maxLength: 3 })
    .map((acts): Drawn => ({ $: "handler", acts: acts as unknown as Drawn }));
}

/** Any step; a call of a part as often as its weight says. */
export function stepOf(
  methods: Methods,
  configs: Configs,
  weights: Readonly<Record<Part, number>>,
): fc.Arbitrary<Step> {
  const callOf = (part: Part): fc.Arbitrary<Call> =>
    fc.oneof(
      ...Object.entries(methods[part]).map(([method, given]) =>
        given.map((drawn) => [part, method, drawn] as const),
      ),
    );
  const parts = Object.entries(weights) as [Part, number][];
  const call = fc.oneof(...parts.map(([part, weight]) => ({ weight, arbitrary: callOf(part) })));
  const made = fc
    .constantFrom<Part>("producer", "consumer", "admin")
    .chain((part) => configs[part].map((config) => ["make", part, config] as const));
  return fc.oneof(
    { weight: 12, arbitrary: call.map((drawn) => ["call", drawn] as const) },
    { weight: 1, arbitrary: call.map((drawn) => ["begin", drawn] as const) },
    { weight: 2, arbitrary: made },
    { weight: 1, arbitrary: fc.constant(["look", 700] as const) },
  );
}

export function called(part: Part, method: string, ...given: Drawn[]): Step {
  return ["call", [part, method, given]];
}

/** A consumer runs, with anything that `run` may be given. */
export function running(methods: Methods): fc.Arbitrary<readonly Step[]> {
  const given = methods.consumer["run"] as fc.Arbitrary<readonly Drawn[]>;
  return given.map((drawn) => [called("consumer", "run", ...drawn)]);
}

/** Steps that are left out now and then. */
export function usually(steps: readonly Step[], weight: number): fc.Arbitrary<readonly Step[]> {
  return fc.oneof(
    { weight, arbitrary: fc.constant(steps) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
}

/** Has a part made anew now and then. */
export function sometimesMade(part: Part, configs: Configs): fc.Arbitrary<readonly Step[]> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant<readonly Step[]>([]) },
    {
      weight: 1,
      arbitrary: configs[part].map((config): readonly Step[] => [["make", part, config]]),
    },
  );
}

/** A producer that sends three records. */
export const SENT: readonly Step[] = [
  called("producer", "connect"),
  called("producer", "send", {
    topic: TOPIC,
    messages: [0, 0, 0].map((partition) => ({ partition, value: "v" })),
  }),
];
