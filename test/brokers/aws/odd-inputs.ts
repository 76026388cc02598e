import * as fc from "fast-check";
import type { Members, Shape } from "../../../sim/brokers/aws-shape.ts";

/** Values at whose place no field expects them, or at the limits of one that does. */
export const ODD: readonly unknown[] = [
  ...[undefined, null, "", "x", "ü", "5", " ", "none", true, false, 5n],
  ...[-1, -0, 0, 1, 1.5, 2, 10, 11, 20, 21, 256, 500, 900, 901, 10_000, 10_001, 43_200, 43_201],
  ...[2_147_483_647, 2_147_483_648, 1e21, 5e-7, Number.NaN, Infinity, -Infinity],
  ...[{}, [], [null], [undefined], ["x"], [5], [{}], [[]], { a: 1 }, { a: null }, ["ü"]],
  ...[new Uint8Array(), Uint8Array.of(1, 255), Uint16Array.of(1), new ArrayBuffer(1)],
  ...[
    new Date(0),
    new Date(1_700_000_000_123),
    new Date(Number.NaN),
    /x/,
    new Map(),
    new Error("x"),
  ],
  ...[new String("x"), new Number(5), { toJSON: () => undefined }, { toJSON: () => "x" }],
  ...["x\ud800", "\u0000", "a b", "AQ==", "shardId-000000000000", "x".repeat(129), "x".repeat(257)],
];

const odd = fc.constantFrom(...ODD);

/** Draws an input with fields that are missing, right, or odd; mostly of the right shape. */
export function inputOf(members: Members): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(members).map(([name, shape]) => [name, valueOf(shape)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

function valueOf(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: rightOf(shape) }, { weight: 2, arbitrary: odd });
}

function rightOf(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape) {
    case "text":
      return fc.oneof(fc.string(), fc.string({ unit: "binary" }));
    case "integer":
      return fc.integer();
    case "bytes":
      return fc.uint8Array();
    case "time":
      return fc.date();
    default:
      if ("members" in shape) return inputOf(shape.members);
      if ("map" in shape) return fc.dictionary(fc.string(), valueOf(shape.map), { maxKeys: 3 });
      return fc.array(valueOf(shape.list), { maxLength: 3 });
  }
}
