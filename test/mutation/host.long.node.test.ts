import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import type { RunReply } from "./host.ts";
import { HostProcess } from "./host-process.ts";

const FILE = "src/shared-stream/fifo.ts";
const TEST = "test/shared-stream/lanes.test.ts";
const OTHER_TEST = "test/shared-stream/bound-seqs.test.ts";

const host = new HostProcess();
afterAll(() => {
  host[Symbol.dispose]();
});

/** Runs the tests with code at the end of the file. */
async function runWith(code: string): Promise<RunReply> {
  const text = readFileSync(join(checkoutRoot, FILE), "utf8");
  const limits = { cpuMs: 4_000, idleMs: 3_000 };
  const tests = [TEST, OTHER_TEST].map((test) => ({ test, limits }));
  return await host.run({ kind: "run", file: FILE, text: `${text}\n${code}`, tests });
}

describe("a host", () => {
  it("reports that all tests pass", async () => {
    expect(await runWith("")).toEqual({ kind: "run", end: "passed" });
  });

  it("reports the test file that fails", async () => {
    expect(await runWith('throw new Error("mutated");')).toMatchObject({ end: "failed", by: TEST });
  });

  it("ends a worker that loops for ever", async () => {
    expect(await runWith("for (;;) {}")).toMatchObject({ end: "ended" });
  });

  it("ends a worker that waits for ever", async () => {
    expect(await runWith("await new Promise(() => {});")).toMatchObject({ end: "ended" });
  });

  it("reports a worker that dies", async () => {
    const died = await runWith('process.kill(process.pid, "SIGKILL");');
    expect(died).toMatchObject({ end: "crashed" });
  });

  it("runs the next mutant in a fresh worker", async () => {
    expect(await runWith("")).toMatchObject({ end: "passed" });
  });
});
