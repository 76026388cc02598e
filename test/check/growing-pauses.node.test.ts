import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { pauseThatGrows } from "./producers/growing-pauses.ts";
import { loadWithBug } from "./producers/source-bug.ts";

const SOURCE = new URL("../../scenarios/producers/rabbitmq.ts", import.meta.url);

function scenarioWith(outagesAt: readonly number[]): string {
  const last = outagesAt.at(-1) ?? 0;
  const outages = outagesAt.map((at) => `{ at: ${at}s, crash: broker, restartAfter: 12s }`);
  return `
story: The broker is away for a moment, again and again.
world: producer
broker: { rabbitmq: {} }
records: [{ at: ${last + 24}s, publish: ref-000001, key: key-1 }]
subscribers: [{ subscriber: 1 }]
faults: [${outages.join(", ")}]
phases: { safety: ${last + 25}s, liveness: 7m }
`;
}

async function brokenBy(pauseMs: string, outagesAt: readonly number[]): Promise<readonly string[]> {
  const createProducer = await loadWithBug<never>(SOURCE, pauseThatGrows(pauseMs));
  const options = { producer: { broker: brokers.rabbitmq(), createProducer }, digest: false };
  const { violations } = await simulate(parseScenario(scenarioWith(outagesAt), "away"), options);
  return violations.map(({ checker, detail }) => `${checker} ${detail}`);
}

const SEVEN = [5, 29, 51, 89, 159, 293, 555] as const;
const DOUBLED = "2 * this.#pauseMs";

describe("a broker that was away seven times", () => {
  test("waits in vain for a pause that has doubled each time", async () => {
    expect(await brokenBy(DOUBLED, SEVEN)).toEqual(["G8 ref-000001 was never handed out"]);
  });

  test.each(["BACKOFF_MS", `Math.min(300_000, ${DOUBLED})`])("is heard after %s", async (ms) => {
    expect(await brokenBy(ms, SEVEN)).toEqual([]);
  });
});

test("a pause that is long from the first outage on is waited for", async () => {
  expect(await brokenBy("500_000", SEVEN)).toEqual([]);
});

test("a pause that has doubled is waited for where the broker was away a few times", async () => {
  expect(await brokenBy(DOUBLED, SEVEN.slice(0, 5))).toEqual([]);
});
