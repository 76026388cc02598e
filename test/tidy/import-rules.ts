import type { Finding } from "./finding.ts";
import type { Import, SourceFile } from "./source-file.ts";

/** Which rooms of src a room may enter, besides itself and the files that every room may use. */
const ROOMS_ENTERED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ["time", []],
  ["shared-stream", ["time", "platform"]],
  ["triggerer", ["shared-stream", "time"]],
  ["operators", ["operator", "resumable", "triggerer", "time"]],
  ["store", ["time"]],
  ["operator", ["store", "time"]],
  ["resumable", ["operator", "store", "time"]],
  ["store-http", ["store", "time"]],
  ["platform", ["time", "store"]],
  ["mod.ts", ["time", "shared-stream", "triggerer", "store", "operator", "resumable"]],
  ["airflow-settings.ts", ["time"]],
  ["any-copy.ts", []],
  ["checked-options.ts", []],
  ["invariant.ts", []],
  ["json-value.ts", []],
]);

/** The rooms of sim, lowest first: a room imports only rooms that stand before it. */
const SIM_ROOMS: readonly string[] = [
  "browser",
  "trace",
  "choices",
  "faults",
  "realm",
  "kernel",
  "hosts",
  "brokers",
  "jobs",
  "reference",
  "checkers",
  "story",
  "page",
  "codecs",
  "workloads",
  "worlds",
  "scenario",
  "run",
  "search",
  "report",
  "check",
  "playground",
  "mod.ts",
  "cli",
];

/** Files of src that belong to no room and that every room may use. */
const OPEN_TO_ALL: readonly string[] = [
  "airflow-settings.ts",
  "any-copy.ts",
  "checked-options.ts",
  "invariant.ts",
  "json-value.ts",
];

/** Files of src that the simulator may use, though they are in no room and not public. */
const OPEN_TO_SIM: readonly string[] = [
  "src/any-copy.ts",
  "src/checked-options.ts",
  "src/invariant.ts",
];

/** Packages that belong to one part of the simulator; the others may be taken anywhere in sim. */
const PACKAGE_HOMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["commander", ["sim/cli/"]],
  ["acorn", ["sim/browser/"]],
  ["sucrase", ["sim/playground/"]],
  ["mitata", []],
  ["fast-check", []],
  ["vitest", []],
  ["@fast-check/vitest", []],
  ["oxc-parser", []],
]);

/** Packages that some files of src may take: the driver of a database that is a face of its own. */
const DRIVERS: ReadonlyMap<string, string> = new Map([["pg", "src/platform/postgres-"]]);

/** Faces that are one file: what a database needs is loaded by those who use it. */
const SINGLE_FACES: readonly string[] = [
  "src/platform/sqlite-state-backend.ts",
  "src/platform/postgres-state-backend.ts",
];

/** Files of the command line that make their process one that only simulates. */
const TAKE_THE_PROCESS: readonly string[] = ["sim/cli/main.ts", "sim/cli/own-the-process.ts"];

/** Programs that tests run in a process of its own. */
const PROGRAMS_OF_TESTS: readonly string[] = ["test/soundness/run-corpus.ts"];

type ImportRule = (file: SourceFile, { target, specifier, form }: Import) => string | undefined;

const RULES: readonly ImportRule[] = [
  srcStandsAlone,
  roomsOfSrcInOrder,
  roomsOfSimInOrder,
  onlyTheMachineRoomsNameTheRuntime,
  packagesAtHome,
  roomsEnteredByTheirFace,
  checkersReadTheTraceOnly,
  productKnowsNoTest,
  testsKeepTheirProcess,
  specifiersNameAFile,
  namedReExportsOnly,
];

export function importFindings(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) =>
    file.imports.flatMap((entry) =>
      RULES.flatMap((rule) => {
        const message = rule(file, entry);
        return message === undefined ? [] : [{ path: file.path, line: entry.line, message }];
      }),
    ),
  );
}

/** Every import circle, type-only imports counted, each told once from its first file by name. */
export function circleFindings(files: readonly SourceFile[]): Finding[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const way: string[] = [];
  const findings: Finding[] = [];

  function walk(path: string): void {
    const at = way.indexOf(path);
    if (at >= 0) {
      const circle = [...way.slice(at), path].join(" -> ");
      findings.push({ path, line: 1, message: `imports itself in a circle: ${circle}` });
      return;
    }
    const file = byPath.get(path);
    if (file === undefined || done.has(path)) return;
    way.push(path);
    for (const { target } of file.imports) if (target !== undefined) walk(target);
    way.pop();
    done.add(path);
  }

  for (const { path } of files) walk(path);
  return findings;
}

function srcStandsAlone({ path }: SourceFile, { target, specifier }: Import): string | undefined {
  if (!path.startsWith("src/")) return undefined;
  if (target === undefined) {
    const runtime = specifier.startsWith("node:") && path.startsWith("src/platform/");
    return runtime || path.startsWith(DRIVERS.get(specifier) ?? "src/none")
      ? undefined
      : `src has no dependency: "${specifier}"`;
  }
  return target.startsWith("src/") ? undefined : `src imports only src: "${specifier}"`;
}

function roomsOfSrcInOrder({ path }: SourceFile, { target }: Import): string | undefined {
  if (!path.startsWith("src/") || target?.startsWith("src/") !== true) return undefined;
  const from = roomOf(path);
  const to = roomOf(target);
  if (from === to || OPEN_TO_ALL.includes(to)) return undefined;
  const allowed = ROOMS_ENTERED_BY.get(from);
  if (allowed === undefined) return `src/${from} has no place in the order of the rooms`;
  return allowed.includes(to) ? undefined : `src/${from} may not know src/${to}`;
}

function roomsOfSimInOrder({ path }: SourceFile, { target }: Import): string | undefined {
  if (!path.startsWith("sim/") || target?.startsWith("sim/") !== true) return undefined;
  const from = roomOf(path);
  const to = roomOf(target);
  if (from === to) return undefined;
  const place = SIM_ROOMS.indexOf(from);
  if (place === -1) return `sim/${from} has no place in the order of the rooms`;
  return SIM_ROOMS.indexOf(to) < place ? undefined : `sim/${from} may not know sim/${to}`;
}

function onlyTheMachineRoomsNameTheRuntime(
  { path }: SourceFile,
  { specifier }: Import,
): string | undefined {
  if (!path.startsWith("sim/") || path.startsWith("sim/cli/")) return undefined;
  return /^(node|bun|deno|jsr|npm|https?):/.test(specifier)
    ? `only sim/cli and src/platform touch the machine: "${specifier}"`
    : undefined;
}

function packagesAtHome({ path }: SourceFile, { target, specifier }: Import): string | undefined {
  if (!path.startsWith("sim/") || target !== undefined) return undefined;
  const depth = specifier.startsWith("@") ? 2 : 1;
  const name = specifier.split("/").slice(0, depth).join("/");
  const homes = PACKAGE_HOMES.get(name);
  if (homes === undefined || homes.some((home) => path.startsWith(home))) return undefined;
  return `"${name}" belongs to ${homes.length === 0 ? "test and bench" : homes.join(", ")}`;
}

function roomsEnteredByTheirFace({ path }: SourceFile, { target }: Import): string | undefined {
  if (target === undefined) return undefined;
  const room = target.split("/").slice(0, -1).join("/");
  const isFace = target.endsWith("/mod.ts") || SINGLE_FACES.includes(target);
  if (isFace && path.startsWith(`${room}/`) && room.includes("/")) {
    return `no file knows the face of its own room: "${target}"`;
  }
  const fromOutside = path.startsWith("sim/") || path.startsWith("bench/");
  if (!fromOutside || !target.startsWith("src/") || OPEN_TO_SIM.includes(target)) return undefined;
  return isFace ? undefined : `enter a room of src by its mod.ts: "${target}"`;
}

function checkersReadTheTraceOnly({ path }: SourceFile, entry: Import): string | undefined {
  if (!path.startsWith("sim/checkers/")) return undefined;
  const { target, specifier } = entry;
  if (target?.startsWith("sim/trace/") === true || target?.startsWith("sim/checkers/") === true)
    return undefined;
  return `a checker imports the trace only, or it will excuse what it judges: "${specifier}"`;
}

function productKnowsNoTest({ path }: SourceFile, { target }: Import): string | undefined {
  if (target === undefined) return undefined;
  const product = path.startsWith("src/") || path.startsWith("sim/");
  const isEngine = path.startsWith("sim/cli/") && target.startsWith("bench/engine/");
  if (product && !isEngine && /^(test|bench)\//.test(target))
    return `the product knows no test: "${target}"`;
  if (product && target.startsWith("dist/")) return `sources import sources: "${target}"`;
  return undefined;
}

function testsKeepTheirProcess({ path }: SourceFile, { target }: Import): string | undefined {
  if (target === undefined || !TAKE_THE_PROCESS.includes(target)) return undefined;
  if (!path.startsWith("test/") || PROGRAMS_OF_TESTS.includes(path)) return undefined;
  return `it takes the whole process for its runs, and with it the tests beside it: spawn "${target}"`;
}

function specifiersNameAFile(_: SourceFile, { target, specifier }: Import): string | undefined {
  if (target === undefined || /\.(ts|json|js|mjs)$/.test(target)) return undefined;
  return `name the file with its ending: "${specifier}"`;
}

function namedReExportsOnly(_: SourceFile, { form, specifier }: Import): string | undefined {
  return form === "re-export-all" ? `no export *: name what "${specifier}" gives away` : undefined;
}

function roomOf(path: string): string {
  return path.split("/")[1] ?? path;
}
