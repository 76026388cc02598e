import { type Ancestors, bare, isNode, partOf, type SyntaxNode } from "./syntax.ts";

/** What kind of change a mutant is. */
export type OperatorName =
  | "condition"
  | "boundary"
  | "statement"
  | "return"
  | "arithmetic"
  | "call";

/** A stretch of a source file and what takes its place. */
export interface Edit {
  readonly operator: OperatorName;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the changes that an operator makes at a node. */
type Operator = (node: SyntaxNode, ancestors: Ancestors, text: string) => readonly Edit[];

/** An assertion never fails in a correct program, so that nothing can notice a change of it. */
const ASSERTION = "invariant";

/** Returns every change that the operators make at a node; `text` is the text of its file. */
export function editsAt(node: SyntaxNode, ancestors: Ancestors, text: string): readonly Edit[] {
  return OPERATORS.flatMap((operator) => operator(node, ancestors, text));
}

/** Whether nothing at this node or inside of it is changed. */
export function isLeftAlone(node: SyntaxNode): boolean {
  return node.type === "CallExpression" && partOf(node, "callee")["name"] === ASSERTION;
}

const NEGATED: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
};
const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
};
const LOGICAL: Readonly<Record<string, string>> = { "&&": "||", "||": "&&", "??": "&&" };
const ARITHMETIC: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&": "|",
  "|": "&",
  "^": "&",
  "<<": ">>",
  ">>": "<<",
  ">>>": "<<",
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "%=": "*=",
  "&=": "|=",
  "|=": "&=",
  "^=": "&=",
  "<<=": ">>=",
  ">>=": "<<=",
  ">>>=": "<<=",
  "++": "--",
  "--": "++",
};
/** Methods and those that take their place. */
const OTHER_METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  push: "unshift",
  unshift: "push",
  shift: "pop",
  pop: "shift",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  startsWith: "endsWith",
  endsWith: "startsWith",
  indexOf: "lastIndexOf",
  find: "findLast",
  findLast: "find",
  findIndex: "findLastIndex",
};
/** Methods whose result may be replaced by what they are called on. */
const SKIPPED_METHODS: ReadonlySet<string> = new Set([
  "concat",
  "filter",
  "reverse",
  "slice",
  "sort",
  "toReversed",
  "toSorted",
  "trim",
]);

const OPERATORS: readonly Operator[] = [
  constantCondition,
  negatedEquality,
  logicalOperator,
  withoutNot,
  otherBoolean,
  withoutOptionalChaining,
  otherComparison,
  nextInteger,
  withoutStatement,
  otherReturn,
  otherArithmetic,
  withoutMinus,
  otherMethod,
  skippedMethod,
];

function constantCondition(node: SyntaxNode): readonly Edit[] {
  const { test } = node;
  if (!isNode(test) || bare(test).type === "Literal") return [];
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return [replace("condition", test, "true"), replace("condition", test, "false")];
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
      return [replace("condition", test, "false")];
    default:
      return [];
  }
}

function negatedEquality(node: SyntaxNode, _ancestors: Ancestors, text: string): readonly Edit[] {
  return node.type === "BinaryExpression" ? otherOperator("condition", node, NEGATED, text) : [];
}

function logicalOperator(node: SyntaxNode, _ancestors: Ancestors, text: string): readonly Edit[] {
  if (node.type !== "LogicalExpression") return [];
  return otherOperator("condition", node, LOGICAL, text).map((edit) => {
    // `a ?? b` may not stand beside `&&` and `||` without parentheses.
    if (node["operator"] !== "??") return edit;
    const [left, right] = [textOf(partOf(node, "left"), text), textOf(partOf(node, "right"), text)];
    return replace("condition", node, `((${left}) && (${right}))`);
  });
}

function withoutNot(node: SyntaxNode, _ancestors: Ancestors, text: string): readonly Edit[] {
  if (node.type !== "UnaryExpression" || node["operator"] !== "!") return [];
  return [replace("condition", node, textOf(partOf(node, "argument"), text))];
}

function otherBoolean(node: SyntaxNode, ancestors: Ancestors): readonly Edit[] {
  if (node.type !== "Literal" || typeof node["value"] !== "boolean") return [];
  const parent = ancestors.at(-1);
  const isLoop = parent?.type === "WhileStatement" || parent?.type === "DoWhileStatement";
  return isLoop ? [] : [replace("condition", node, String(!node["value"]))];
}

function withoutOptionalChaining(
  node: SyntaxNode,
  _ancestors: Ancestors,
  text: string,
): readonly Edit[] {
  if (node["optional"] !== true) return [];
  if (node.type !== "MemberExpression" && node.type !== "CallExpression") return [];
  const from = partOf(node, node.type === "MemberExpression" ? "object" : "callee").end;
  const start = text.indexOf("?.", from);
  const plain = node.type === "MemberExpression" && node["computed"] !== true ? "." : "";
  return [{ operator: "condition", start, end: start + 2, text: plain }];
}

function otherComparison(node: SyntaxNode, _ancestors: Ancestors, text: string): readonly Edit[] {
  if (node.type !== "BinaryExpression") return [];
  const others = COMPARISONS[node["operator"] as string] ?? [];
  return others.map((other) => overOperator("boundary", node, other, text));
}

/** An integer in a call or beside an operator; constants with a name are a matter of taste. */
function nextInteger(node: SyntaxNode, ancestors: Ancestors): readonly Edit[] {
  const { value } = node;
  if (node.type !== "Literal" || typeof value !== "number" || !Number.isInteger(value)) return [];
  const parent = ancestors.at(-1)?.type;
  if (parent !== "CallExpression" && parent !== "BinaryExpression") return [];
  return [replace("boundary", node, String(value + 1))];
}

function withoutStatement(node: SyntaxNode, ancestors: Ancestors): readonly Edit[] {
  switch (node.type) {
    case "BreakStatement":
      return isAtEndOfSwitch(ancestors) ? [] : [replace("statement", node, ";")];
    case "ThrowStatement":
    case "ContinueStatement":
      return [replace("statement", node, ";")];
    case "ReturnStatement":
      return isNode(node["argument"]) ? [] : [replace("statement", node, ";")];
    case "ExpressionStatement": {
      const expression = bare(partOf(node, "expression"));
      const isDirective = expression.type === "Literal";
      if (isDirective || isLeftAlone(expression) || isSuperCall(expression)) return [];
      return [replace("statement", node, ";")];
    }
    default:
      return [];
  }
}

/** Whether nothing of the switch comes after a `break` that stands directly in a case. */
function isAtEndOfSwitch(ancestors: Ancestors): boolean {
  const [choice, branch] = ancestors.slice(-2);
  if (choice?.type !== "SwitchStatement" || branch === undefined) return false;
  const branches = choice["cases"] as readonly SyntaxNode[];
  return branches
    .slice(branches.indexOf(branch) + 1)
    .every(({ consequent }) => (consequent as readonly unknown[]).length === 0);
}

function otherReturn(node: SyntaxNode, ancestors: Ancestors, text: string): readonly Edit[] {
  const returned =
    node.type === "ReturnStatement"
      ? node["argument"]
      : node.type === "ArrowFunctionExpression"
        ? bodyOf(node)
        : undefined;
  if (!isNode(returned)) return [];
  const other = otherValue(returned, text, nameOfFunction(node, ancestors));
  return other === undefined ? [] : [replace("return", returned, other)];
}

/** Returns what is returned instead; nothing where another operator changes the same. */
function otherValue(node: SyntaxNode, text: string, name: string): string | undefined {
  const value = bare(node);
  switch (value.type) {
    case "Literal":
      if (typeof value["value"] === "boolean") return undefined;
      if (typeof value["value"] === "string") return value["value"] === "" ? '"?"' : '""';
      return value["value"] === 0 ? "1" : value["value"] === null ? undefined : "0";
    case "UnaryExpression":
      return value["operator"] === "!" ? undefined : "undefined";
    case "Identifier":
      return value["name"] === "undefined" ? undefined : "undefined";
    case "ArrayExpression":
      return (value["elements"] as unknown[]).length === 0 ? undefined : "[]";
    case "BinaryExpression":
      return value["operator"] === "in" || value["operator"] === "instanceof"
        ? `!(${textOf(value, text)})`
        : "undefined";
    case "TemplateLiteral":
      return '""';
    case "BlockStatement":
    case "FunctionBody":
    case "AssignmentExpression":
    case "ThrowStatement":
      return undefined;
    default:
      return isPredicate(name) ? `!(${textOf(node, text)})` : "undefined";
  }
}

function otherArithmetic(node: SyntaxNode, _ancestors: Ancestors, text: string): readonly Edit[] {
  switch (node.type) {
    case "BinaryExpression":
      if (isText(partOf(node, "left")) || isText(partOf(node, "right"))) return [];
      return otherOperator("arithmetic", node, ARITHMETIC, text);
    case "AssignmentExpression":
      return isText(partOf(node, "right"))
        ? []
        : otherOperator("arithmetic", node, ARITHMETIC, text);
    case "UpdateExpression": {
      const argument = partOf(node, "argument");
      const start = node["prefix"] === true ? node.start : argument.end;
      const other = ARITHMETIC[node["operator"] as string] as string;
      return [{ operator: "arithmetic", start, end: start + 2, text: other }];
    }
    default:
      return [];
  }
}

function withoutMinus(node: SyntaxNode, _ancestors: Ancestors, text: string): readonly Edit[] {
  if (node.type !== "UnaryExpression" || node["operator"] !== "-") return [];
  return [replace("arithmetic", node, textOf(partOf(node, "argument"), text))];
}

function otherMethod(node: SyntaxNode): readonly Edit[] {
  const property = calledMethod(node);
  if (property === undefined) return [];
  const name = property["name"] as string;
  const other = Object.hasOwn(OTHER_METHODS, name) ? OTHER_METHODS[name] : undefined;
  return other === undefined ? [] : [replace("call", property, other)];
}

function skippedMethod(node: SyntaxNode, _ancestors: Ancestors, text: string): readonly Edit[] {
  const property = calledMethod(node);
  if (property === undefined || !SKIPPED_METHODS.has(property["name"] as string)) return [];
  return [replace("call", node, textOf(partOf(partOf(node, "callee"), "object"), text))];
}

function calledMethod(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type !== "CallExpression") return undefined;
  const callee = partOf(node, "callee");
  if (callee.type !== "MemberExpression" || callee["computed"] === true) return undefined;
  const property = partOf(callee, "property");
  return property.type === "Identifier" ? property : undefined;
}

function otherOperator(
  operator: OperatorName,
  node: SyntaxNode,
  others: Readonly<Record<string, string>>,
  text: string,
): readonly Edit[] {
  const other = others[node["operator"] as string];
  return other === undefined ? [] : [overOperator(operator, node, other, text)];
}

function overOperator(operator: OperatorName, node: SyntaxNode, other: string, text: string): Edit {
  const written = node["operator"] as string;
  const start = startOfOperator(partOf(node, "left").end, written, text);
  return { operator, start, end: start + written.length, text: other };
}

/** Between two operands stand the operator, closing parentheses and comments. */
function startOfOperator(from: number, written: string, text: string): number {
  const between = /^(?:[\s)]|\/\/.*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from));
  const start = from + (between?.[0].length ?? 0);
  if (!text.startsWith(written, start))
    throw new SyntaxError(`Cannot find "${written}" at ${from}`);
  return start;
}

function bodyOf(arrow: SyntaxNode): SyntaxNode | undefined {
  const { body } = arrow;
  return arrow["expression"] === true && isNode(body) ? body : undefined;
}

function nameOfFunction(node: SyntaxNode, ancestors: Ancestors): string {
  const chain = [...ancestors, node];
  for (let at = chain.length - 1; at >= 0; at -= 1) {
    const one = chain[at] as SyntaxNode;
    if (one.type === "FunctionDeclaration") return nameIn(one["id"]);
    if (one.type === "ArrowFunctionExpression" || one.type === "FunctionExpression") {
      const parent = chain[at - 1];
      return nameIn(parent?.["key"] ?? parent?.["id"]);
    }
  }
  return "";
}

function nameIn(value: unknown): string {
  return isNode(value) && typeof value["name"] === "string" ? value["name"] : "";
}

function isPredicate(name: string): boolean {
  return /^(?:is|has|can|may|was|were|are|does|should|owes|needs)(?:[A-Z]|$)/.test(name);
}

function isSuperCall(node: SyntaxNode): boolean {
  return node.type === "CallExpression" && partOf(node, "callee").type === "Super";
}

function isText(node: SyntaxNode): boolean {
  const value = bare(node);
  if (value.type === "TemplateLiteral") return true;
  if (value.type === "BinaryExpression" && value["operator"] === "+") {
    return isText(partOf(value, "left")) || isText(partOf(value, "right"));
  }
  return value.type === "Literal" && typeof value["value"] === "string";
}

function textOf({ start, end }: SyntaxNode, text: string): string {
  return text.slice(start, end);
}

function replace(operator: OperatorName, { start, end }: SyntaxNode, text: string): Edit {
  return { operator, start, end, text };
}
