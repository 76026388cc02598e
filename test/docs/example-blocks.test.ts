import { expect, test } from "vitest";
import { exampleBlocksFrom } from "./example-blocks.ts";

const FENCE = "```";

test("a block of a doc comment has its line, its code, what it needs and what it prints", () => {
  const text = `const one = 1;
/**
 * Says something.
 *
 * @example
 * ${FENCE}ts
 * // needs: postgres
 * console.log("a"); // => a
 *
 * if (true) {
 *   console.log("b c");
 *   // => b c
 * }
 * ${FENCE}
 */
export const two = 2;
`;
  expect(exampleBlocksFrom("src/a.ts", text)).toEqual([
    {
      path: "src/a.ts",
      line: 7,
      code: `// needs: postgres
console.log("a"); // => a

if (true) {
  console.log("b c");
  // => b c
}
`,
      name: undefined,
      needs: "postgres",
      prints: ["a", "b c"],
    },
  ]);
});

test("blocks of other languages, other comments and strings are no examples", () => {
  const text = `/**
 * ${FENCE}text
 * console.log(1);
 * ${FENCE}
 */
/*
 * ${FENCE}ts
 * console.log(2);
 * ${FENCE}
 */
const text = "/** ${FENCE}ts ${FENCE} */";
`;
  expect(exampleBlocksFrom("src/a.ts", text)).toEqual([]);
});

test("every block of a Markdown file is an example, each with its line", () => {
  const text = `# Title

${FENCE}ts
first();
${FENCE}

${FENCE}ts
second();
${FENCE}
`;
  const blocks = exampleBlocksFrom("README.md", text);
  expect(blocks.map(({ line, code }) => [line, code])).toEqual([
    [4, "first();\n"],
    [8, "second();\n"],
  ]);
});
