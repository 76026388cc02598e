import { describe, expect, test } from "vitest";
import { brokerNamed } from "../../sim/brokers/broker-named.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import { BROKER_OPTIONS } from "../../sim/worlds/producer/broker-options.ts";

type Create = (options?: unknown) => { readonly name: string };
const CREATES = Object.entries(brokers) as unknown as readonly (readonly [string, Create])[];

describe.each(CREATES)("brokers.%s()", (name, create) => {
  const options: unknown = BROKER_OPTIONS[create().name as keyof typeof BROKER_OPTIONS];
  const { shape } = options as { readonly shape: Readonly<Record<string, unknown>> };

  test("takes every option that a scenario file takes", () => {
    expect(brokerNamed(name)).toBeDefined();
    const unset = Object.fromEntries(Object.keys(shape).map((option) => [option, undefined]));
    expect(create(unset).name).toBe(create().name);
  });

  test.each([3, "three", null, { misspelt: 3 }])(
    "refuses %j, which would mean the defaults",
    (it) => {
      expect(() => create(it)).toThrow(`of brokers.${name}: write { ${Object.keys(shape)[0]}`);
    },
  );
});
