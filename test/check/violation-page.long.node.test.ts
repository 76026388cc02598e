import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { checkoutRoot } from "../mutants/checkout-root.ts";

/** A program that checks a producer and an operator which break a promise, as a test would. */
const PROGRAM = `
import { brokers, checkProducer, checkResumableJob } from "${checkoutRoot}/sim/check/mod.ts";
import { createProducer } from "${checkoutRoot}/scenarios/producers/naive-orders.ts";

const [folder] = JSON.parse(process.env["OPTIONS"] ?? "[]");
const said = [];
const keep = ({ guarantee, report, message }) => said.push({ guarantee, report, message });
const reportFolder = folder;
await checkProducer({
  broker: brokers.kafka({ partitions: 3 }), createProducer, seed: 33, numRuns: 1, reportFolder,
}).catch(keep);
const forgetful = () => ({
  externalIdKey: "id",
  submitJob: () => Promise.reject(new Error("x")),
  getJobStatus: async () => "",
  isJobActive: () => false,
  isJobSucceeded: () => true,
  pollUntilComplete: async () => {},
  getJobResult: async () => "",
});
await checkResumableJob(forgetful, { system: "livy", numRuns: 1, reportFolder }).catch(keep);
console.log(JSON.stringify(said));
`;

/** What `npm run build` does for the page; a fresh checkout has it. */
beforeAll(() => {
  const built = join(checkoutRoot, "dist/sim/page/page.bundle.json");
  if (existsSync(built)) return;
  const make = "fs.mkdirSync('dist/sim/page', { recursive: true })";
  execFileSync(process.execPath, ["-e", make], { cwd: checkoutRoot });
  execFileSync(process.execPath, ["sim/cli/bundle-page.ts", built], { cwd: checkoutRoot });
});

interface Said {
  readonly guarantee: string;
  readonly report?: string;
  readonly message: string;
}

const RUNTIMES = {
  Node: [process.execPath],
  Deno: [
    join(checkoutRoot, "node_modules/.bin/deno"),
    "run",
    "-A",
    "--config",
    join(checkoutRoot, "deno.json"),
  ],
  Bun: [join(checkoutRoot, "node_modules/.bin/bun")],
};

/** Runs the program in a folder, and returns what the violations carry. */
function violations(
  [command = "", ...args]: readonly string[],
  cwd: string,
  { option, variable }: { readonly option?: string; readonly variable?: string },
): Promise<readonly Said[]> {
  const program = join(cwd, "program.ts");
  writeFileSync(program, PROGRAM);
  const { FAULTLANE_REPORT: _, ...kept } = process.env;
  const env = {
    ...kept,
    OPTIONS: JSON.stringify([option]),
    ...(variable !== undefined && { FAULTLANE_REPORT: variable }),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, program], { cwd, env });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data: Buffer) => (out += data.toString()));
    child.stderr.on("data", (data: Buffer) => (err += data.toString()));
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(out) as Said[]) : reject(new Error(err)),
    );
  });
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "faultlane-violation-"));
}

describe("a violation of checkProducer and checkResumableJob", () => {
  it.for(Object.entries(RUNTIMES))(
    "carries the path of its page on %s: the option names the folder",
    async ([, runtime]) => {
      const cwd = newFolder();
      const said = await violations(runtime, cwd, { option: "pages", variable: "elsewhere" });
      expect(said).toHaveLength(2);
      expect(readdirSync(cwd).toSorted()).toEqual(["pages", "program.ts"]);
      for (const { guarantee, report = "", message } of said) {
        expect(report).toMatch(/^pages\/(kafka|livy)\.[\w-]+\.seed-\d+\.[0-9a-f]{8}\.html$/);
        expect(message).toContain(`\n  report: ${report}`);
        const data = /id="report-data">(.*)<\/script>/.exec(
          readFileSync(join(cwd, report), "utf8"),
        )?.[1];
        const { runs } = JSON.parse(data ?? "{}") as { runs: Record<string, unknown>[] };
        expect(runs).toMatchObject([{ violations: [{ checker: guarantee }] }]);
      }
    },
  );

  it("carries it where the environment names the folder", async () => {
    const said = await violations(RUNTIMES.Node, newFolder(), { variable: "from-env" });
    for (const { report } of said) expect(report).toMatch(/^from-env\//);
  });

  it("carries none where nobody asks for it", async () => {
    const cwd = newFolder();
    for (const { report, message } of await violations(RUNTIMES.Node, cwd, {})) {
      expect(report).toBeUndefined();
      expect(message).not.toContain("report:");
    }
    expect(readdirSync(cwd)).toEqual(["program.ts"]);
  });

  it("is thrown, too, where the page cannot be written, and says so", async () => {
    const said = await violations(RUNTIMES.Node, newFolder(), { option: "program.ts/pages" });
    expect(said).toHaveLength(2);
    for (const { report, message } of said) {
      expect(report).toBeUndefined();
      expect(message).toMatch(/\n {2}report: cannot be written: .*ENOTDIR/);
    }
  });
});
