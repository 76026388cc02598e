import { runInThisContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { HITS, regionAt, regionsOf, withProbes } from "./probes.ts";

/** The regions that a text enters when it runs, by the code with which each begins. */
function entered(text: string): readonly string[] {
  const hits = (globalThis as unknown as Record<string, Record<string, object> | undefined>)[HITS];
  if (hits !== undefined) delete hits["x.ts"];
  runInThisContext(`{ ${withProbes("x.ts", text)} }`);
  const all = globalThis as unknown as Record<string, Record<string, object>>;
  const regions = regionsOf("x.ts", text);
  return Object.keys(all[HITS]?.["x.ts"] ?? {}).map((index) => {
    const { start, end } = regions[Number(index)] ?? { start: 0, end: 0 };
    return text.slice(start, end);
  });
}

describe("withProbes()", () => {
  it("records blocks, branches without one and the bodies of arrows that run", () => {
    const text = "const f = (a) => a > 1 ? [a] : (b) => b; if (f(1) === 0) f(2); else { f(1)(3); }";
    expect(entered(text)).toEqual([
      text,
      "a > 1 ? [a] : (b) => b",
      "(b) => b",
      "b",
      "{ f(1)(3); }",
    ]);
  });

  it("records a loop's body only if the loop is entered", () => {
    const text = "for (const a of [1]) Number(a); while (false) String(1);";
    expect(entered(text)).toEqual([text, "Number(a);"]);
  });

  it("keeps the lines where they are", () => {
    const text = "if (a)\n  b();\nelse\n  c();\n";
    expect(withProbes("x.ts", text).split("\n")).toHaveLength(text.split("\n").length);
  });
});

describe("regionAt()", () => {
  it("returns the innermost region", () => {
    const text = "function f() { if (a) b(); c(); }";
    const regions = regionsOf("x.ts", text);
    const textAt = (part: string): string => {
      const { start, end } = regions[regionAt(regions, text.indexOf(part))] ?? { start: 0, end: 0 };
      return text.slice(start, end);
    };
    expect(textAt("b()")).toBe("b();");
    expect(textAt("c()")).toBe("{ if (a) b(); c(); }");
    expect(textAt("function")).toBe(text);
  });
});
