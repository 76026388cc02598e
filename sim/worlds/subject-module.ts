import type { WorldParts } from "./world-parts.ts";

/** How the scenarios of a world name the code under test, and what its module has to export. */
export interface SubjectModule<S> {
  /** What it is called in messages: "producer". */
  readonly noun: string;
  /** The path of the module, seen from the file of the scenario; undefined where none is named. */
  pathIn(scenario: S): string | undefined;
  withPath(scenario: S, path: string): S;
  /**
   * Takes the code under test from a module that was loaded.
   *
   * @throws {TypeError} when the module does not export it
   */
  partsFrom(module: Readonly<Record<string, unknown>>): WorldParts;
}
