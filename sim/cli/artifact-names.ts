import { dirname, resolve } from "node:path";
import type { ScenarioFile } from "./scenario-files.ts";

type Named = Pick<ScenarioFile, "path" | "scenario">;

/**
 * Returns the name under which the artifacts of each file are written: that of its scenario, after
 * as many of its folders as it takes to distinguish files with one name.
 *
 * Holds: files with different paths have different names.
 */
export function artifactNames(files: readonly Named[]): readonly string[] {
  const paths = files.map(({ path }) => resolve(path));
  const folders = paths.map((path) => dirname(path).split(/[/\\]/).filter(Boolean));
  const own = files.map(({ scenario }) => scenario.name.replaceAll("/", "-"));
  const names = [...own];
  for (let depth = 1; depth <= Math.max(0, ...folders.map((above) => above.length)); depth += 1) {
    for (const at of collisions(names, paths)) {
      names[at] = [...(folders[at] ?? []).slice(-depth), own[at]].join("-");
    }
  }
  // Only the ending differs, as in x.yaml beside x.json.
  for (const at of collisions(names, paths)) {
    names[at] = `${names[at]}-${/[^.]*$/.exec(paths[at] ?? "")?.[0]}`;
  }
  for (const at of collisions(names, paths)) names[at] = `${names[at]}-${at + 1}`;
  return names;
}

/**
 * Returns the names under which the artifact of a file may be written, best first: `name`, then
 * `name` after one of the file's folders, after two, and so on. The last is no other file's.
 */
export function namesToTry(name: string, file: string): readonly string[] {
  const folders = dirname(resolve(file)).split(/[/\\]/).filter(Boolean);
  return [name, ...folders.map((_, at) => [...folders.slice(-at - 1), name].join("-"))];
}

/** Returns the places of the names that files with different paths have. */
function collisions(names: readonly string[], paths: readonly string[]): readonly number[] {
  const pathsOf = Map.groupBy(names.keys(), (at) => names[at]);
  return [...names.keys()].filter((at) => {
    const sharing = pathsOf.get(names[at]) ?? [];
    return sharing.some((other) => paths[other] !== paths[at]);
  });
}
