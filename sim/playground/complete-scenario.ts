/** The part of a JSON Schema that completion looks at. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A member or a value that may stand at the cursor. */
export interface Proposal {
  readonly label: string;
  /** The text to insert. */
  readonly apply: string;
  readonly info: string;
}

export interface Proposals {
  /** Where the word begins that they replace. */
  readonly from: number;
  readonly proposals: readonly Proposal[];
}

/** Where the cursor stands: within which members, and after which key of the last one. */
interface Place {
  readonly path: readonly string[];
  readonly word: string;
}

const WORLD = /^world:[ \t]*(\w+)/m;

/** Returns what may stand at a place of a scenario's text, after its JSON Schema. */
export function proposalsAt(schema: Schema, text: string, offset: number): Proposals | undefined {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  if (/^[^"']*#/.test(line)) return undefined;
  const { path, word } = placeIn(text, offset, line);
  const world = WORLD.exec(text)?.[1];
  const all = branches(schema, schema);
  const ofWorld = all.filter((one) => worldOf(one) === world && path[0] !== "world");
  const at = path.reduce(
    (nodes, key) => nodes.flatMap((node) => memberOf(schema, node, key)),
    ofWorld.length > 0 ? ofWorld : all,
  );
  const isValue = /[:[,{-]\s*\S*$/.test(line) && /:\s+[^\s{[]*$/.test(line);
  const proposals = isValue
    ? valuesOf(at)
    : [...membersOf(at), ...(path.length > 0 && /-\s+\S*$/.test(line) ? valuesOf(at) : [])];
  return proposals.length === 0 ? undefined : { from: offset - word.length, proposals };
}

function placeIn(text: string, offset: number, line: string): Place {
  const word = /[\w.-]*$/.exec(line)?.[0] ?? "";
  const before = text.slice(0, offset - word.length);
  const inLine = keysInLine(before.slice(before.lastIndexOf("\n") + 1));
  const above: string[] = [];
  let indent = inLine.indent;
  for (const one of before.split("\n").slice(0, -1).toReversed()) {
    const found = /^(\s*)((?:- )*)([\w-]+):/.exec(one);
    if (found === null) continue;
    const [, spaces = "", dashes = "", key = ""] = found;
    const isList = inLine.isItem && above.length === 0;
    const limit = isList ? indent + 1 : indent;
    if (spaces.length + dashes.length < limit && spaces.length < limit) {
      const rest = one.slice(found[0].length).trim();
      if (rest !== "" && !/^[[{]/.test(rest) && !rest.startsWith("#")) continue;
      above.unshift(key);
      indent = spaces.length + dashes.length;
      if (indent === 0) break;
    }
  }
  return { path: [...above, ...inLine.keys], word };
}

/** The open members of one line: `- { site: x, verdict: ` is within `verdict`. */
function keysInLine(line: string): {
  readonly keys: readonly string[];
  readonly indent: number;
  readonly isItem: boolean;
} {
  const [head = "", spaces = "", dashes = ""] = /^(\s*)((?:- )*)/.exec(line) ?? [];
  const open: (string | undefined)[] = [];
  let key: string | undefined;
  for (const [part] of line.slice(head.length).matchAll(/[\w.-]+\s*:(?=\s|$)|[[\]{},]/g)) {
    if (part === "{" || part === "[") {
      open.push(key);
      key = undefined;
    } else if (part === "}" || part === "]") {
      open.pop();
      key = undefined;
    } else if (part === ",") key = undefined;
    else key = part.replace(/\s*:$/, "");
  }
  const keys = [...open, key].filter((one) => one !== undefined);
  return { keys, indent: spaces.length + dashes.length, isItem: dashes !== "" };
}

/** The alternatives that a schema has; a list stands for its items. */
function branches(root: Schema, { $ref, ...node }: Schema): readonly Schema[] {
  if ($ref !== undefined) {
    const found = root.$defs?.[$ref.split("/").at(-1) ?? ""];
    return found === undefined ? [] : branches(root, found);
  }
  const inner = [...(node.oneOf ?? []), ...(node.anyOf ?? []), ...(node.allOf ?? [])];
  if (node.items !== undefined) inner.push(node.items);
  return [node, ...inner.flatMap((one) => branches(root, one))];
}

function memberOf(root: Schema, { properties }: Schema, key: string): readonly Schema[] {
  const member =
    properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (member === undefined) return [];
  const { description: info } = member;
  return branches(root, member).map((one) =>
    one.description === undefined && info !== undefined ? { ...one, description: info } : one,
  );
}

function worldOf({ properties }: Schema): unknown {
  return properties?.["world"]?.const;
}

function membersOf(nodes: readonly Schema[]): readonly Proposal[] {
  const members = new Map<string, Proposal>();
  for (const { properties } of nodes) {
    for (const [name, { description: info = "", type }] of Object.entries(properties ?? {})) {
      const after = type === "object" || type === "array" ? ":" : ": ";
      if (!members.has(name)) members.set(name, { label: name, apply: `${name}${after}`, info });
    }
  }
  return [...members.values()];
}

function valuesOf(nodes: readonly Schema[]): readonly Proposal[] {
  const values = new Map<string, Proposal>();
  for (const { const: only, enum: some, type, description: info = "" } of nodes) {
    const all = [...(only === undefined ? [] : [only]), ...(some ?? [])];
    if (type === "boolean") all.push(true, false);
    for (const one of all) {
      const label = String(one);
      if (!values.has(label)) values.set(label, { label, apply: label, info });
    }
  }
  return [...values.values()];
}
