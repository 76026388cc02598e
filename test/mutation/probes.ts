import { type Ancestors, parseSource, type SyntaxNode, visitValues } from "./syntax.ts";

/** A part of a file whose code runs as a whole or not at all; the file itself is the first. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

/** The global that holds the regions that were entered, by file. */
export const HITS = "__mutationHits";

/** Returns the regions of a file, outer ones first. */
export function regionsOf(path: string, text: string): readonly Region[] {
  return [{ start: 0, end: text.length }, ...bodiesOf(parseSource(path, text))];
}

/** Returns the index of the innermost region around an offset. */
export function regionAt(regions: readonly Region[], offset: number): number {
  return regions.findLastIndex(({ start, end }) => start <= offset && offset < end);
}

/** Returns the text with a probe in each region; lines stay where they are. */
export function withProbes(path: string, text: string): string {
  const bodies = bodiesOf(parseSource(path, text));
  const inserts = bodies.flatMap((body, index) => {
    const probe = `$entered[${index + 1}] = 1`;
    if (isBlock(body)) return [{ at: body.start + 1, text: `${probe};`, order: index }];
    const isStatement = body.type.endsWith("Statement");
    const [opening, closing] = isStatement ? [`{${probe};`, "}"] : [`(${probe}, `, ")"];
    // Of two that end at the same place, the inner one is closed first.
    return [
      { at: body.start, text: opening, order: index },
      { at: body.end, text: closing, order: -index },
    ];
  });
  let probed = "";
  let from = 0;
  for (const insert of inserts.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    probed += text.slice(from, insert.at) + insert.text;
    from = insert.at;
  }
  const entered = `((globalThis.${HITS} ??= {})[${JSON.stringify(path)}] ??= {})`;
  return `const $entered = ${entered}; $entered[0] = 1; ${probed}${text.slice(from)}`;
}

function bodiesOf(program: SyntaxNode): readonly SyntaxNode[] {
  const bodies: SyntaxNode[] = [];
  visitValues(program, (node, ancestors) => {
    if (isBody(node, ancestors)) bodies.push(node);
    return true;
  });
  return bodies;
}

function isBlock({ type }: SyntaxNode): boolean {
  return type === "BlockStatement" || type === "FunctionBody";
}

function isBody(node: SyntaxNode, ancestors: Ancestors): boolean {
  const parent = ancestors.at(-1);
  if (parent === undefined) return false;
  if (isBlock(node)) return true;
  switch (parent.type) {
    case "IfStatement":
      return (
        parent["consequent"] === node ||
        (parent["alternate"] === node && node.type !== "IfStatement")
      );
    case "ConditionalExpression":
      return parent["consequent"] === node || parent["alternate"] === node;
    case "WhileStatement":
    case "ForStatement":
    case "ForOfStatement":
    case "ArrowFunctionExpression":
      return parent["body"] === node;
    default:
      return false;
  }
}
