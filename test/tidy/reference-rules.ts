import type { Passage } from "./code-rules.ts";
import type { Finding } from "./finding.ts";

/** A document that is named with its ending; a part of a URL is none. */
const DOCUMENT = /(?<![\w./:-])[\w./-]+\.md\b/g;

/** Words that point to a document which the repository does not have. */
const ELSEWHERE = /\bspec(?:ification)?\b|\.\.\/shared(?![\w-])/gi;

/**
 * Every reference in the passages that a reader of the repository cannot follow.
 *
 * @param has whether the repository has a document, by its path from the top
 */
export function referenceFindings(
  passages: readonly Passage[],
  has: (path: string) => boolean,
): Finding[] {
  return passages.flatMap(({ path, line, text }) =>
    text.split("\n").flatMap((part, offset) => {
      const missing = [...part.matchAll(DOCUMENT)]
        .map(([name]) => name)
        .filter((name) => !has(name) && !has(besides(path, name)))
        .map((name) => `names "${name}", which is not in the repository`);
      const elsewhere = [...part.matchAll(ELSEWHERE)].map(
        ([word]) => `says "${word}": name a code of test/codes.md, or state the fact`,
      );
      return [...missing, ...elsewhere].map((message) => ({ path, line: line + offset, message }));
    }),
  );
}

/** A path that is relative to the file that names it. */
function besides(path: string, name: string): string {
  return new URL(name, `file:///${path}`).pathname.slice(1);
}
