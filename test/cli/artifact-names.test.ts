import { describe, expect, test } from "vitest";
import { artifactNames } from "../../sim/cli/artifact-names.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";

function namesOf(...paths: readonly string[]): readonly string[] {
  return artifactNames(
    paths.map((path) => {
      const name = path.replace(/^.*\//, "").replace(/\.\w+$/, "");
      return { path, scenario: parseScenario("{ story: x, world: manager }", name) };
    }),
  );
}

describe("artifactNames()", () => {
  test("are those of the scenarios where these differ", () => {
    expect(namesOf("a/orders.yaml", "b/jobs.yaml")).toEqual(["orders", "jobs"]);
  });

  test("distinguish files with one name by their folders, as few as it takes", () => {
    expect(namesOf("/s/a/x.yaml", "/s/b/x.yaml", "/s/y.yaml")).toEqual(["a-x", "b-x", "y"]);
    expect(namesOf("/s/a/c/x.yaml", "/s/b/c/x.yaml", "/s/d/x.yaml")).toEqual([
      "a-c-x",
      "b-c-x",
      "d-x",
    ]);
  });

  test("distinguish files by their endings", () => {
    expect(namesOf("/s/x.yaml", "/s/x.json")).toEqual(["s-x-yaml", "s-x-json"]);
  });

  test("differ where a folder makes the name of another file", () => {
    const names = namesOf("/b-x.yaml", "/a/x.yaml", "/b/x.yaml");
    expect(new Set(names).size).toBe(3);
  });

  test("are the same for a file that is given twice", () => {
    expect(namesOf("/s/x.yaml", "/s/x.yaml")).toEqual(["x", "x"]);
  });
});
