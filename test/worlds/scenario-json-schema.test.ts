import { expect, test } from "vitest";
import { scenarioJsonSchema } from "../../sim/mod.ts";

/** The paths of all properties in a JSON Schema, those without a description apart. */
function propertiesIn(schema: unknown): { readonly all: string[]; readonly undescribed: string[] } {
  const found = { all: [] as string[], undescribed: [] as string[] };
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      if (name !== "properties") {
        visit(value, `${path}/${name}`);
        continue;
      }
      for (const [property, described] of Object.entries(value as Record<string, unknown>)) {
        const place = `${path}/${property}`;
        found.all.push(place);
        const { description } = described as { readonly description?: string };
        if (description === undefined || description === "") found.undescribed.push(place);
        visit(described, place);
      }
    }
  };
  visit(schema, "");
  return found;
}

test("scenarioJsonSchema() describes every property", () => {
  const { all, undescribed } = propertiesIn(scenarioJsonSchema());
  expect(all.length).toBeGreaterThan(200);
  expect(undescribed).toEqual([]);
});

test("a property without a description is noticed", () => {
  const properties = { named: { description: "A name." }, bare: { type: "string" } };
  const { undescribed } = propertiesIn({ anyOf: [{ properties }] });
  expect(undescribed).toEqual(["/anyOf/0/bare"]);
});
