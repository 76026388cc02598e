import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import { type Ended, faultlaneIn } from "./faultlane.ts";

const folder = mkdtempSync(join(tmpdir(), "faultlane-producer-verbs-"));
const producers = join(checkoutRoot, "scenarios/producers");
const orders = join(producers, "orders.yaml");

/** What the naive producer breaks in every run, with a lot around it that has nothing to do with it. */
const BROKEN = `
story: The dead-letter topic refuses a rejected order, and more goes wrong besides.
world: producer
producer: ${relative(folder, join(producers, "naive-orders.ts"))}
broker: { kafka: { partitions: 2 } }
records:
  - { at: 1s, publish: ref-000001, key: key-1 }
  - { at: 1234ms, publish: ref-000002, key: key-2 }
  - { at: 9s, publish: ref-000003, key: key-1 }
subscribers: [{ subscriber: 1 }, { subscriber: 2, joinAt: 700ms }]
behaviours:
  - { subscriber: 2, on: ref-000001, does: skip }
  - { subscriber: 1, on: ref-000002, does: reject }
faults:
  - { at: 500ms, disturb: other topics refuse what is sent }
  - { at: 12s, hold: [triggerer, broker], bothWays: true, for: 2s }
`;

/** Runs a verb in the temporary folder, where it leaves its artifacts. */
function faultlane(...args: readonly string[]): Promise<Ended> {
  return faultlaneIn(folder, ...args);
}

beforeAll(() => writeFileSync(join(folder, "broken.yaml"), BROKEN));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a scenario of a producer", () => {
  test("is run, replayed and shrunk, and what is left is run again", async () => {
    const ran = await faultlane("run", "broken.yaml");
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("promise G3: exactly the rejected events");
    expect(ran.out).toContain("replay: npx faultlane replay .faultlane/broken.seed-1.json");

    const replayed = await faultlane("replay", ".faultlane/broken.seed-1.json");
    expect(replayed.code).toBe(1);
    expect(replayed.out).toContain("replayed: digest ");

    const shrunk = await faultlane(
      "shrink",
      ".faultlane/broken.seed-1.json",
      "--out",
      "s/mall.yaml",
    );
    expect(shrunk.code).toBe(1);
    const text = readFileSync(join(folder, "s/mall.yaml"), "utf8");
    expect(shrunk.out).toContain(text);
    const small = parseScenario(text, "mall");
    expect(small).toMatchObject({
      records: [{ publish: "ref-000002" }],
      behaviours: [{ subscriber: 1, on: "ref-000002", does: "reject" }],
      faults: [{ disturb: "other topics refuse what is sent" }],
      expect: { checkers: ["G3"] },
    });

    const again = await faultlane("run", "s/mall.yaml");
    expect(again.code).toBe(1);
    expect(again.out).toContain("ref-000002 was rejected and settled");
    const checked = await faultlane("check", "s/mall.yaml");
    expect(checked.code).toBe(1);
    expect(checked.out).toContain("The producer breaks G3: exactly the rejected events");
  });

  test("is checked by the table of decisions that --decide names", async () => {
    const nacks = `
export function createProducer({ client }) {
  const arrived = [];
  let subscription;
  let wake = () => {};
  return {
    async *openStream(signal) {
      subscription = client.subscription("orders");
      subscription.on("message", (message) => {
        arrived.push(message);
        wake();
      });
      signal.addEventListener("abort", () => wake());
      while (!signal.aborted) {
        const message = arrived.shift();
        if (message !== undefined) yield [JSON.parse(message.data.toString()), message];
        else await new Promise((resolve) => (wake = resolve));
      }
    },
    async advance(batch) {
      for (const { brokerPayload, outcome } of batch) {
        if (outcome.isClean) brokerPayload.ack();
        else brokerPayload.nack();
      }
    },
    aclose: () => subscription?.close(),
  };
}
`;
    writeFileSync(join(folder, "nacks.mjs"), nacks);
    const rejected = BROKEN.replace(/^producer:.*$/m, "producer: ./nacks.mjs")
      .replace(/^broker:.*$/m, "broker: { pubsub: {} }")
      .replace(/^ {2}- .*other topics.*\n/m, "");
    writeFileSync(join(folder, "rejected.yaml"), rejected);
    const ways = [[], ["--decide", "dead-letter"], ["--decide", "nack"]];
    const [held, broken, wrong] = await Promise.all(
      ways.map((flags) => faultlane("check", "rejected.yaml", ...flags)),
    );
    expect(held?.code).toBe(0);
    expect(broken?.code).toBe(1);
    expect(broken?.out).toContain("rerun: npx faultlane check rejected.yaml --decide dead-letter");
    expect(wrong?.code).toBe(2);
    const drawn = ["check", "nacks.mjs", "--broker", "pubsub", "--runs", "2"];
    const { code, out } = await faultlane(...drawn, "--decide", "dead-letter");
    expect(code).toBe(1);
    expect(out).toContain("--broker pubsub --decide dead-letter --seed ");
    const [, left = ""] =
      /npx faultlane check (\.faultlane\/nacks\.seed-\d+\.yaml)/.exec(out) ?? [];
    expect(readFileSync(join(folder, left), "utf8")).toContain("decide: dead-letter");
  });

  test("is fuzzed on several threads, each with a producer of its own", async () => {
    const search = ["--runs", "60", "--workers", "2", "--json"];
    const [held, found] = await Promise.all([
      faultlane("fuzz", orders, ...search),
      faultlane("fuzz", "broken.yaml", ...search),
    ]);
    expect(held.code).toBe(0);
    expect(JSON.parse(held.out)).toMatchObject({ runs: 60, findings: [] });
    expect(found.code).toBe(1);
    expect(JSON.parse(found.out)).toMatchObject({ findings: [{ checker: "G3", isSame: true }] });
  });

  test("is walked within bounds, and certified", async () => {
    const bounds = ["--bound", "seconds=35", "preemptions=0", "faults=1", "--json"];
    const held = await faultlane("exhaust", orders, ...bounds);
    expect(held.code).toBe(0);
    expect(JSON.parse(held.out)).toMatchObject({ isComplete: true, broken: [] });
    const found = await faultlane("exhaust", "broken.yaml", ...bounds);
    expect(found.code).toBe(1);
    expect(JSON.parse(found.out)).toMatchObject({ isComplete: true, broken: ["G3"] });
  });

  test("is crashed at every effect boundary", async () => {
    const { code, out } = await faultlane("crash-points", orders, "--pairs", "20", "--json");
    expect(code).toBe(0);
    const { scenarios } = JSON.parse(out) as { scenarios: readonly Record<string, unknown>[] };
    expect(scenarios).toMatchObject([
      { scenario: "orders", coverage: { percent: 100 }, broken: [] },
    ]);
  });

  test("has the digest that its runs have", async () => {
    const [digests, runs] = await Promise.all([
      faultlane("digest", orders, "--seeds", "2", "--json"),
      faultlane("run", orders, "--seeds", "2", "--json"),
    ]);
    const digestOf = ({ digest }: { readonly digest: string }): string => digest;
    type Listed = readonly { readonly digest: string }[];
    const { digests: listed } = JSON.parse(digests.out) as { readonly digests: Listed };
    const { runs: ran } = JSON.parse(runs.out) as { readonly runs: Listed };
    expect(listed.map(digestOf)).toEqual(ran.map(digestOf));
  });

  test.each([
    ["names no producer", BROKEN.replace(/^producer:.*$/m, ""), 'add "producer: <module>"'],
    ["names one that is not there", BROKEN.replace("naive-", "no-"), "Cannot find the module"],
    ["names a disturbance that is none", BROKEN.replace("other topics", "all"), "there are "],
    ["names a broker that is none", BROKEN.replace("kafka", "kafkaesque"), "kafkaesque"],
    ["publishes a ref twice", BROKEN.replace("ref-000003", "ref-000001"), "each ref once"],
    [
      "has a subscriber twice",
      BROKEN.replace("{ subscriber: 2, join", "{ subscriber: 1, join"),
      "each number once",
    ],
  ])("is wrong input when it %s", async (what, text, complaint) => {
    const path = `${what.replaceAll(" ", "-")}.yaml`;
    writeFileSync(join(folder, path), text);
    const { code, out, err } = await faultlane("run", path);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(complaint);
  });

  test("is wrong input when its module never finishes loading", async () => {
    writeFileSync(join(folder, "never.mjs"), "await new Promise(() => {});\n");
    writeFileSync(
      join(folder, "never.yaml"),
      BROKEN.replace(/^producer:.*$/m, "producer: ./never.mjs"),
    );
    const { code, out, err } = await faultlane("run", "never.yaml");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain('Cannot load the module "never.mjs"');
  });

  test.each([
    ["blocks the thread", "while (!signal.aborted) await Promise.resolve();"],
    ["uses fetch", 'for (;;) await fetch("http://127.0.0.1:9/");'],
  ])("is wrong input when its producer %s", async (what, body) => {
    const name = what.split(" ")[0] ?? "";
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(folder, `${name}.ts`),
      `import { setTimeout as sleep } from "node:timers/promises";
      export const createProducer = () => ({
        async *openStream(signal) { void sleep; ${body} },
        advance: async () => undefined,
      });\n`,
    );
    const path = `${name}.yaml`;
    writeFileSync(join(folder, path), BROKEN.replace(/^producer:.*$/m, `producer: ./${name}.ts`));
    const { code, err } = await faultlane("fuzz", path, "--runs", "4", "--workers", "1");
    expect(code).toBe(2);
    expect(err).toContain(what);
  });
});
