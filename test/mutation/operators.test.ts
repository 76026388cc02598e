import { describe, expect, it } from "vitest";
import { mutantsFrom, mutatedText } from "./source-mutants.ts";

/** The texts that the operators make of one text. */
function mutationsOf(text: string): readonly string[] {
  return mutantsFrom("src/x.ts", text).map((mutant) => mutatedText(text, mutant));
}

describe("mutantsFrom()", () => {
  it.each<[string, string, readonly string[]]>([
    ["conditions", "if (a) b;", ["if (true) b;", "if (false) b;", "if (a) ;"]],
    ["loops", "while (a) {}", ["while (false) {}"]],
    ["endless loops", "while (true) break;", ["while (true) ;"]],
    ["choices", "x = a ? 1 : 2;", [";", "x = true ? 1 : 2;", "x = false ? 1 : 2;"]],
    ["equality", "f(a === b);", [";", "f(a !== b);"]],
    ["and, or", "f(a && b || c);", [";", "f(a && b && c);", "f(a || b || c);"]],
    ["defaults", "f(a ?? b);", [";", "f(((a) && (b)));"]],
    ["negation", "f(!a);", [";", "f(a);"]],
    ["booleans", "f(true);", [";", "f(false);"]],
    ["optional members", "f(a?.b);", [";", "f(a.b);"]],
    ["optional calls", "a?.();", [";", "a();"]],
    ["optional elements", "f(a?.[b]);", [";", "f(a[b]);"]],
    ["comparisons", "f(a < b);", [";", "f(a <= b);", "f(a >= b);"]],
    ["integers", "f(1);", [";", "f(2);"]],
    ["statements", "throw a;", [";"]],
    [
      "breaks",
      "switch (a) { case b: break; default: const c = d; }",
      ["switch (a) { case b: ; default: const c = d; }"],
    ],
    ["early returns", "function f() { return; }", ["function f() { ; }"]],
    ["returned values", "function f() { return a; }", ["function f() { return undefined; }"]],
    ["returned texts", 'const f = () => "a";', ['const f = () => "";']],
    ["returned lists", "const f = () => [a];", ["const f = () => [];"]],
    ["predicates", "const isA = () => b();", ["const isA = () => !(b());"]],
    ["sums", "f(a + b);", [";", "f(a - b);"]],
    ["steps", "a += b;", [";", "a -= b;"]],
    ["counters", "a++;", [";", "a--;"]],
    ["signs", "f(-a);", [";", "f(a);"]],
    ["methods", "f(a.some(b));", [";", "f(a.every(b));"]],
    ["methods that may be left out", "f(a.slice(b));", [";", "f(a);"]],
  ])("changes %s", (_what, text, expected) => {
    expect(mutationsOf(text).toSorted()).toEqual([...expected].toSorted());
  });

  it.each([
    ["types", "type A = 1 extends 2 ? true : false; let a: -1 | true;"],
    ["declarations", "declare const a: true; interface B { c: 1 }"],
    ["assertions", 'invariant(a === 1 && !b, "a is 1");'],
    ["texts", 'const a = "b" + c + `d`;'],
    ["constants with a name", "const LIMIT = 10;"],
    ["the last break of a switch", "switch (a) { case b: break; default: }"],
  ])("leaves %s alone", (_what, text) => {
    expect(mutationsOf(text)).toEqual([]);
  });

  it("finds an operator after parentheses and comments", () => {
    const text = "const a = (b /* < */) // <\n < c;";
    expect(mutationsOf(text)).toContain("const a = (b /* < */) // <\n <= c;");
  });

  it("names a mutant by its text and place, whatever stands before it", () => {
    const text = "class A { b() { return c; } }";
    const [alone] = mutantsFrom("src/x.ts", text);
    const [, moved] = mutantsFrom("src/x.ts", `d();\n${text}`);
    expect(alone).toMatchObject({ within: "A.b", original: "c", mutated: "undefined", line: 1 });
    expect(moved).toMatchObject({ id: alone?.id, line: 2 });
  });

  it("tells mutants apart that read alike", () => {
    const mutants = mutantsFrom("src/x.ts", "a(); a();");
    expect(mutants.map(({ nth }) => nth)).toEqual([1, 2]);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(2);
  });
});
