import { parseSync } from "oxc-parser";

/** A node of a syntax tree; `start` and `end` are offsets into the text. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** The way from the program down to a node: the node's parent stands last. */
export type Ancestors = readonly SyntaxNode[];

/** What of TypeScript's own syntax is there at run time; all else that begins with TS is types. */
const VALUES_IN_TYPES: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSInstantiationExpression",
]);

/** The parts of a node that are types, whatever they contain. */
const TYPE_PARTS: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "superTypeArguments",
  "implements",
]);

/** Parses a source file, with types. */
export function parseSource(path: string, text: string): SyntaxNode {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`Cannot parse "${path}": ${errors[0]?.message}`);
  return program as unknown as SyntaxNode;
}

/** Visits each node that is there at run time, parents first; false keeps from what is inside. */
export function visitValues(
  program: SyntaxNode,
  visit: (node: SyntaxNode, ancestors: Ancestors) => boolean,
): void {
  const ancestors: SyntaxNode[] = [];
  const enter = (node: SyntaxNode): void => {
    if (node.type.startsWith("TS") && !VALUES_IN_TYPES.has(node.type)) return;
    if (node["declare"] === true || !visit(node, ancestors)) return;
    ancestors.push(node);
    for (const [part, value] of Object.entries(node)) {
      if (TYPE_PARTS.has(part)) continue;
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (isNode(child)) enter(child);
      }
    }
    ancestors.pop();
  };
  enter(program);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Returns the part of a node that the grammar promises to be a node. */
export function partOf(node: SyntaxNode, part: string): SyntaxNode {
  const value = node[part];
  if (!isNode(value)) throw new TypeError(`Cannot find "${part}" in a ${node.type}`);
  return value;
}

/** Returns the expression inside of parentheses and of what is only there for types. */
export function bare(node: SyntaxNode): SyntaxNode {
  const wrapped = node.type === "ParenthesizedExpression" || VALUES_IN_TYPES.has(node.type);
  return wrapped ? bare(partOf(node, "expression")) : node;
}

export function isFunction({ type }: SyntaxNode): boolean {
  return (
    type === "FunctionDeclaration" ||
    type === "FunctionExpression" ||
    type === "ArrowFunctionExpression"
  );
}
