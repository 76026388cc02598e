import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { PropertyViolation } from "../check/property-violation.ts";
import { parseScenario } from "../scenario/parse.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { writeScenario } from "../scenario/write.ts";
import { namesToTry } from "./artifact-names.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import type { Interruption } from "./interruption.ts";
import { EXIT, print, printJson } from "./output.ts";
import { shownRun } from "./shown-run.ts";
import { moduleOf, pathSeenFrom } from "./subject-module.ts";

/** A run that broke a promise, as far as a check knows it before it repeats and shrinks it. */
export type BrokenRun = Pick<PropertyViolation, "guarantee" | "promise" | "seed" | "scenario">;

/** What a check is about. */
export interface CheckOf {
  /** "producer" or "operator". */
  readonly noun: string;
  /** The path of the module. */
  readonly module: string;
  readonly artifacts: string;
  readonly json: boolean;
}

/**
 * Keeps the scenario of a check's broken run: as soon as it breaks, and in its place the one that
 * it was shrunk to.
 */
export class BrokenCheck {
  readonly #check: CheckOf;
  readonly #folder: ArtifactFolder;
  #first: { readonly run: BrokenRun; readonly path: string | undefined } | undefined;
  #runs = 0;

  constructor(check: CheckOf) {
    this.#check = check;
    this.#folder = new ArtifactFolder(check.artifacts);
  }

  /** Counts a finished run. */
  count(): void {
    this.#runs += 1;
  }

  /** Writes the run that broke first, before anything else is done with it. */
  readonly keepFirst = (run: BrokenRun): void => {
    this.#first ??= { run, path: this.#write(run, "not repeated and shrunk yet") };
  };

  /** Writes the run that is reported; returns its path, or undefined where that cannot be done. */
  keep(run: BrokenRun): string | undefined {
    const path = this.#write(run);
    if (this.#first?.path !== path) this.discard();
    return path;
  }

  /** Writes the report of the run whose scenario was kept, and returns its path. */
  async writePage(scenario: string | undefined): Promise<string | undefined> {
    if (scenario === undefined) return undefined;
    const { report } = await shownRun(scenario);
    return this.#folder.writePage(scenario, { report, rerun: playLine(scenario) });
  }

  /** Removes the run that broke first, because it proves nothing or another one is reported. */
  discard(): void {
    if (this.#first?.path !== undefined) rmSync(this.#first.path, { force: true });
    this.#first = undefined;
  }

  /** @throws {CannotWrite} when a scenario could not be written */
  assertWritten(): void {
    this.#folder.assertWritten();
  }

  /** Ends the process on a signal, with what is known by then. */
  endOn(interruption: Interruption): void {
    interruption.signal.addEventListener("abort", () => {
      this.#report(interruption);
      process.exit(this.#first === undefined ? interruption.exitCode(EXIT.held) : EXIT.broken);
    });
  }

  #report({ by }: Interruption): void {
    const [runs, first] = [this.#runs, this.#first];
    const play = first?.path === undefined ? undefined : playLine(first.path);
    if (this.#check.json) {
      const { guarantee, promise, seed } = first?.run ?? {};
      const verdict = first === undefined ? "interrupted" : "broken";
      const scenario = first?.path;
      printJson({ verdict, interrupted: by, runs, guarantee, promise, seed, scenario, play });
      return;
    }
    if (first === undefined) {
      print(`Interrupted by ${by}: no promise broke in the ${runs} runs until then`);
      return;
    }
    const { guarantee, promise, seed } = first.run;
    print(`Interrupted by ${by}: the run of seed ${seed} broke ${guarantee}: ${promise}`);
    print("  it was not repeated and shrunk yet");
    if (play !== undefined) print(`  scenario: ${play}`);
  }

  #write(run: BrokenRun, ...more: readonly string[]): string | undefined {
    const { noun, module, artifacts } = this.#check;
    const name = basename(module).replace(/\.[^.]+$/, "");
    const names = namesToTry(name, module).map((stem) => `${stem}.seed-${run.seed}.yaml`);
    const free = names.find((one) => isFree(join(artifacts, one), module)) ?? names.at(-1) ?? "";
    return this.#folder.write(free, (path) => {
      const scenario = parseScenario(run.scenario ?? "", name);
      const { subject } = worldKindOf(scenario);
      const seen = subject?.withPath(scenario, pathSeenFrom(path, module)) ?? scenario;
      const what = `The ${noun} breaks ${run.guarantee}: ${run.promise}`;
      return writeScenario(seen, [what, ...more, playLine(path)]);
    });
  }
}

/** Whether a file is not there, or no scenario of another module. */
function isFree(path: string, module: string): boolean {
  if (!existsSync(path)) return true;
  try {
    const known = moduleOf(parseScenario(readFileSync(path, "utf8"), "known"), path);
    return known === undefined || resolve(known) === resolve(module);
  } catch {
    return true;
  }
}

export function playLine(scenario: string): string {
  return `npx faultlane check ${scenario}`;
}
