import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import type { HostProcess } from "./host-process.ts";
import type { RunReply, RunTask } from "./host.ts";
import { type Region, regionAt, regionsOf } from "./probes.ts";
import { mutatedText, type SourceMutant } from "./source-mutants.ts";
import type { Limits } from "./watchdog.ts";
import type { TestRecord } from "./worker-setup.ts";

/** How the tests ended that execute a mutant. */
export interface Outcome {
  readonly mutant: SourceMutant;
  /** Killed by a failed test, by a test that took far too long, by a worker that died; or not. */
  readonly end: "failed" | "ended" | "crashed" | "survived";
  /** The test file that noticed it. */
  readonly by: string | undefined;
  /** How many test files execute it. */
  readonly tests: number;
}

/** The first tests run together may take this long; each later lot takes a multiple of the one before. */
const FIRST_LOT_MS = 1_000;
const LOT_GROWTH = 4;
/** What a test file may take beyond what it takes unmutated. */
const CPU_FACTOR = 4;
const CPU_EXTRA_MS = 4_000;
const IDLE_FACTOR = 4;
const IDLE_EXTRA_MS = 8_000;

/** Finds out which mutants the tests notice. */
export class Trials {
  /** Fastest first. */
  readonly #records: readonly TestRecord[];
  readonly #texts = new Map<string, { text: string; regions: readonly Region[] }>();

  constructor(records: readonly TestRecord[]) {
    this.#records = records.toSorted((a, b) => a.cpuMs - b.cpuMs || (a.test < b.test ? -1 : 1));
  }

  /** Runs the tests that execute the mutant, those about its room first, until one fails. */
  async of(mutant: SourceMutant, host: HostProcess): Promise<Outcome> {
    const { text } = this.#source(mutant.file);
    const records = this.testsOf(mutant);
    const tests = records.length;
    for (const lot of lotsOf(records)) {
      const task: RunTask = {
        kind: "run",
        file: mutant.file,
        text: mutatedText(text, mutant),
        tests: lot.map((record) => ({ test: record.test, limits: limitsOf(record) })),
      };
      let reply = await runOn(host, task);
      // A machine that is short of memory or time ends workers, too: what counts is the second run.
      if (reply.end === "ended" || reply.end === "crashed") reply = await runOn(host, task);
      const { end, by } = reply;
      if (end !== "passed") return { mutant, end, by, tests };
    }
    return { mutant, end: "survived", by: undefined, tests };
  }

  /**
   * Returns the records of the tests that enter the region in which the mutant stands: those of its
   * room, which notice it sooner, then the others, fastest first.
   */
  testsOf({ file, edit }: SourceMutant): readonly TestRecord[] {
    const region = regionAt(this.#source(file).regions, edit.start);
    const rooms = new Set(file.split("/").slice(1, -1));
    const isOfRoom = ({ test }: TestRecord): number =>
      test.split("/").some((part) => rooms.has(part)) ? 0 : 1;
    return this.#records
      .filter(({ entered }) => entered[file]?.includes(region) === true)
      .toSorted((a, b) => isOfRoom(a) - isOfRoom(b));
  }

  #source(file: string): { text: string; regions: readonly Region[] } {
    let source = this.#texts.get(file);
    if (source === undefined) {
      const text = readFileSync(join(checkoutRoot, file), "utf8");
      source = { text, regions: regionsOf(file, text) };
      this.#texts.set(file, source);
    }
    return source;
  }
}

/** A host that died says nothing of the mutant: the next run gets a fresh one. */
async function runOn(host: HostProcess, task: RunTask): Promise<RunReply> {
  try {
    return await host.run(task);
  } catch {
    return await host.run(task);
  }
}

/** Returns the tests in lots, so that what is noticed early does not load what comes late. */
function lotsOf(records: readonly TestRecord[]): readonly (readonly TestRecord[])[] {
  const lots: TestRecord[][] = [];
  let left = 0;
  let most = FIRST_LOT_MS;
  for (const record of records) {
    if (lots.length === 0 || left < record.cpuMs) {
      lots.push([]);
      left = most;
      most *= LOT_GROWTH;
    }
    lots.at(-1)?.push(record);
    left -= record.cpuMs;
  }
  return lots;
}

function limitsOf({ cpuMs, wallMs }: TestRecord): Limits {
  const idleMs = Math.max(wallMs - cpuMs, 0);
  return {
    cpuMs: CPU_EXTRA_MS + CPU_FACTOR * cpuMs,
    idleMs: IDLE_EXTRA_MS + IDLE_FACTOR * idleMs,
  };
}
