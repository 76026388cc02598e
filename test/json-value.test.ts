import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isEqualJson,
  jsonTextFrom,
  type JsonValue,
  jsonValueFromText,
  VALUE_DEPTH_MAX,
} from "../src/json-value.ts";

class Job {
  id = 1;
}

function refusal(value: unknown): string {
  try {
    jsonTextFrom(value, 'the value of "k"');
  } catch (error) {
    return String(error);
  }
  return "stored";
}

const cyclic: { self?: unknown; name: string } = { name: "c" };
cyclic.self = { inner: [cyclic] };

const sparse = [1];
sparse[2] = 3;

describe("jsonTextFrom()", () => {
  const refused: readonly (readonly [title: string, value: unknown, message: string])[] = [
    [
      "NaN (A17)",
      NaN,
      `TypeError: Cannot store NaN as the value of "k": JSON has only finite numbers`,
    ],
    [
      "Infinity (A17)",
      Infinity,
      `TypeError: Cannot store Infinity as the value of "k": JSON has only finite numbers`,
    ],
    [
      "a nested NaN (A18, A19, E37)",
      { a: NaN },
      `TypeError: Cannot store NaN at $.a as the value of "k": JSON has only finite numbers`,
    ],
    [
      "a nested -Infinity (A18, A19, E37)",
      [[0, -Infinity]],
      `TypeError: Cannot store -Infinity at $[0][1] as the value of "k": JSON has only finite numbers`,
    ],
    [
      "undefined in an object (A21)",
      { a: { "odd name": undefined } },
      `TypeError: Cannot store undefined at $.a["odd name"] as the value of "k": leave the member out, or write null`,
    ],
    [
      "undefined in an array (A21)",
      [1, undefined],
      `TypeError: Cannot store undefined at $[1] as the value of "k": leave the member out, or write null`,
    ],
    [
      "a bigint (A20, A22)",
      { id: 12n },
      `TypeError: Cannot store the bigint 12 at $.id as the value of "k": write a string`,
    ],
    [
      "a function (A20)",
      { f: () => 1 },
      `TypeError: Cannot store a function at $.f as the value of "k": JSON cannot represent it`,
    ],
    [
      "a symbol (A20)",
      [Symbol("s")],
      `TypeError: Cannot store a symbol at $[0] as the value of "k": JSON cannot represent it`,
    ],
    [
      "a cycle (A20)",
      cyclic,
      `TypeError: Cannot store a cycle at $.self.inner[0] as the value of "k": a value must be a tree`,
    ],
    [
      "a date (A20)",
      { at: [new Date(0)] },
      `TypeError: Cannot store an object of class Date at $.at[0] as the value of "k": write a plain object or a string`,
    ],
    [
      "a map (A20)",
      new Map(),
      `TypeError: Cannot store an object of class Map as the value of "k": write a plain object or a string`,
    ],
    [
      "bytes (A20)",
      { b: new Uint8Array(2) },
      `TypeError: Cannot store an object of class Uint8Array at $.b as the value of "k": write a plain object or a string`,
    ],
    [
      "a boxed number (A20)",
      [Object(1)],
      `TypeError: Cannot store an object of class Number at $[0] as the value of "k": write a plain object or a string`,
    ],
    [
      "an instance of a class (A20)",
      { job: new Job() },
      `TypeError: Cannot store an object of class Job at $.job as the value of "k": write a plain object or a string`,
    ],
    [
      "an object that inherits its members",
      Object.create({ a: 1 }),
      `TypeError: Cannot store an object of class Object as the value of "k": write a plain object or a string`,
    ],
    [
      "a sparse array (A20)",
      sparse,
      `TypeError: Cannot store a hole in a sparse array at $[1] as the value of "k": write null`,
    ],
    [
      "an array with named members",
      Object.assign([1], { extra: 2 }),
      `TypeError: Cannot store an array with named members as the value of "k": write an object`,
    ],
    [
      "an instance of an Array subclass",
      new (class extends Array {})(),
      `TypeError: Cannot store an instance of an Array subclass as the value of "k": write a plain array`,
    ],
    [
      "a symbol-named member",
      { [Symbol("s")]: 1 },
      `TypeError: Cannot store an object with non-enumerable or symbol-named members as the value of "k": they would be lost`,
    ],
    [
      "a non-enumerable member",
      Object.defineProperty({}, "h", { value: 1 }),
      `TypeError: Cannot store an object with non-enumerable or symbol-named members as the value of "k": they would be lost`,
    ],
  ];
  for (const [title, value, message] of refused) {
    test(`refuses ${title} with the path to it`, () => {
      expect(refusal(value)).toBe(message);
    });
  }

  test("accepts one object twice, which is no cycle", () => {
    const twice = { a: 1 };
    expect(jsonTextFrom([twice, { twice }], "v")).toBe('[{"a":1},{"twice":{"a":1}}]');
  });

  test("accepts an object without a prototype", () => {
    expect(jsonTextFrom(Object.assign(Object.create(null) as object, { a: 1 }), "v")).toBe(
      '{"a":1}',
    );
  });

  test("refuses more than a thousand levels", () => {
    let value: unknown = 1;
    for (let level = 0; level < VALUE_DEPTH_MAX; level += 1) value = [value];
    expect(jsonValueFromText(jsonTextFrom(value, "v"))).toEqual(value);
    expect(() => jsonTextFrom([value], "v")).toThrow(
      new RangeError("Cannot store v: it nests deeper than 1000 levels"),
    );
  });

  test("for every JSON value, the text equals that of JSON.stringify, except for the sign of a zero", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        if (value === null) return;
        const text = jsonTextFrom(value, "v");
        expect(text.replaceAll("-0", "0")).toBe(JSON.stringify(value).replaceAll("-0", "0"));
        expect(jsonValueFromText(text)).toEqual(value);
      }),
    );
  });
});

describe("jsonValueFromText()", () => {
  test("keeps the sign of a zero, and integers that a double holds exactly", () => {
    expect(jsonValueFromText("[-0,9007199254740992,1152921504606846976]")).toEqual([
      -0,
      2 ** 53,
      2 ** 60,
    ]);
    expect(jsonValueFromText(jsonTextFrom([1e21, 2 ** 70, 123456789012345680000], "v"))).toEqual([
      1e21,
      2 ** 70,
      123456789012345680000,
    ]);
  });

  test("refuses an integer that would lose digits, anywhere in the text (A22, E61)", () => {
    expect(() => jsonValueFromText('{"runs":[1,9007199254740993]}')).toThrow(
      new RangeError(
        "Cannot read the integer 9007199254740993 without losing digits: write it as a string",
      ),
    );
    expect(() => jsonValueFromText("-12345678901234567890")).toThrow(RangeError);
  });

  test.each(["1e400", "-1e400", "[0.1E+999]", "9".repeat(400), `1${"0".repeat(320)}.5`])(
    "refuses %s, which would be infinite",
    (text) => {
      expect(() => jsonValueFromText(text)).toThrow(/^Cannot read the number .*as large$/);
    },
  );

  test.each([
    ["9".repeat(400), `${"9".repeat(29)}...`],
    [`1e${"9".repeat(30)}`, `1e${"9".repeat(30)}`],
    [`1e${"9".repeat(31)}`, `1e${"9".repeat(27)}...`],
  ])("names %s in at most 32 characters", (text, shown) => {
    expect(() => jsonValueFromText(text)).toThrow(
      new RangeError(`Cannot read the number ${shown}: a JavaScript number cannot be as large`),
    );
  });

  test("leaves exponents that fit, and strings that look like numbers", () => {
    expect(jsonValueFromText('["1e400",1e300,1E+2]')).toEqual(["1e400", 1e300, 100]);
  });

  test("accepts any digits inside strings, after a decimal point and before an exponent", () => {
    const text =
      '{"id":"9007199254740993","\\"9007199254740993":0.12345678901234567,"e":9007199254740993e3}';
    expect(jsonValueFromText(text)).toEqual(JSON.parse(text));
  });
});

describe("a plain object is one whose prototype is an Object.prototype", () => {
  /** As in another realm, such as a frame or a vm context. */
  const foreignPrototype: object = Object.assign(Object.create(null) as object, {
    isPrototypeOf: () => false,
  });

  test.for<[string, object, string]>([
    ["this realm's", { a: 1 }, "stored"],
    ["none", Object.create(null) as object, "stored"],
    ["another realm's", Object.create(foreignPrototype) as object, "stored"],
    [
      "what only lacks a prototype itself",
      Object.create(Object.create(null) as object) as object,
      'TypeError: Cannot store an object of class (anonymous) as the value of "k": write a plain object or a string',
    ],
    [
      "what inherits from another realm's",
      Object.create(Object.create(foreignPrototype) as object) as object,
      'TypeError: Cannot store an object of class (anonymous) as the value of "k": write a plain object or a string',
    ],
    [
      "what has its own isPrototypeOf, and a prototype",
      Object.create({ isPrototypeOf: () => false }) as object,
      'TypeError: Cannot store an object of class Object as the value of "k": write a plain object or a string',
    ],
  ])("%s", ([, value, expected]) => {
    expect(refusal(value)).toBe(expected);
  });
});

describe("isEqualJson()", () => {
  /** Each differs from all the others. */
  const values: readonly (JsonValue | null)[] = [
    ...[null, 0, 1, "", "1", false, true, [], {}, [1], { 0: 1 }, [1, 2], [2, 1], [[1]]],
    ...[[null], { a: null }, { b: null }, { a: 1 }, { a: 1, b: 2 }, { a: 2, b: 1 }, { a: [] }],
    ...[{ a: {} }, { a: { b: 1 } }, { toString: null }, { length: 0 }, { a: null, b: null }],
  ];

  test("distinguishes values, and takes a copy for the same", () => {
    for (const [at, one] of values.entries()) {
      const copy = structuredClone(one);
      const same = values.flatMap((other, place) => (isEqualJson(copy, other) ? [place] : []));
      expect(same).toEqual([at]);
    }
  });

  test("for every value, the order of the members of its objects does not count", () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== "object" || value === null) return value;
      const members = Object.entries(value).toReversed();
      return Object.fromEntries(members.map(([name, one]) => [name, turned(one)]));
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const one = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(isEqualJson(one, turned(one) as JsonValue)).toBe(true);
        expect(isEqualJson([one], one)).toBe(false);
      }),
    );
  });
});
