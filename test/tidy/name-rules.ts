import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-file.ts";

/** Globals that bring in real time, chance or the machine, and what to use instead. */
const GLOBALS_INSTEAD: ReadonlyMap<string, string> = new Map([
  ["Date", "ask the Clock"],
  ["setTimeout", "ask the Clock"],
  ["setInterval", "ask the Clock"],
  ["setImmediate", "ask the Clock, or drain()"],
  ["queueMicrotask", "resolve a promise"],
  ["performance", "ask the Clock"],
  ["scheduler", "ask the Clock"],
  ["MessageChannel", "drain()"],
  ["crypto", "take a choice stream, or entropy from src/platform"],
  ["process", "only sim/cli and src/platform touch the machine"],
  ["console", "take a Logger, or write to the trace"],
  ["fetch", "take what it would fetch as an argument"],
  ["Deno", "only src/platform may look at the runtime"],
  ["Bun", "only src/platform may look at the runtime"],
  ["Buffer", "Uint8Array"],
  ["globalThis", "only src/platform may look at the runtime"],
  ["global", "only src/platform may look at the runtime"],
  ["window", "only src/platform may look at the runtime"],
  ["self", "only src/platform may look at the runtime"],
  ["Intl", "a locale differs from machine to machine"],
  ["WeakRef", "garbage collection must not be seen"],
  ["FinalizationRegistry", "garbage collection must not be seen"],
]);

/** Math that every engine rounds alike; the other functions differ. */
const MATH_ALIKE: ReadonlySet<string> = new Set(
  "abs ceil clz32 floor fround imul max min round sign sqrt trunc PI E LN2 SQRT2".split(" "),
);

const PROPERTIES_INSTEAD: ReadonlyMap<string, string> = new Map([
  ["localeCompare", "compare with < and >: a locale differs from machine to machine"],
  ["toLocaleString", "write the number out: a locale differs from machine to machine"],
]);

/** The file of sim, outside of the realm, that may hold what stands for real time. */
const CAPTURING: ReadonlySet<string> = new Set(["sim/kernel/run-realm.ts"]);
/** The room whose files stand between code under test and the machine. */
const REALM = "sim/realm/";

function isCapturing(path: string): boolean {
  return CAPTURING.has(path) || path.startsWith(REALM);
}

/** Files that may use Date, to convert a given instant and never to read the time. */
const CONVERTING_DATES: ReadonlySet<string> = new Set([
  "src/store-http/iso-time.ts",
  "sim/brokers/stored-date.ts",
  "sim/brokers/pubsub/pubsub-time.ts",
  "sim/trace/epoch.ts",
  "sim/brokers/service-bus/service-bus-link.ts",
]);

/** The file that makes what client libraries give as a Buffer. */
const BUFFERS: ReadonlySet<string> = new Set(["sim/brokers/library-buffer.ts"]);

const UNTELLING = new Set([
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "types",
  "misc",
  "index",
]);

/** Where log lines go if nobody gives a logger. */
const CONSOLE_LOGGER = "src/time/console-logger.ts";

const RUNNERS = new Set(["it", "test", "describe", "suite"]);
const NOT_RUN = new Set(["only", "skip", "skipIf", "runIf", "todo", "fails"]);

const LINES_MAX = 400;
/** A test file may hold one long table of cases. */
const TEST_LINES_MAX = 800;
/**
 * The formatter breaks code at 100 and leaves long strings, regular expressions and links alone.
 */
const COLUMNS_MAX = 100;
const UNBREAKABLE = /["'`/].{30,}|https?:/;

export function nameFindings(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => [
    ...bannedGlobals(file),
    ...bannedMath(file),
    ...bannedProperties(file),
    ...untellingNames(file.path),
    ...size(file),
    ...leftOpen(file),
    ...focusedOrSkipped(file),
    ...defaultExport(file),
  ]);
}

/**
 * Whether a file must be the same run after run: all of src and sim but the rooms at the machine.
 */
function isDeterministic(path: string): boolean {
  if (path.startsWith("src/platform/") || path.startsWith("sim/cli/")) return false;
  return path.startsWith("src/") || path.startsWith("sim/");
}

function bannedGlobals({ path, mentions }: SourceFile): Finding[] {
  if (!isDeterministic(path) || isCapturing(path)) return [];
  return mentions.flatMap(({ name, property, line }) => {
    if (name === "AbortSignal" && property === "timeout") {
      return [{ path, line, message: "no AbortSignal.timeout: ask the Clock" }];
    }
    if (name === "Date" && CONVERTING_DATES.has(path) && property !== "now") return [];
    if (name === "Buffer" && BUFFERS.has(path)) return [];
    if (name === "console" && path === CONSOLE_LOGGER) return [];
    const instead = GLOBALS_INSTEAD.get(name);
    return instead === undefined ? [] : [{ path, line, message: `no ${name}: ${instead}` }];
  });
}

function bannedMath({ path, mentions, powers }: SourceFile): Finding[] {
  if (!isDeterministic(path)) return [];
  const named = mentions.flatMap(({ name, property, line }) => {
    if (name !== "Math" || (property !== undefined && MATH_ALIKE.has(property))) return [];
    if (property === undefined && isCapturing(path)) return [];
    const what = property === undefined ? "Math as a value" : `Math.${property}`;
    return [{ path, line, message: `no ${what}: engines differ, or it is chance` }];
  });
  const raised = powers.map((line) => ({
    path,
    line,
    message: "no ** but between number literals: engines differ",
  }));
  return [...named, ...raised];
}

function bannedProperties({ path, properties }: SourceFile): Finding[] {
  if (!isDeterministic(path)) return [];
  return properties.flatMap(({ name, line }) => {
    const instead = PROPERTIES_INSTEAD.get(name);
    return instead === undefined ? [] : [{ path, line, message: `no ${name}: ${instead}` }];
  });
}

function untellingNames(path: string): Finding[] {
  return path.split("/").flatMap((part) => {
    const [stem = part] = part.split(".");
    const shared = /(^|-)shared($|-)/.test(stem) && !stem.includes("shared-stream");
    if (!shared && !UNTELLING.has(stem)) {
      const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem);
      return kebab ? [] : [{ path, line: 1, message: `write "${part}" in kebab-case` }];
    }
    return [{ path, line: 1, message: `"${part}" says nothing: name it after what it exports` }];
  });
}

function size({ path, lines }: SourceFile): Finding[] {
  const long = lines.flatMap((text, index) => {
    const tolerable = text.length <= COLUMNS_MAX || UNBREAKABLE.test(text);
    const message = `${text.length} columns, at most ${COLUMNS_MAX}`;
    return tolerable ? [] : [{ path, line: index + 1, message }];
  });
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const most = path.startsWith("test/") ? TEST_LINES_MAX : LINES_MAX;
  if (count <= most) return long;
  return [...long, { path, line: count, message: `${count} lines, at most ${most}` }];
}

function leftOpen({ path, comments }: SourceFile): Finding[] {
  return comments.flatMap(({ text, line }) =>
    /\b(TODO|FIXME|XXX)\b/.test(text)
      ? [{ path, line, message: "nothing is left open in the tree: do it, or leave it out" }]
      : [],
  );
}

function focusedOrSkipped({ path, properties }: SourceFile): Finding[] {
  if (!path.startsWith("test/")) return [];
  return properties.flatMap(({ root, name, line }) =>
    root !== undefined && RUNNERS.has(root) && NOT_RUN.has(name)
      ? [{ path, line, message: `every test runs: no ${root}.${name}` }]
      : [],
  );
}

function defaultExport({ path, hasDefaultExport }: SourceFile): Finding[] {
  if (!hasDefaultExport || path.endsWith(".config.ts")) return [];
  return [{ path, line: 1, message: "no default export: a thing has one name" }];
}
