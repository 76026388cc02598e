/** A line of a sequence diagram, as far as a run's diagram uses the language. */
export type DiagramLine =
  | { readonly kind: "participant"; readonly id: string; readonly name: string }
  | { readonly kind: "message"; readonly from: string; readonly to: string; readonly text: string }
  | { readonly kind: "note"; readonly over: readonly string[]; readonly text: string };

/**
 * Text of a message, a note or a name: what mermaid's lexer takes up to the end of the line. A
 * semicolon ends a statement and a "#" begins a comment, except as an entity such as "#59;".
 */
const TEXT = /^(?:[^#;%<&\\$\p{Cc}\p{Cs}\u2028\u2029]|#\d+;)+$/u;

/**
 * Reads a diagram, strictly.
 *
 * @throws {Error} at a line that mermaid would refuse, or understand as something else
 *
 * Source: mermaid 12.3.0, "sequenceDiagram.jison"
 */
export function readDiagram(text: string): readonly DiagramLine[] {
  const [head, ...lines] = text.split("\n");
  if (head !== "sequenceDiagram" || lines.pop() !== "") throw new Error(`Not a diagram: ${head}`);
  const known = new Set<string>();
  return lines.map((line) => {
    const read = lineFrom(line);
    if (read.kind === "participant") known.add(read.id);
    for (const id of idsOf(read)) if (!known.has(id)) throw new Error(`Nobody is ${id}: ${line}`);
    return read;
  });
}

function lineFrom(line: string): DiagramLine {
  const participant = /^ {2}participant (p\d+) as (.*)$/s.exec(line);
  const message = /^ {2}(p\d+)->>(p\d+): (.*)$/s.exec(line);
  const note = /^ {2}Note over (p\d+(?:,p\d+)?): (.*)$/s.exec(line);
  if (participant !== null) {
    const [, id = "", name = ""] = participant;
    return { kind: "participant", id, name: decoded(name) };
  }
  if (message !== null) {
    const [, from = "", to = "", text = ""] = message;
    return { kind: "message", from, to, text: decoded(text) };
  }
  if (note === null) throw new Error(`No statement: ${line}`);
  const [, over = "", text = ""] = note;
  return { kind: "note", over: over.split(","), text: decoded(text) };
}

function idsOf(line: DiagramLine): readonly string[] {
  if (line.kind === "participant") return [];
  return line.kind === "message" ? [line.from, line.to] : line.over;
}

function decoded(text: string): string {
  if (!TEXT.test(text)) throw new Error(`Cannot be a text: ${text}`);
  return text.replaceAll(/#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
