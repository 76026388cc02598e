import { type AnyNode, type LabeledStatement, parse, type YieldExpression } from "acorn";

/** The name under which the edited code finds `openFrame`. */
export const OPEN_FRAME = "$openFrame";

const FRAME = "$frame";

/** Text to be inserted; what closes something comes before what opens something at one place. */
interface Insertion {
  readonly at: number;
  readonly opens: boolean;
  readonly text: string;
}

/**
 * Returns the code with each await of its async functions passing through a frame, which keeps the
 * async contexts of src/platform where the runtime has none.
 *
 * Why so: no browser lets a script see when an `await` resumes. Replacing async functions by
 * generators and promises would, but settles promises in other orders than the runtime does.
 *
 * @param code - JavaScript: a script, or the body of a function
 * @throws {SyntaxError} when the code cannot be parsed
 */
export function trackAwaits(code: string): string {
  const insertions: Insertion[] = [];
  const edit = new AwaitEdits(code, insertions);
  edit.walk(parse(code, { ecmaVersion: "latest", allowReturnOutsideFunction: true }), undefined);
  insertions.sort((one, other) => one.at - other.at || Number(one.opens) - Number(other.opens));
  const parts: string[] = [];
  let end = 0;
  for (const { at, text } of insertions) {
    parts.push(code.slice(end, at), text);
    end = at;
  }
  return [...parts, code.slice(end)].join("");
}

type FunctionNode = Extract<
  AnyNode,
  { type: "FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression" }
>;

/** The async function around a node. */
interface Around {
  needsFrame: boolean;
}

class AwaitEdits {
  readonly #code: string;
  readonly #insertions: Insertion[];

  constructor(code: string, insertions: Insertion[]) {
    this.#code = code;
    this.#insertions = insertions;
  }

  walk(node: AnyNode, around: Around | undefined): void {
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        return this.#function(node);
      case "AwaitExpression":
        if (around === undefined) break;
        around.needsFrame = true;
        this.#open(node.start, `${FRAME}.enter(`);
        this.#open(node.start + "await".length, ` ${FRAME}.leave(`);
        this.#children(node, around);
        return this.#close(node.end, "))");
      case "YieldExpression":
        if (around === undefined) break;
        return this.#yield(node, around);
      case "ForOfStatement":
        if (node.await && around !== undefined) return this.#forAwait(node, around);
        break;
      case "LabeledStatement":
        return this.#labelled(node, around);
      case "CatchClause":
        this.#mayBeAway(node.body, around);
        break;
      case "TryStatement":
        if (node.finalizer) this.#mayBeAway(node.finalizer, around);
        break;
      default:
    }
    this.#children(node, around);
  }

  #function(node: FunctionNode): void {
    const around = node.async ? { needsFrame: false } : undefined;
    const before = this.#insertions.length;
    this.#children(node, around);
    if (around?.needsFrame !== true) return;
    const isBlock = node.body.type === "BlockStatement";
    const at = isBlock ? node.body.start + 1 : this.#arrowBefore(node.body.start);
    const text = ` const ${FRAME} = ${OPEN_FRAME}();`;
    // It stands before what the body's own awaits open at the same place.
    this.#insertions.splice(before, 0, {
      at,
      opens: true,
      text: isBlock ? text : ` {${text} return (`,
    });
    if (!isBlock) this.#close(node.end, "); }");
  }

  /** To continue with or to leave a labelled loop awaits the `return()` of those within it. */
  #labelled(node: LabeledStatement, around: Around | undefined): void {
    const { body } = node;
    const inner = "body" in body && !Array.isArray(body.body) ? (body.body as AnyNode) : undefined;
    if (around === undefined || inner === undefined) return this.#children(node, around);
    if (inner.type === "BlockStatement") this.#mayBeAway(inner, around);
    else this.#open(inner.start, `{ ${FRAME}.enterIfAway(); `);
    around.needsFrame = true;
    this.#children(node, around);
    this.#close(node.end, inner.type === "BlockStatement" ? "" : " }");
    this.#close(node.end, ` ${FRAME}.enterIfAway();`);
  }

  #arrowBefore(body: number): number {
    const arrow = "=>";
    return this.#code.lastIndexOf(arrow, body) + arrow.length;
  }

  /** An await may have thrown into this block. */
  #mayBeAway(block: AnyNode, around: Around | undefined): void {
    if (around === undefined) return;
    around.needsFrame = true;
    this.#open(block.start + 1, ` ${FRAME}.enterIfAway();`);
  }

  #yield(node: YieldExpression, around: Around): void {
    around.needsFrame = true;
    this.#open(node.start, node.delegate ? `${FRAME}.pullLast(` : `${FRAME}.pull(`);
    if (!node.delegate) this.#open(node.start + "yield".length, ` ${FRAME}.yield(`);
    this.#children(node, around);
    this.#close(node.end, node.delegate ? ")" : "))");
  }

  #forAwait(node: AnyNode & { type: "ForOfStatement" }, around: Around): void {
    around.needsFrame = true;
    this.walk(node.left, around);
    this.#open(node.right.start, `${FRAME}.each((`);
    this.walk(node.right, around);
    this.#close(node.right.end, "))");
    const isBlock = node.body.type === "BlockStatement";
    const resume = `${FRAME}.enter();`;
    this.#open(node.body.start + (isBlock ? 1 : 0), isBlock ? ` ${resume}` : `{ ${resume} `);
    this.walk(node.body, around);
    if (!isBlock) this.#close(node.body.end, " }");
    this.#close(node.end, ` ${FRAME}.enterIfAway();`);
  }

  #children(node: AnyNode, around: Around | undefined): void {
    for (const value of Object.values(node) as readonly unknown[]) {
      for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
        if (isNode(one)) this.walk(one, around);
      }
    }
  }

  #open(at: number, text: string): void {
    this.#insertions.push({ at, opens: true, text });
  }

  #close(at: number, text: string): void {
    this.#insertions.push({ at, opens: false, text });
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value;
}
