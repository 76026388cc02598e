import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseSync } from "oxc-parser";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { regionsOf } from "./probes.ts";
import { isNode, visitValues, type SyntaxNode } from "./syntax.ts";
import type { TestRecord } from "./worker-setup.ts";

/** What the unmutated tests took and entered, kept from run to run. */
const CACHE = join(checkoutRoot, "coverage/mutation.json");

/** A record and the digests of what it depends on. */
interface KeptRecord {
  /** Of all that the test imports, enters and may read. */
  readonly digest: string;
  /** Of the test and the files of tests that it imports. */
  readonly ofTests: string;
  /** Of each file that it enters. */
  readonly sources: Readonly<Record<string, string>>;
  readonly record: TestRecord;
}

/** Returns the test files of the fast gate on Node, but those about the sources as text. */
export function fastTests(): readonly string[] {
  return globSync("test/**/*.test.ts", { cwd: checkoutRoot })
    .filter((path) => !/\.long\.|\.types\.test\.|^test\/(?:tidy\.|mutation\/)/.test(path))
    .toSorted();
}

/**
 * Returns a record of each test. One that was kept is not made again unless the test, a source or
 * data that it may read has changed since.
 *
 * `make` records the tests that are missing and hands over each lot as it comes.
 *
 * With `mayBeStale` what was kept is taken also where a source or data has changed since; a source
 * that the test entered then counts as entered everywhere.
 */
export async function recordsOf(
  tests: readonly string[],
  mayBeStale: boolean,
  make: (
    missing: readonly string[],
    keep: (records: readonly TestRecord[]) => void,
  ) => Promise<void>,
): Promise<readonly TestRecord[]> {
  const digests = new Digests();
  const kept = new Map(readCache().map((one) => [one.record.test, one]));
  const missing = tests.filter((test) => {
    const one = kept.get(test);
    if (one === undefined) return true;
    if (mayBeStale) return one.ofTests !== digests.ofTestsOf(test);
    return one.digest !== digests.ofTest(test, Object.keys(one.record.entered));
  });
  const keep = (records: readonly TestRecord[]): void => {
    for (const record of records) {
      const files = Object.keys(record.entered);
      const sources = Object.fromEntries(files.map((file) => [file, digests.ofFile(file)]));
      const digest = digests.ofTest(record.test, files);
      const ofTests = digests.ofTestsOf(record.test);
      kept.set(record.test, { digest, ofTests, sources, record });
    }
    mkdirSync(dirname(CACHE), { recursive: true });
    writeFileSync(CACHE, JSON.stringify([...kept.values()]));
  };
  if (missing.length > 0) await make(missing, keep);
  return tests.flatMap((test) => {
    const one = kept.get(test);
    return one === undefined ? [] : widened(one, digests);
  });
}

/** Returns the record, in which a file that has changed since is entered everywhere. */
function widened({ record, sources }: KeptRecord, digests: Digests): TestRecord {
  const entered = Object.entries(record.entered).flatMap(([file, regions]) => {
    if (sources[file] === digests.ofFile(file)) return [[file, regions] as const];
    const path = join(checkoutRoot, file);
    if (!existsSync(path)) return [];
    const all = regionsOf(file, readFileSync(path, "utf8"));
    return [[file, [...all.keys()]] as const];
  });
  return { ...record, entered: Object.fromEntries(entered) };
}

function readCache(): readonly KeptRecord[] {
  return existsSync(CACHE) ? (JSON.parse(readFileSync(CACHE, "utf8")) as KeptRecord[]) : [];
}

/** Digests of test files with all that they import, enter and may read. */
class Digests {
  readonly #files = new Map<string, string>();
  readonly #imports = new Map<string, readonly string[]>();
  /** Scenarios, golden scripts and tables, which any test may read. */
  readonly #data = globSync(["scenarios/**/*.*", "test/**/*.{json,jsonl,txt,md}", "*.json"], {
    cwd: checkoutRoot,
  })
    .filter((path) => !path.startsWith("test/mutation/"))
    .toSorted();

  ofTest(test: string, entered: readonly string[]): string {
    const imported = this.#reachedFrom(test, () => true);
    const files = [...new Set([...imported, ...entered])].toSorted();
    return this.#ofFiles([...this.#data, ...files]);
  }

  ofTestsOf(test: string): string {
    const isOfTests = (file: string): boolean => file.startsWith("test/");
    return this.#ofFiles([...this.#reachedFrom(test, isOfTests)].toSorted());
  }

  /** Returns the test and what it imports, directly or not, by files that are `within`. */
  #reachedFrom(test: string, within: (file: string) => boolean): ReadonlySet<string> {
    const all = new Set([test]);
    for (const file of all) {
      for (const one of this.#importsOf(file)) if (within(one)) all.add(one);
    }
    return all;
  }

  #ofFiles(files: readonly string[]): string {
    return sha256(files.map((file) => `${file} ${this.ofFile(file)}`).join("\n"));
  }

  ofFile(file: string): string {
    let digest = this.#files.get(file);
    if (digest === undefined) {
      const path = join(checkoutRoot, file);
      digest = existsSync(path) ? sha256(readFileSync(path, "utf8")) : "absent";
      this.#files.set(file, digest);
    }
    return digest;
  }

  #importsOf(file: string): readonly string[] {
    let imports = this.#imports.get(file);
    if (imports === undefined) {
      imports = file.endsWith(".ts") ? importsIn(file) : [];
      this.#imports.set(file, imports);
    }
    return imports;
  }
}

/** Returns the files of the repository that a file imports, from the top of the repository. */
function importsIn(file: string): readonly string[] {
  const path = join(checkoutRoot, file);
  if (!existsSync(path)) return [];
  const { program } = parseSync(file, readFileSync(path, "utf8"));
  const imports: string[] = [];
  visitValues(program as unknown as SyntaxNode, ({ source }) => {
    if (isNode(source) && typeof source["value"] === "string" && source["value"].startsWith(".")) {
      imports.push(posix.join(posix.dirname(file), source["value"]));
    }
    return true;
  });
  return imports;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
