import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { bundlePlayground } from "../../sim/cli/bundle-playground.ts";
import { hashFrom } from "../../sim/playground/link.ts";
import { chromiumPath, isBrowserOwed, launchChromium } from "../page/opened-page.ts";

const FOLDER = fileURLToPath(new URL("../check/producers/", import.meta.url));
const TIMEOUT_MS = 300_000;
const RUNS = 25;

/** The module of a correct producer for each broker, its class, and its arguments. */
const CORRECT: Readonly<Record<string, readonly [file: string, make: string]>> = {
  kafka: ["../../../scenarios/producers/orders.ts", "made.createProducer({ client })"],
  sqs: [
    "./sqs/sqs-producer.ts",
    'new made.SqsProducer(client, { queueUrl: "https://sqs/0/orders", deadLetterUrl: "https://sqs/0/dead" })',
  ],
  pubsub: [
    "./pubsub/pubsub-producer.ts",
    'new made.PubSubProducer(client, { subscription: "orders", deadLetterTopic: "dead-orders" })',
  ],
  "service-bus": [
    "./service-bus/queue-producer.ts",
    'new made.QueueProducer(client, { queue: "orders", renewalMs: 3_600_000 })',
  ],
  redis: ["./redis/redis-producer.ts", "new made.RedisProducer(client)"],
  rabbitmq: ["./rabbitmq/rabbitmq-producer.ts", "new made.RabbitmqProducer(client)"],
  nats: ["./nats/nats-producer.ts", "new made.NatsProducer(client)"],
  kinesis: ["./kinesis/kinesis-producer.ts", "new made.KinesisProducer(client)"],
};

/** A producer that takes every event for acked, as one does that settles whatever it is given. */
const NAIVE = `
function naive(producer) {
  const advance = producer.advance.bind(producer);
  producer.advance = (batch) =>
    advance(
      batch.map((item) => ({
        ...item,
        outcome: { ...item.outcome, acked: 1, failed: 0, rejected: 0, clean: true },
      })),
    );
  return producer;
}`;

/** Returns the code of a producer as somebody would type it: one module without other files. */
async function codeOf(broker: string, wrap: "naive" | ""): Promise<string> {
  const [file, make] = CORRECT[broker] ?? ["", ""];
  const { outputFiles } = await build({
    stdin: {
      contents: [
        `import * as made from "${file}";`,
        wrap === "" ? "" : NAIVE,
        `export const createProducer = ({ client }) => ${wrap}(${make});`,
      ].join("\n"),
      resolveDir: FOLDER,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    external: ["@aws-sdk/*", "@google-cloud/*"],
  });
  return outputFiles[0]?.text ?? "";
}

const FILE = join(mkdtempSync(join(tmpdir(), "faultlane-brokers-")), "index.html");
let browser: Browser | undefined;

beforeAll(async () => {
  if (chromiumPath === undefined) return;
  writeFileSync(FILE, await bundlePlayground());
  browser = await launchChromium();
});

afterAll(() => browser?.close());

/** Checks code in the page, and returns the verdict and the words. */
async function checked(
  context: TestContext,
  broker: string,
  text: string,
): Promise<readonly [verdict: string, words: string]> {
  if (browser === undefined) {
    if (isBrowserOwed) throw new Error("There is no Chromium: apt-get install chromium");
    return context.skip("there is no Chromium on this machine");
  }
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.goto(`file://${FILE}${hashFrom({ tab: "producer", text, seed: 1, broker })}`);
  await page.waitForSelector('#playground[data-state="open"]');
  expect(await page.inputValue("[name=broker]")).toBe(broker);
  await page.fill("[name=runs]", String(RUNS));
  await page.click('button:text-is("Check"):visible');
  await page.waitForSelector('#playground[data-busy="false"]');
  const verdict = (await page.textContent(".outcome > .verdict")) ?? "";
  const words = (await page.textContent(".words")) ?? "";
  await page.close();
  return [verdict, words];
}

describe.for(Object.keys(CORRECT))("a producer for %s, checked in the page", (broker) => {
  it("holds when it is correct", async (context) => {
    const [verdict, words] = await checked(context, broker, await codeOf(broker, ""));
    expect([verdict, words]).toEqual(["held", expect.stringContaining(`${RUNS} runs`)]);
  });

  it("is found out when it settles whatever it is given", async (context) => {
    const [verdict, words] = await checked(context, broker, await codeOf(broker, "naive"));
    expect(words).toContain("The producer breaks G");
    expect(verdict).toMatch(/^broken: G[123]/);
  });
});
