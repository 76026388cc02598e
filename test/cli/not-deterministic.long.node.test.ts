import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { type Ended, faultlaneIn } from "./faultlane.ts";

const folder = mkdtempSync(join(tmpdir(), "faultlane-not-deterministic-"));

/** A producer of the kit that waits before it opens its stream: how long, and what it does then. */
function producerThat(waits: string, from = "orders.ts", first = ""): string {
  const source = pathToFileURL(join(checkoutRoot, "scenarios/producers", from)).href;
  return `
    import { createProducer as create } from ${JSON.stringify(source)};
    let opened = 0;
    export function createProducer(parts) {
      const producer = create(parts);
      const openStream = producer.openStream.bind(producer);
      producer.openStream = async function* (signal) {
        opened += 1;
        await new Promise((resolve) => setTimeout(resolve, ${waits}));
        ${first}
        if (!signal.aborted) yield* openStream(signal);
      };
      return producer;
    }
  `;
}

/** A job of the kit's tests that waits before it submits. */
function jobThat(waits: string): string {
  const source = pathToFileURL(join(checkoutRoot, "test/check/livy-batch.ts")).href;
  return `
    import { LivyBatch } from ${JSON.stringify(source)};
    let submitted = 0;
    export function createJob(client, { task }) {
      const job = new LivyBatch(client, task);
      const submitJob = job.submitJob.bind(job);
      job.submitJob = async () => {
        submitted += 1;
        await new Promise((resolve) => setTimeout(resolve, ${waits}));
        return submitJob();
      };
      return job;
    }
  `;
}

/** Runs a verb in the temporary folder, where it leaves its artifacts. */
function faultlane(...args: readonly string[]): Promise<Ended> {
  return faultlaneIn(folder, ...args);
}

/** Writes a scenario of the kit for a producer in the folder, of which nothing is expected. */
function scenario(name: string, of: string, producer: string): void {
  const text = readFileSync(join(checkoutRoot, "scenarios/producers", of), "utf8");
  const named = text.replace(/^producer: .*$/m, `producer: ./${producer}`);
  writeFileSync(join(folder, name), named.replace(/^expect: .*$/m, ""));
}

beforeAll(() => {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "counting.js"), producerThat("opened * 1000"));
  writeFileSync(join(folder, "job.js"), jobThat("submitted * 10"));
  // It looks like chance, because its numbers go up and down.
  const counter = "let calls = 0; export const next = () => ((calls += 1) * 7919) % 20011;";
  writeFileSync(join(folder, "counter.js"), counter);
  const uncounted = (waits: string): string => producerThat(waits).replace("opened += 1;", "");
  const elsewhere = `import { next } from "./counter.js"; ${uncounted("next()")}`;
  writeFileSync(join(folder, "elsewhere.js"), elsewhere);
  const cached = "(Map.cache ??= new Map()).set({}, 1).size * 1000";
  writeFileSync(join(folder, "built-in.js"), `Map.cache = new Map(); ${uncounted(cached)}`);
  // It is correct, until it has run for a while.
  const late = 'if (opened > 40) yield "no pair";';
  writeFileSync(join(folder, "late.js"), producerThat("0", "orders.ts", late));
  scenario("counting.yaml", "orders.yaml", "counting.js");
  scenario("late.yaml", "orders.yaml", "late.js");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OF_THE_MODULE = {
  verdict: "not-deterministic",
  likely: "state-outlives-run",
  isCertain: true,
};

describe("code that keeps something from run to run", () => {
  test.each([
    ["counting.js", ["--broker", "kafka"], "producer", '"opened" of counting.js'],
    ["job.js", ["--system", "livy"], "job", '"submitted" of job.js'],
  ] as const)("faultlane check %s says so in words and as JSON", async (...row) => {
    const [path, flags, subject, state] = row;
    const [inWords, asJson] = [
      await faultlane("check", path, ...flags),
      await faultlane("check", path, ...flags, "--json"),
    ];
    expect(inWords).toMatchObject({ code: 2, out: "" });
    expect(inWords.err).toMatch(new RegExp(`^Cannot judge the ${subject}: two runs from seed `));
    expect(inWords.err).toContain(`source: state that outlives a run: ${state}; create it in `);
    expect(inWords.err).not.toContain("faultlane itself failed");

    expect(asJson.code).toBe(2);
    const document: unknown = JSON.parse(asJson.out);
    expect(document).toMatchObject({ ...OF_THE_MODULE, subject, state: [state] });
    expect(inWords.err).toBe(`${(document as { message: string }).message}\n`);
  });

  test.each([
    ["another module", "elsewhere.js", ['"calls" of counter.js']],
    ["a built-in class", "built-in.js", ["Map.cache"]],
  ])("faultlane check names what is kept in %s", async (_where, path, state) => {
    const { code, out } = await faultlane("check", path, "--broker", "kafka", "--json");
    expect({ code, out: JSON.parse(out) as unknown }).toMatchObject({
      code: 2,
      out: { ...OF_THE_MODULE, state },
    });
  });

  test.each([["run"], ["fuzz", "--runs", "5"], ["exhaust"], ["crash-points"], ["shrink"]])(
    "faultlane %s does not judge a scenario of it",
    async (...verb) => {
      const { code, out } = await faultlane(...verb, "counting.yaml", "--json");
      expect(code).toBe(2);
      expect(JSON.parse(out)).toMatchObject({ ...OF_THE_MODULE, scenario: "counting", seed: 1 });
    },
  );

  test("faultlane fuzz does not report what its repetition does not show", async () => {
    const { code, out, err } = await faultlane(
      ...["fuzz", "late.yaml", "--runs", "200", "--workers", "2", "--json"],
    );
    expect({ code, err }).toMatchObject({ code: 2 });
    expect(JSON.parse(out)).toMatchObject({ verdict: "not-deterministic", scenario: "late" });
  });
});

test("faultlane replay says that the code has changed when it has", async () => {
  writeFileSync(join(folder, "sound.js"), producerThat("5", "naive-orders.ts"));
  scenario("sound.yaml", "naive-orders.yaml", "sound.js");
  const ran = await faultlane("run", "sound.yaml");
  expect(ran.code).toBe(1);

  writeFileSync(join(folder, "sound.js"), producerThat("500", "naive-orders.ts"));
  const { code, err } = await faultlane("replay", ".faultlane/sound.seed-1.json", "--json");
  expect({ code, err }).toMatchObject({ code: 2 });
  expect(err).not.toContain("faultlane itself failed");
});
