import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KAFKA_BUGS } from "./producers/kafka/bugs.ts";

const top = new URL("../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "faultlane-check-"));
const correct = "scenarios/producers/orders.ts";
const deno = createRequire(import.meta.url).resolve("deno/bin.cjs");

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(command: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: top });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on("data", (data: Buffer) => out.push(data.toString()));
    child.stderr.on("data", (data: Buffer) => err.push(data.toString()));
    child.on("close", (code) => resolve({ code, out: out.join(""), err: err.join("") }));
  });
}

function check(...args: readonly string[]): Promise<Ended> {
  return run(process.execPath, "sim/cli/main.ts", "check", ...args, "--artifacts", folder);
}

function checkOnDeno(...args: readonly string[]): Promise<Ended> {
  const command = ["sim/cli/main.ts", "check", ...args, "--artifacts", folder];
  return run(process.execPath, deno, "run", "-A", ...command);
}

/** The correct producer with one bug, or whatever else is written there. */
function module(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

let broken = "";
/** What is said of it. */
let told: Ended;

beforeAll(async () => {
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const [edit] = KAFKA_BUGS.find(({ id }) => id === "P-16")?.edits ?? [];
  const [find = "", replace = ""] = edit ?? [];
  const text = readFileSync(join(top, correct), "utf8");
  broken = module(
    "broken.ts",
    text.replace(find, () => replace),
  );
  told = await check(broken, "--broker", "kafka");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("faultlane check", () => {
  test("prints a summary when all held, and exits with 0", async () => {
    const { code, out } = await check(correct, "--broker", "kafka", "--runs", "50");
    expect(code).toBe(0);
    expect(out).toContain("All guarantees held in 50 runs from seed 1:");
    expect(out).toContain("a batch held a failed event and others behind it");
  });

  test("prints a broken guarantee, its story and how to rerun it, and exits with 1", async () => {
    const { code, out } = told;
    expect(code).toBe(1);
    expect(out).toContain("The producer breaks G3: exactly the rejected events");
    const rerun = /npx faultlane check (.*)\n/.exec(out)?.[1]?.split(" ") ?? [];
    expect(await check(...rerun)).toEqual({ code, out, err: "" });
  });

  test("sets the broker up, and says so where it reruns and in what it leaves", async () => {
    const naive = "scenarios/producers/naive-nats.ts";
    const options = ["--broker", "nats", "--broker-option", "ackWaitMs=9000"];
    const { code, out } = await check(naive, ...options);
    expect(code).toBe(1);
    expect(out).toContain(`check ${naive} ${options.join(" ")} --seed `);
    const left = /scenario: npx faultlane check (.*)/.exec(out)?.[1] ?? "";
    expect(readFileSync(left, "utf8")).toContain("broker: { nats: { ackWaitMs: 9000 } }");
    const again = await check(left, "--broker-option", "ackWaitMs=9000");
    expect(again).toMatchObject({ code: 2, out: "" });
    expect(again.err).toContain("the file sets up its broker");
  });

  test("leaves a scenario that shows it again, on Node and Deno, until it is repaired", async () => {
    const { out } = told;
    const [, path = ""] = /scenario: npx faultlane check (.*)\n/.exec(out) ?? [];
    const [again, there] = await Promise.all([check(path), checkOnDeno(path)]);
    const story = out.slice(0, out.indexOf("  rerun:"));
    expect(again).toEqual({
      code: 1,
      out: `${story}  rerun: npx faultlane check ${path}\n`,
      err: "",
    });
    expect(there).toEqual(again);
    const text = readFileSync(path, "utf8");
    expect(text).toContain("world: producer\nproducer: ./broken.ts\nbroker: { kafka: {} }\n");
    expect(text).toContain("expect: { checkers: [ G3 ] }\n");

    const repaired = module(
      "repaired.yaml",
      text.replace("producer: ./broken.ts", `producer: ${relative(folder, join(top, correct))}`),
    );
    const { code, out: held } = await check(repaired);
    expect({ code, held }).toMatchObject({ code: 0 });
    expect(held).toContain("All guarantees held in 1 run from seed");

    const ran = await run(process.execPath, "sim/cli/main.ts", "run", path);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("promise G3: exactly the rejected events");
  });

  test("says where a scenario cannot be read", async () => {
    const path = module("wrong.yaml", "world: producer\nstory: x\nbroker: kafka\nbreaks: G1\n");
    const { code, err } = await check(path);
    expect({ code, err }).toEqual({
      code: 2,
      err: `Cannot use scenario "${path}" at broker: expected a mapping, found "kafka"\n`,
    });
  });

  test("prints for the naive producer what the README shows", async () => {
    const path = "scenarios/producers/naive-orders.ts";
    const command = ["sim/cli/main.ts", "check", path, "--broker", "kafka"];
    const { code, out } = await run(process.execPath, ...command);
    expect(code).toBe(1);
    expect(readFileSync(join(top, "README.md"), "utf8")).toContain(out);
  });

  test("prints one document with --json, the same on Deno", async () => {
    const args = [broken, "--broker", "kafka", "--json"];
    const { code, out } = await check(...args);
    const there = await checkOnDeno(...args);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ held: false, guarantee: "G3", size: { events: 1 } });
    expect(there).toMatchObject({ code, out });
  });

  test("reports an unhandled rejection instead of crashing", async () => {
    const text = readFileSync(join(top, correct), "utf8");
    const find = "    const held = reading.epoch;\n";
    const path = module(
      "unhandled.ts",
      text.replace(find, `${find}    void Promise.reject(new Error("No metrics"));\n`),
    );
    const { code, out } = await check(path, "--broker", "kafka", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ guarantee: "unhandled" });
  });

  test("takes a default export, too", async () => {
    const text = readFileSync(join(top, correct), "utf8");
    const path = module(
      "default.ts",
      text.replace("export function createProducer", "export default function createProducer"),
    );
    expect((await check(path, "--broker", "kafka", "--runs", "5")).code).toBe(0);
  });

  test("exits with 2 when the module, its factory or the broker is not there", async () => {
    const empty = module("empty.ts", "export const nothing = 1;\n");
    const answers = await Promise.all([
      check("nowhere.ts", "--broker", "kafka"),
      check(empty, "--broker", "kafka"),
      check(correct, "--broker", "kafkaesque"),
      check(correct),
    ]);
    expect(answers.map(({ code, out }) => ({ code, out }))).toEqual(
      answers.map(() => ({ code: 2, out: "" })),
    );
    const [missing, factoryless, unknown, without] = answers.map(({ err }) => err);
    expect(missing).toContain('Cannot find the module "nowhere.ts"');
    expect(factoryless).toContain("it exports no createProducer({ client })");
    expect(unknown).toContain('Cannot use "kafkaesque" as --broker');
    expect(without).toContain("add --broker with one of kafka, ");
  });

  test("exits with 2 when the module makes a promise, or is a class", async () => {
    const late = module("late.ts", "export default async () => ({});\n");
    const orders = module("class.ts", "export default class Orders {}\n");
    const answers = await Promise.all(
      [late, orders].map((path) => check(path, "--broker", "kafka")),
    );
    expect(answers.map(({ code, out }) => ({ code, out }))).toEqual(
      answers.map(() => ({ code: 2, out: "" })),
    );
    const [promise, made] = answers.map(({ err }) => err);
    expect(promise).toContain("it returned a promise");
    expect(made).toContain("export const createProducer = ({ client }) => new Orders(client)");
  });

  test("exits with 2 when the producer connects to a real host, which refuses it", async () => {
    const path = module(
      "socket.ts",
      `import { connect } from "node:net";
      export function createProducer() {
        return {
          async *openStream() {
            const socket = connect(1, "127.0.0.1");
            await new Promise((resolve, reject) => {
              socket.on("connect", resolve);
              socket.on("error", reject);
            });
          },
          advance: async () => undefined,
        };
      }\n`,
    );
    const answers = [check(path, "--broker", "kafka"), checkOnDeno(path, "--broker", "kafka")];
    for (const { code, err } of await Promise.all(answers)) {
      expect(code).toBe(2);
      expect(err).toMatch(/it uses (net\.connect|a named import of node:net)/);
    }
  });

  test("exits with 2 when the producer fetches from a real host, before it has waited for it", async () => {
    const path = module(
      "fetches.ts",
      `export function createProducer() {
        return {
          async *openStream() {
            for (;;) yield [await fetch("http://127.0.0.1:59999/orders").catch(() => ({})), {}];
          },
          advance: async () => undefined,
        };
      }\n`,
    );
    const answers = [check(path, "--broker", "kafka"), checkOnDeno(path, "--broker", "kafka")];
    for (const { code, err } of await Promise.all(answers)) {
      expect(code).toBe(2);
      expect(err).toContain("it uses fetch (fetches.ts:4:");
    }
  });

  test("exits with 2 and names the place when the producer blocks the thread", async () => {
    const path = module(
      "loops.ts",
      `export function createProducer() {
        return {
          async *openStream(signal) {
            while (!signal.aborted) await Promise.resolve();
          },
          advance: async () => undefined,
        };
      }\n`,
    );
    const { code, err } = await check(path, "--broker", "kafka");
    expect(code).toBe(2);
    expect(err).toContain(
      `it blocks the thread at ${path}:4, for more than 10 s; a loop has to await`,
    );
  });

  test("exits with 2 when the factory throws at once", async () => {
    const path = module(
      "throws.ts",
      'export function createProducer() { throw new Error("No settings"); }\n',
    );
    const { code, err } = await check(path, "--broker", "kafka");
    expect({ code, err }).toEqual({ code: 2, err: "createProducer threw: No settings\n" });
  });

  test("a wait of timers/promises is virtual: a producer that only waits is judged", async () => {
    const path = module(
      "real.ts",
      `import { setTimeout as sleep } from "node:timers/promises";
      export function createProducer() {
        return {
          async *openStream() {
            for (;;) await sleep(60_000);
          },
          advance: async () => undefined,
        };
      }\n`,
    );
    const { code, out } = await check(path, "--broker", "kafka", "--runs", "3");
    expect(code).toBe(1);
    expect(out).toContain("the stream did not end within 30000 ms after its signal aborted");
  });
});
