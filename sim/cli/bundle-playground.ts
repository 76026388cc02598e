import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { BROKER_NAMES } from "../brokers/broker-named.ts";
import {
  DATA_ID,
  type Example,
  type PlaygroundData,
  type ProducerExample,
  STYLE_NONCE,
} from "../playground/playground-data.ts";
import { htmlDocument, jsonElement, sourceOf } from "../report/html-document.ts";
import { parseScenario } from "../scenario/parse.ts";
import { scenarioJsonSchema } from "../scenario/schema.ts";
import { worldKindOf } from "../scenario/world-kinds.ts";
import { bundleKit, KIT_TARGET } from "./bundle-kit.ts";
import { bundlePage } from "./bundle-page.ts";
import { versionOfKit } from "./version.ts";

const SCENARIOS = new URL("../../scenarios/", import.meta.url);

const FIRST: Example = {
  name: "the broker's client aborts a call",
  text: `story: The broker's client aborts a call of its own
world: triggerer
profile: airflow-3.3 # leave this line out for faultlane's manager
streams:
  - name: orders
    partitions: 2
    triggers: 3
    publishEvery: 600ms
    advanceThrows: { nth: 5, error: AbortError }
phases: { liveness: 120s }
`,
};

/** Each producer with its broker, the repaired one after the naive one; the name says what breaks. */
const PRODUCERS: readonly (readonly [broker: string, file: string, name: string])[] = [
  ["kafka", "naive-orders.ts", "Kafka: a commit passes a rejected order (breaks G3)"],
  ["kafka", "orders.ts", "Kafka: repaired (holds)"],
  ["sqs", "naive-sqs.ts", "SQS: a rejected order is deleted (breaks G3)"],
  ["sqs", "sqs.ts", "SQS: repaired (holds)"],
  ["pubsub", "naive-pubsub.ts", "Pub/Sub: acknowledged on arrival (breaks G2)"],
  ["pubsub", "pubsub.ts", "Pub/Sub: repaired (holds)"],
  ["service-bus", "naive-service-bus.ts", "Service Bus: what failed is completed (breaks G1)"],
  ["service-bus", "service-bus.ts", "Service Bus: repaired (holds)"],
  ["service-bus-sessions", "service-bus-sessions.ts", "Service Bus sessions: repaired (holds)"],
  ["event-hubs", "naive-event-hubs.ts", "Event Hubs: a checkpoint on arrival (breaks G2)"],
  ["event-hubs", "event-hubs.ts", "Event Hubs: repaired (holds)"],
  ["redis", "naive-redis.ts", "Redis: a full memory ends the group (breaks G10)"],
  ["redis", "redis.ts", "Redis: repaired (holds)"],
  [
    "node-redis",
    "naive-node-redis.ts",
    "Redis by node-redis: nobody listens to errors (breaks uncaught)",
  ],
  ["node-redis", "node-redis.ts", "Redis by node-redis: repaired (holds)"],
  ["rabbitmq", "naive-rabbitmq.ts", "RabbitMQ: acknowledged all up to one (breaks G1)"],
  ["rabbitmq", "rabbitmq.ts", "RabbitMQ: repaired (holds)"],
  ["nats", "naive-nats.ts", "NATS: a rejected order is terminated (breaks G3)"],
  ["nats", "nats.ts", "NATS: repaired (holds)"],
  ["mqtt", "naive-mqtt.ts", "MQTT: acknowledged on arrival (breaks G2)"],
  ["mqtt", "mqtt.ts", "MQTT: repaired (holds)"],
  ["kinesis", "naive-kinesis.ts", "Kinesis: a checkpoint of all that was read (breaks G2)"],
  ["kinesis", "kinesis.ts", "Kinesis: repaired (holds)"],
  ["outbox", "naive-outbox.ts", "Outbox: a rejected order is deleted (breaks G3)"],
  ["outbox", "outbox.ts", "Outbox: repaired (holds)"],
  ["http-feed", "naive-http-feed.ts", "HTTP feed: the cursor passes what was rejected (breaks G3)"],
  ["http-feed", "http-feed.ts", "HTTP feed: repaired (holds)"],
];

/** Bundles the playground from its sources: one HTML file that needs nothing else. */
export async function bundlePlayground(): Promise<string> {
  const report = await bundlePage();
  const script = await bundleProgram();
  const style = await bundleStyle();
  const data: PlaygroundData = {
    kitVersion: versionOfKit(),
    schema: scenarioJsonSchema(),
    examples: [FIRST, ...examples()],
    producers: producerExamples(),
    brokers: BROKER_NAMES,
    report,
    worker: await bundleKit(`import "./sim/playground/worker.ts";`),
  };
  return htmlDocument({
    title: "faultlane playground",
    style,
    // What is typed has to be evaluated, but nothing can be fetched or sent.
    allowed: [
      `script-src ${sourceOf(script)} ${sourceOf(report.script)} blob: 'unsafe-eval'`,
      "worker-src blob:",
      `style-src ${sourceOf(style)} ${sourceOf(report.style)} 'nonce-${STYLE_NONCE}'`,
    ],
    body: [
      '<div id="playground"><p class="notice">This page could not be opened: the file is incomplete, or the browser does not run its script.</p></div>',
      jsonElement(DATA_ID, data),
      `<script>${script}</script>`,
    ],
  });
}

async function bundleProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../playground/main.ts", import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: KIT_TARGET,
    charset: "ascii",
    legalComments: "none",
  });
  return (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
}

async function bundleStyle(): Promise<string> {
  const source = (name: string): string =>
    readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
  const style = `${source("page/page.css")}\n${source("playground/playground.css")}`;
  return (await transform(style, { loader: "css", minify: true, target: KIT_TARGET })).code;
}

/** The producers that come with the kit: for each broker a naive one and one that holds. */
function producerExamples(): readonly ProducerExample[] {
  return PRODUCERS.map(([broker, file, name]) => ({
    name,
    broker,
    text: readFileSync(new URL(`producers/${file}`, SCENARIOS), "utf8"),
  }));
}

/** The scenarios that come with the kit, but for those whose code lies in a module. */
function examples(): readonly Example[] {
  return readdirSync(SCENARIOS, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml"))
    .toSorted()
    .map((file) => ({
      name: file.replace(/\.yaml$/, "").replaceAll("\\", "/"),
      text: readFileSync(new URL(file, SCENARIOS), "utf8"),
    }))
    .filter(({ name, text }) => worldKindOf(parseScenario(text, name)).subject === undefined);
}

// `npm run build` calls it with the file that it writes.
if (import.meta.main) writeFileSync(process.argv[2] ?? "", await bundlePlayground());
