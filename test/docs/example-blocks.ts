import { parseSync } from "oxc-parser";

/** A `ts` code block of a doc comment or of a Markdown file. */
export interface ExampleBlock {
  readonly path: string;
  /** The line of its first line of code. */
  readonly line: number;
  readonly code: string;
  /** What other blocks of its file import it as, from a first line `// outbox.ts`. */
  readonly name: string | undefined;
  /** What it cannot run without, from a line `// needs: postgres`; undefined when nothing. */
  readonly needs: string | undefined;
  /** What it prints, a line each, from its comments `// => text`. */
  readonly prints: readonly string[];
}

const FENCED = /^( *)```ts\n([\s\S]*?)^ *```$/gm;

/** Returns every `ts` block of a source file's doc comments, or of a Markdown file. */
export function exampleBlocksFrom(path: string, text: string): readonly ExampleBlock[] {
  if (path.endsWith(".md")) return blocksIn(path, text, 1);
  return parseSync(path, text)
    .comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"))
    .flatMap(({ value, start }) => {
      const plain = value.replace(/^ *\* ?/gm, "");
      return blocksIn(path, plain, lineAt(text, start));
    });
}

function blocksIn(path: string, text: string, firstLine: number): readonly ExampleBlock[] {
  return [...text.matchAll(FENCED)].map(([, , code = ""], at, all) => ({
    path,
    line: firstLine + lineAt(text, all[at]?.index ?? 0),
    code,
    name: /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1],
    needs: /^\/\/ needs: (.+)$/m.exec(code)?.[1],
    prints: [...code.matchAll(/\/\/ => (.*)$/gm)].map(([, said = ""]) => said),
  }));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
