import { posix } from "node:path";
import { parseSync } from "oxc-parser";

/** One `import`, `export … from`, `import()` or `import("…")` in a type. */
export interface Import {
  readonly specifier: string;
  /** The file it leads to, from the top of the repository; undefined for a package or a runtime. */
  readonly target: string | undefined;
  readonly form: "import" | "re-export" | "re-export-all" | "dynamic";
  readonly line: number;
}

/** A name that the file uses without having declared it, or `name.property` on such a name. */
export interface Mention {
  readonly name: string;
  readonly property: string | undefined;
  readonly line: number;
}

/** `….property` on anything; `root` is the name that the chain begins with, where it has one. */
export interface Property {
  readonly root: string | undefined;
  readonly name: string;
  readonly line: number;
}

/** A text and the line on which it begins. */
export interface Text {
  readonly text: string;
  readonly line: number;
}

/** What the tidy rules know of a file; read from its syntax tree, not from its letters. */
export interface SourceFile {
  readonly path: string;
  readonly lines: readonly string[];
  readonly imports: readonly Import[];
  readonly mentions: readonly Mention[];
  readonly properties: readonly Property[];
  /** Lines of `**` between anything but two number literals. */
  readonly powers: readonly number[];
  readonly comments: readonly Text[];
  /** String literals, and the fixed parts of templates. */
  readonly strings: readonly Text[];
  readonly hasDefaultExport: boolean;
}

type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown };

export function sourceFileFrom(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`Cannot parse "${path}": ${errors[0]?.message}`);
  const reader = new Reader(path, text);
  reader.visit(program as unknown as Node, undefined, "");
  return {
    path,
    lines: text.split("\n"),
    imports: reader.imports,
    mentions: reader.mentions.filter(({ name }) => !reader.declared.has(name)),
    properties: reader.properties,
    powers: reader.powers,
    comments: comments.map(({ value, start }) => ({ text: value, line: reader.lineAt(start) })),
    strings: reader.strings,
    hasDefaultExport: reader.hasDefaultExport,
  };
}

class Reader {
  readonly imports: Import[] = [];
  readonly mentions: Mention[] = [];
  readonly properties: Property[] = [];
  readonly powers: number[] = [];
  readonly strings: Text[] = [];
  readonly declared = new Set<string>();
  hasDefaultExport = false;
  readonly #path: string;
  readonly #lineStarts: readonly number[];

  constructor(path: string, text: string) {
    this.#path = path;
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  lineAt(offset: number): number {
    return this.#lineStarts.filter((start) => start <= offset).length;
  }

  visit(node: Node, parent: Node | undefined, role: string): void {
    this.#readImport(node);
    this.#readName(node, parent, role);
    this.#readDeclaration(node);
    this.#readString(node);
    if (node.type === "BinaryExpression" || node.type === "AssignmentExpression") {
      const constant = isNumberLiteral(node["left"]) && isNumberLiteral(node["right"]);
      const operator = node["operator"];
      if (!constant && (operator === "**" || operator === "**=")) {
        this.powers.push(this.lineAt(node.start));
      }
    }
    for (const [key, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (isNode(child)) this.visit(child, node, key);
      }
    }
  }

  #readString(node: Node): void {
    const text = stringText(node);
    if (text !== undefined) this.strings.push({ text, line: this.lineAt(node.start) });
  }

  #readImport(node: Node): void {
    switch (node.type) {
      case "ImportDeclaration":
        return this.#add(node, "import");
      case "ExportNamedDeclaration":
        return this.#add(node, "re-export");
      case "ExportAllDeclaration":
        return this.#add(node, "re-export-all");
      case "ImportExpression":
      case "TSImportType":
        return this.#add(node, "dynamic");
      case "ExportDefaultDeclaration":
        this.hasDefaultExport = true;
        return;
      default:
    }
  }

  #add(node: Node, form: Import["form"]): void {
    const { source } = node;
    if (!isNode(source)) return;
    const specifier = literalText(source) ?? "(computed)";
    const target = specifier.startsWith(".")
      ? posix.join(posix.dirname(this.#path), specifier)
      : undefined;
    this.imports.push({ specifier, target, form, line: this.lineAt(node.start) });
  }

  #readName(node: Node, parent: Node | undefined, role: string): void {
    const line = this.lineAt(node.start);
    if (node.type === "MemberExpression") {
      const property = propertyName(node);
      if (property === undefined) return;
      this.properties.push({ root: rootName(node), name: property, line });
      const { object } = node;
      if (isNode(object) && object.type === "Identifier") {
        this.mentions.push({ name: object["name"] as string, property, line });
      }
      return;
    }
    if (node.type !== "Identifier" || parent === undefined || isMereLabel(parent, role)) return;
    if (parent.type === "MemberExpression" && propertyName(parent) !== undefined) return;
    this.mentions.push({ name: node["name"] as string, property: undefined, line });
  }

  #readDeclaration(node: Node): void {
    switch (node.type) {
      case "VariableDeclarator":
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ClassDeclaration":
      case "CatchClause":
        this.#bind(node["id"] ?? node["param"]);
        break;
      case "ImportSpecifier":
      case "ImportDefaultSpecifier":
      case "ImportNamespaceSpecifier":
        this.#bind(node["local"]);
        break;
      default:
    }
    const { params } = node;
    if (Array.isArray(params)) for (const param of params as unknown[]) this.#bind(param);
  }

  #bind(pattern: unknown): void {
    if (!isNode(pattern)) return;
    switch (pattern.type) {
      case "Identifier":
        this.declared.add(pattern["name"] as string);
        return;
      case "ObjectPattern":
        for (const property of pattern["properties"] as Node[]) {
          this.#bind(property["value"] ?? property["argument"]);
        }
        return;
      case "ArrayPattern":
        for (const element of pattern["elements"] as unknown[]) this.#bind(element);
        return;
      case "AssignmentPattern":
        return this.#bind(pattern["left"]);
      case "RestElement":
        return this.#bind(pattern["argument"]);
      default:
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function isNumberLiteral(value: unknown): boolean {
  return isNode(value) && value.type === "Literal" && typeof value["value"] === "number";
}

function literalText(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node["quasis"] as { value: { cooked: string } }[];
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined;
}

/** The text of a string literal, or of one fixed part of a template. */
function stringText(node: Node): string | undefined {
  if (node.type === "TemplateElement") return (node["value"] as { cooked: string }).cooked;
  return node.type === "Literal" && typeof node["value"] === "string" ? node["value"] : undefined;
}

/** `a.b` and `a["b"]` name b; `a[b]` names nothing. */
function propertyName(member: Node): string | undefined {
  const { property } = member;
  if (!isNode(property)) return undefined;
  return member["computed"] === true ? literalText(property) : (property["name"] as string);
}

/** `it` in `it.each(rows).only`. */
function rootName(node: Node): string | undefined {
  if (node.type === "Identifier") return node["name"] as string;
  const inner = node.type === "CallExpression" ? node["callee"] : node["object"];
  return isNode(inner) ? rootName(inner) : undefined;
}

/** Whether an identifier in this place names a key, a type or a label, and reads no variable. */
function isMereLabel(parent: Node, role: string): boolean {
  if (parent.type === "Property" && role === "key") {
    return parent["computed"] !== true;
  }
  if (parent.type.startsWith("TS")) return role !== "expression";
  if (["PropertyDefinition", "MethodDefinition", "AccessorProperty"].includes(parent.type)) {
    return role === "key" && parent["computed"] !== true;
  }
  return [
    "ImportSpecifier",
    "ExportSpecifier",
    "ImportDefaultSpecifier",
    "ImportNamespaceSpecifier",
    "MetaProperty",
    "LabeledStatement",
    "BreakStatement",
    "ContinueStatement",
  ].includes(parent.type);
}
