import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ABORTED, OURS } from "../page/runs.ts";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { faultlaneIn } from "./faultlane.ts";

const NAIVE = join(checkoutRoot, "scenarios/producers/naive-orders");

function folderWithRun(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultlane-report-"));
  writeFileSync(join(folder, "aborted.yaml"), ABORTED);
  return folder;
}

describe("faultlane run --report", () => {
  it("writes a page for each run, held or broken, and an index that links them", async () => {
    const folder = folderWithRun();
    writeFileSync(join(folder, "ours.yaml"), OURS);
    for (const ending of [".ts", ".yaml"]) {
      copyFileSync(`${NAIVE}${ending}`, join(folder, `naive-orders${ending}`));
    }
    const { code, out } = await faultlaneIn(folder, "run", ".", "--report", "pages", "--strict");
    expect(code).toBe(1);
    expect(out).toContain("\n  report: pages/aborted.seed-1.html\n");
    expect(out).toMatch(/\nreport of all runs: pages\/index\.html\n$/);
    expect(readdirSync(join(folder, "pages"))).toEqual([
      "aborted.seed-1.html",
      "index.html",
      "naive-orders.seed-1.html",
      "ours.seed-1.html",
    ]);
    const read = (name: string): string => readFileSync(join(folder, "pages", name), "utf8");
    const links = [...read("index.html").matchAll(/href="\.\/([^"]+)"/g)].map(([, to]) => to);
    expect(links).toEqual(["aborted.seed-1.html", "naive-orders.seed-1.html", "ours.seed-1.html"]);
    for (const name of ["ours", "naive-orders"]) {
      const trace = /id="report-trace-0">([^<]*)</.exec(read(`${name}.seed-1.html`))?.[1] ?? "";
      expect(trace.length).toBeGreaterThan(500);
    }
  });

  it("says where the folder cannot be written, after the report of the runs", async () => {
    const args = ["run", "aborted.yaml", "--report", "/proc/pages"];
    const { code, out, err } = await faultlaneIn(folderWithRun(), ...args);
    expect(code).toBe(2);
    expect(out).toContain("1 run: 1 broke a promise");
    expect(err).toContain('Cannot write "/proc/pages/aborted.seed-1.html"');
  });
});

describe("every verb that finds a break", () => {
  it("writes its page and says where", async () => {
    const folder = folderWithRun();
    const pageFrom = async (...args: readonly string[]): Promise<string> => {
      const { code, out } = await faultlaneIn(folder, ...args);
      expect([args[0], code]).toEqual([args[0], 1]);
      const page = /^ *report[^:\n]*: (.*)$/m.exec(out)?.[1] ?? "";
      expect(readFileSync(join(folder, page), "utf8")).toContain('id="report-trace-0"');
      return page;
    };
    const artifact = ".faultlane/aborted.seed-1.json";
    const page = ".faultlane/aborted.seed-1.html";
    expect(await pageFrom("run", "aborted.yaml")).toBe(page);
    rmSync(join(folder, page));
    expect(await pageFrom("replay", artifact)).toBe(page);
    expect(await pageFrom("why", artifact, "--runs", "40")).toBe(page);
    const explained = readFileSync(join(folder, page), "utf8");
    // What replay would write has no panel of that.
    expect(await pageFrom("replay", artifact)).toBe(page);
    expect(readFileSync(join(folder, page), "utf8")).toBe(explained);
    expect(await pageFrom("shrink", artifact, "--reruns", "60")).toBe(
      ".faultlane/aborted.seed-1.shrunk.html",
    );
    expect(await pageFrom("crash-points", "aborted.yaml")).toBe(
      ".faultlane/aborted.crash-points.seed-1.html",
    );
    copyFileSync(`${NAIVE}.yaml`, join(folder, "naive-orders.yaml"));
    // It leaves its consumer behind.
    const leaky = readFileSync(`${NAIVE}.ts`, "utf8").replace(
      "await this.#consumer?.disconnect();",
      "",
    );
    writeFileSync(join(folder, "naive-orders.ts"), leaky);
    expect(await pageFrom("crash-points", "naive-orders.yaml", "--pairs", "0")).toBe(
      ".faultlane/naive-orders.crash-points.seed-1.html",
    );
    const fuzz = await pageFrom("fuzz", "aborted.yaml", "--runs", "2", "--workers", "1");
    expect(fuzz).toMatch(/^\.faultlane\/aborted\..*\.html$/);
  });
});

describe("faultlane report", () => {
  it("writes the page of a scenario, and says where", async () => {
    const folder = folderWithRun();
    const { code, out, err } = await faultlaneIn(folder, "report", "aborted.yaml", "--seed", "1");
    expect([code, out, err]).toEqual([1, "report: .faultlane/aborted.seed-1.html\n", ""]);
    const page = readFileSync(join(folder, ".faultlane/aborted.seed-1.html"), "utf8");
    expect(page).toContain("<title>aborted, seed 1 – faultlane</title>");
  });

  it("writes the same page for the same artifact, beside it", async () => {
    const folder = folderWithRun();
    await faultlaneIn(folder, "run", "aborted.yaml");
    const artifact = ".faultlane/aborted.seed-1.json";
    const { code, out } = await faultlaneIn(folder, "report", artifact, "--json");
    expect(code).toBe(1);
    const { page, verdict, broken } = JSON.parse(out) as Record<string, string>;
    expect([page, verdict]).toEqual([".faultlane/aborted.seed-1.html", "broken"]);
    expect(broken).toEqual(["I1", "settled"]);
    await faultlaneIn(folder, "report", artifact, "--out", "again.html");
    const read = (path: string): string => readFileSync(join(folder, path), "utf8");
    expect(read("again.html")).toBe(read(page ?? ""));
  });

  it("refuses what is no run", async () => {
    const folder = folderWithRun();
    const missing = await faultlaneIn(folder, "report", "missing.yaml");
    expect([missing.code, missing.err]).toEqual([
      2,
      'Cannot read "missing.yaml": there is no such file or folder\n',
    ]);
    const nowhere = await faultlaneIn(folder, "report", "aborted.yaml", "--out", "/proc/x/a.html");
    expect(nowhere.code).toBe(2);
    expect(nowhere.err).toContain('Cannot write "/proc/x/a.html"');
  });
});
