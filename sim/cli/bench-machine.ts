import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Machine } from "../../bench/engine/run-bench.ts";

interface RuntimeGlobals {
  readonly gc?: () => void;
  readonly Bun?: { readonly version: string; gc(force: boolean): void };
}

const GIB = 2 ** 30;
/** How many full collections run: one may keep what finalizers or weak references held. */
const COLLECTIONS = 3;

/** Collects garbage with the runtime's function, or one that V8 exposes on demand. */
export function createCollector(): (() => void) | undefined {
  const { gc, Bun } = globalThis as unknown as RuntimeGlobals;
  if (Bun !== undefined) return () => Bun.gc(true);
  if (gc !== undefined) return gc;
  try {
    setFlagsFromString("--expose-gc");
    return runInNewContext("gc") as () => void;
  } catch {
    return undefined;
  }
}

/** Returns a function that measures the live bytes of the process, also outside the heap. */
export function createScales(collect: (() => void) | undefined): (() => number) | undefined {
  if (collect === undefined) return undefined;
  return () => {
    for (let time = 0; time < COLLECTIONS; time += 1) collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
}

export function readMachine(): Machine {
  const [runtime, version] = runtimeOf(process.versions);
  return {
    runtime,
    version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / GIB),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

function runtimeOf(versions: NodeJS.ProcessVersions): readonly [string, string] {
  const { deno, bun, node } = versions;
  if (deno !== undefined) return ["Deno", deno];
  return bun === undefined ? ["Node", node] : ["Bun", bun];
}

/** Returns the installed versions of `names`, without those that are not installed. */
export function versionsOf(names: readonly string[]): Record<string, string> {
  const found = names.map((name) => [name, versionOf(name)] as const);
  return Object.fromEntries(found.filter(([, version]) => version !== undefined)) as Record<
    string,
    string
  >;
}

/** Reads the manifest above the package's entry, because not every package exports its own. */
function versionOf(name: string): string | undefined {
  let folder: URL;
  try {
    folder = new URL(".", import.meta.resolve(name));
  } catch {
    return undefined;
  }
  for (; folder.pathname !== "/"; folder = new URL("..", folder)) {
    try {
      const text = readFileSync(new URL("package.json", folder), "utf8");
      const manifest = JSON.parse(text) as { readonly name?: string; readonly version?: string };
      if (manifest.name === name) return manifest.version;
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
    }
  }
  return undefined;
}
