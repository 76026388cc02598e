import type { Finding } from "./finding.ts";

/** A text in which a code may stand: a comment, a string, or a line of a document. */
export interface Passage {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** One entry of the table, as in "- C-011: A group is in ack mode if ...". */
const ENTRY = /^- (\S+): [A-Z`].*[^.]\.$/;

/**
 * A capital letter and a number, as in C-011, K13 and R-I2; a small letter after it is a variant.
 * Hexadecimal numbers, versions, percent-encoded bytes and parts of longer names are no codes.
 */
const CODE = /(?<![\w#%./@&-])(?:R-I|[A-Z]-?)\d{1,3}(?=[a-d]?(?!\w))/g;

/** What has the form of a code and is a name that everybody knows. */
const NAMES: ReadonlySet<string> = new Set(["S3", "V8"]);

/** The codes that the table lists. */
export function codesFrom(table: string): ReadonlySet<string> {
  return new Set(table.split("\n").flatMap((text) => ENTRY.exec(text)?.[1] ?? []));
}

/** A code that the table lists twice, and a line of it that is no entry. */
export function codeTableFindings(path: string, table: string): Finding[] {
  const listed = new Set<string>();
  return table.split("\n").flatMap((text, index) => {
    if (!text.startsWith("- ")) return [];
    const code = ENTRY.exec(text)?.[1];
    const found = (message: string): Finding[] => [{ path, line: index + 1, message }];
    if (code === undefined) return found('write "- <code>: <one sentence>."');
    if (listed.has(code)) return found(`lists ${code} a second time`);
    listed.add(code);
    return [];
  });
}

/** Every code in the passages that the table does not list. */
export function codeFindings(passages: readonly Passage[], codes: ReadonlySet<string>): Finding[] {
  return passages.flatMap(({ path, line, text }) =>
    text.split("\n").flatMap((part, offset) =>
      [...part.matchAll(CODE)]
        .filter(([code]) => !codes.has(code) && !NAMES.has(code))
        .map(([code]) => ({
          path,
          line: line + offset,
          message: `"${code}" is not in the table of codes, test/codes.md`,
        })),
    ),
  );
}

/** Every patch that plants a bug whose code, its name, the table does not list. */
export function plantedFindings(paths: readonly string[], codes: ReadonlySet<string>): Finding[] {
  return paths.flatMap((path) => {
    const code = /([^/]+)\.patch$/.exec(path)?.[1];
    if (code === undefined || codes.has(code)) return [];
    return [{ path, line: 1, message: `"${code}" is not in the table of codes, test/codes.md` }];
  });
}
