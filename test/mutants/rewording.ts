import { parseSync } from "oxc-parser";

/** A stretch of a source file and what takes its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Returns how a node of a file's syntax tree is reworded; nothing where it is left as it is. */
export type Rewording = (node: SyntaxNode, text: string) => readonly Replacement[];

const LOG_LEVELS: readonly unknown[] = ["debug", "info", "warn", "error"];

/** Rewords the message and the names of the fields of each call of a logger. */
export const rewordLogCall: Rewording = (node, text) => {
  if (node.type !== "CallExpression") return [];
  const callee = node["callee"] as SyntaxNode;
  if (callee.type !== "MemberExpression") return [];
  const object = callee["object"] as SyntaxNode;
  const method = (callee["property"] as SyntaxNode)["name"];
  if (!/logger$/i.test(text.slice(object.start, object.end)) || !LOG_LEVELS.includes(method)) {
    return [];
  }
  const [message, fields] = node["arguments"] as SyntaxNode[];
  if (message === undefined) return [];
  const reworded = [{ start: message.start, end: message.end, text: `"Reworded ${node.start}"` }];
  if (fields !== undefined) {
    const given = text.slice(fields.start, fields.end);
    const renamed = `Object.fromEntries(Object.entries(${given}).map(([name, value]) => ["reworded-" + name, value]))`;
    reworded.push({ start: fields.start, end: fields.end, text: renamed });
  }
  return reworded;
};

/** Rewords the sentence in which a checker says what it saw. */
export const rewordViolation: Rewording = (node) => {
  if (node.type !== "CallExpression") return [];
  const callee = node["callee"] as SyntaxNode;
  if (callee.type !== "Identifier" || callee["name"] !== "report") return [];
  const [symptom, detail] = node["arguments"] as SyntaxNode[];
  if (symptom === undefined || detail === undefined) return [];
  return [{ start: detail.start, end: detail.end, text: `"Reworded ${node.start}"` }];
};

/** Returns the text of a source file with all that `rewordings` say reworded. */
export function rewordedText(path: string, text: string, rewordings: readonly Rewording[]): string {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`Cannot parse "${path}": ${errors[0]?.message}`);
  const replacements: Replacement[] = [];
  const visit = (node: SyntaxNode): void => {
    for (const reword of rewordings) replacements.push(...reword(node, text));
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (isNode(child)) visit(child);
      }
    }
  };
  visit(program as unknown as SyntaxNode);
  let reworded = text;
  for (const { start, end, text: put } of replacements.toSorted((a, b) => b.start - a.start)) {
    reworded = reworded.slice(0, start) + put + reworded.slice(end);
  }
  return reworded;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
