import {
  type Document,
  isAlias,
  isCollection,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLError,
} from "yaml";

/** A text that no scenario can be read from. `place` is a line and a column; empty for all of it. */
export class UnreadableText extends Error {
  override readonly name = "UnreadableText";
  readonly place: string;

  constructor(place: string, problem: string) {
    super(problem);
    this.place = place;
  }
}

const CHARACTERS_MAX = 1_000_000;
/** Far deeper than any member of a scenario lies. */
const DEPTH_MAX = 32;
const TOO_DEEP = `it is nested deeper than ${DEPTH_MAX} levels`;
const PROBLEM_CHARACTERS_MAX = 200;

/**
 * Returns the data of a YAML or JSON text with one mapping.
 *
 * @throws {UnreadableText} with the line and column, where they are known
 */
export function yamlDataFrom(text: string): unknown {
  if (text.length > CHARACTERS_MAX) {
    throw new UnreadableText("", `it is longer than ${CHARACTERS_MAX} characters`);
  }
  try {
    return dataFrom(text);
  } catch (error) {
    // The parser is recursive: what is nested too deeply overflows its stack.
    if (error instanceof RangeError) throw tooDeep("");
    throw error;
  }
}

function dataFrom(text: string): unknown {
  const lines = new LineCounter();
  const placeOf = (offset: number | undefined): string => {
    if (offset === undefined) return "";
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  // The parser compares each key with all before it, which takes for ever in a large mapping.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: "error",
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    throw new UnreadableText(placeOf(problem.pos[0]), problemFrom(problem, text));
  }
  assertPlain(document, placeOf);
  if (!isCollection(document.contents)) {
    throw new UnreadableText("", "expected a mapping with story, world, …; found no mapping");
  }
  return document.toJS() as unknown;
}

/** @throws {UnreadableText} for an alias, a key that comes twice, and deep nesting */
function assertPlain(document: Document, placeOf: (offset: number | undefined) => string): void {
  visit(document, {
    Alias(_key, node) {
      if (!isAlias(node)) return;
      throw new UnreadableText(placeOf(node.range?.[0]), `it uses the alias *${node.source}`);
    },
    Collection(_key, node, path) {
      // The path has the pairs of mappings as well as their values.
      const depth = path.filter((one) => isCollection(one)).length;
      if (depth > DEPTH_MAX) throw tooDeep(placeOf(node.range?.[0]));
    },
    Map(_key, node) {
      const twice = keyTwiceIn(node);
      if (twice === undefined) return;
      throw new UnreadableText(placeOf(twice.offset), `the member "${twice.name}" comes twice`);
    },
  });
}

function keyTwiceIn({
  items,
}: YAMLMap): { readonly name: string; readonly offset: number | undefined } | undefined {
  const names = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (names.has(name)) return { name, offset: key.range?.[0] };
    names.add(name);
  }
  return undefined;
}

function tooDeep(place: string): UnreadableText {
  return new UnreadableText(place, TOO_DEEP);
}

/** Returns a problem of the YAML in one short line. */
function problemFrom({ code, message, pos: [at] }: YAMLError, text: string): string {
  switch (code) {
    case "MULTIPLE_DOCS":
      return "a second document begins here; a file holds one scenario";
    case "TAG_RESOLVE_FAILED": {
      const tag = /^!\S*/.exec(text.slice(at))?.[0] ?? "";
      return `it uses the tag ${tag.slice(0, 40)}, and a scenario has none`;
    }
    default: {
      // Where the parser overflowed the stack, it reports that as an error of the text.
      if (message.includes("call stack")) return TOO_DEEP;
      const line = message.replaceAll(/\s+/g, " ").slice(0, PROBLEM_CHARACTERS_MAX);
      return `it is no valid YAML: ${line}`;
    }
  }
}
