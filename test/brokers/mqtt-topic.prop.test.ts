import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareFilters,
  isValidFilter,
  matches,
  parseFilter,
} from "../../sim/brokers/mqtt/topic.ts";

const level = fc.constantFrom("orders", "a", "+", "$SYS", "");
const filter = fc
  .tuple(
    fc.constantFrom("", "", "$share/one/", "$share/two/"),
    fc.array(level, { minLength: 1, maxLength: 3 }),
    fc.boolean(),
  )
  .map(([share, levels, isOpen]) => share + [...levels, ...(isOpen ? ["#"] : [])].join("/"));
const topic = fc
  .array(fc.constantFrom("orders", "a", "$SYS", ""), { minLength: 1, maxLength: 4 })
  .map((levels) => levels.join("/"));

/** MQTT 5.0, 4.7, as a regular expression: "#" is also the level above it. */
function patternOf(text: string): RegExp {
  const plain = text.replace(/^\$share\/[^/]+\/(?=.)/, "");
  const body = plain
    .split("/")
    .map((one) => (one === "+" ? "[^/]*" : one.replaceAll("$", String.raw`\$`)))
    .join("/")
    .replace(/\/#$/, "(/.*)?")
    .replace(/^#$/, ".*");
  const isOpen = plain.startsWith("+") || plain.startsWith("#");
  return new RegExp(`^${isOpen ? String.raw`(?!\$)` : ""}${body}$`);
}

test("a topic matches a filter as the pattern of it", () => {
  fc.assert(
    fc.property(filter, topic, (text, name) => {
      expect(matches(parseFilter(text), name)).toBe(patternOf(text).test(name));
    }),
    { numRuns: 1_000 },
  );
});

test("filters that match one topic have one order: literal, +, #, and the shared one first", () => {
  const rankOf = (text: string): string => {
    const { share, levels } = parseFilter(text);
    const ranks = levels.map((one) => ({ "+": "1", "#": "2" })[one] ?? "0").join("");
    return `${ranks}3 ${share === undefined ? "1" : "0"}`;
  };
  fc.assert(
    fc.property(filter, filter, topic, (one, other, name) => {
      const both = [one, other].map(parseFilter);
      fc.pre(both.every((parsed) => matches(parsed, name)));
      const [a, b] = [rankOf(one), rankOf(other)];
      const order = compareFilters(parseFilter(one), parseFilter(other));
      expect(Math.sign(order)).toBe(a === b ? 0 : a < b ? -1 : 1);
      expect(
        Math.sign(compareFilters(parseFilter(other), parseFilter(one))) + Math.sign(order),
      ).toBe(0);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["$share/one/orders/+", "one", ["orders", "+"]],
  ["$share/one/", undefined, ["$share", "one", ""]],
  ["$share/o+e/orders", undefined, ["$share", "o+e", "orders"]],
  ["$share//orders", undefined, ["$share", "", "orders"]],
  ["x$share/one/orders", undefined, ["x$share", "one", "orders"]],
  ["$share/one/a\nb", "one", ["a\nb"]],
])("the parts of the filter %s", (text, share, levels) => {
  expect(parseFilter(text)).toEqual({ share, levels });
});

test.each([
  ["#", true],
  ["+", true],
  ["orders/#", true],
  ["orders/+/a", true],
  ["+/+/#", true],
  ["#/orders", false],
  ["orders/#/#", false],
  ["orders#", false],
  ["orders/a#", false],
  ["or+ders", false],
  ["orders/+a/#", false],
  ["", true],
])("whether %s is a filter: %s", (text, is) => {
  expect(isValidFilter(text)).toBe(is);
});
