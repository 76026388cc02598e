import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeArtifact } from "../../sim/cli/artifact-folder.ts";
import { BrokenCheck } from "../../sim/cli/broken-check.ts";
import { parseArtifact } from "../../sim/run/artifact.ts";
import type { RunReport } from "../../sim/run/run-report.ts";
import { drawScenario } from "../../sim/scenario/world-kinds.ts";
import { writeScenario } from "../../sim/scenario/write.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const root = mkdtempSync(join(tmpdir(), "faultlane-artifacts-"));
const folder = join(root, "artifacts");
const scenario = readScenario("hostile-client");
const report = {
  seed: 7,
  digest: "0".repeat(64),
  violations: [],
  choices: [],
} as unknown as RunReport;

afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, run = "seed-7"): string {
  const path = writeArtifact(
    folder,
    { stem: "x", run },
    { scenario, file: join(root, file), report },
  );
  return relative(folder, path);
}

test("writeArtifact() leaves the artifact of another file where it is", () => {
  expect(write("a/x.yaml")).toBe("x.seed-7.json");
  expect(write("b/x.yaml")).toBe("b-x.seed-7.json");
  expect(write("c/b/x.yaml")).toBe("c-b-x.seed-7.json");
  expect(write("b/x.yaml", "seed-8")).toBe("x.seed-8.json");
  // Each file finds its own again.
  expect(["a/x.yaml", "b/x.yaml", "c/b/x.yaml"].map((file) => write(file))).toEqual([
    "x.seed-7.json",
    "b-x.seed-7.json",
    "c-b-x.seed-7.json",
  ]);
  const { file } = parseArtifact(readFileSync(join(folder, "c-b-x.seed-7.json"), "utf8"));
  expect(file).toBe("../c/b/x.yaml");
});

test("writeArtifact() replaces what is no artifact, or does not say of which file it is", () => {
  writeFileSync(join(folder, "x.seed-9.json"), "{}");
  expect(write("a/x.yaml", "seed-9")).toBe("x.seed-9.json");
});

test("a check leaves the scenario of another module where it is", () => {
  const text = writeScenario(drawScenario("producer", 1));
  const keep = (module: string): string | undefined => {
    const broken = new BrokenCheck({
      noun: "producer",
      module: join(root, module),
      artifacts: folder,
      json: true,
    });
    const path = broken.keep({ guarantee: "G1", promise: "x", seed: 3, scenario: text });
    return path && relative(folder, path);
  };
  expect(keep("a/orders.ts")).toBe("orders.seed-3.yaml");
  expect(keep("b/orders.ts")).toBe("b-orders.seed-3.yaml");
  expect(keep("a/orders.ts")).toBe("orders.seed-3.yaml");
});
