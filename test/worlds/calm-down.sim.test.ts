import { expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { correctPartsOf } from "./subjects.ts";

const PAUSED_MS = 1_200;
const SAFETY_MS = 20_000;
/** What was postponed runs within this, although the pause would last for an hour. */
const SOON_MS = 1_000;

const WORLDS = [
  ["triggerer", "runner-1", "streams: [{ name: orders, triggers: 2, publishEvery: 500ms }]"],
  ["tasks", "task-1", "tasks: [{ name: pages, operator: pages, pages: 9 }]"],
  [
    "producer",
    "triggerer",
    `producer: ./orders.ts, broker: { kafka: {} }, subscribers: [{ subscriber: 1 }],
     records: [{ at: 1s, publish: ref-000001, key: key-1 }]`,
  ],
] as const;

test.each(WORLDS)(
  "what a paused host has postponed runs when all calms down: %s, seed 1",
  async (world, host, members) => {
    const text = `{
      story: A stall, world: ${world}, ${members},
      faults: [{ at: 1200ms, pause: ${host}, for: 1h }], phases: { safety: 20s }
    }`;
    const scenario = parseScenario(text, "stall");
    const run = () => simulate(scenario, { seed: 1, ...correctPartsOf(world) });
    const { verdict, digest, trace } = await run();
    expect((await run()).digest).toBe(digest);
    const ofHost = trace.filter((event) => event.host === host);
    const states = ofHost.flatMap((event) =>
      event.kind === "host" ? [`${event.state} at ${event.at}`] : [],
    );
    expect(states.slice(1, 3)).toEqual([`pause at ${PAUSED_MS}`, `resume at ${SAFETY_MS}`]);
    const isOwn = ({ kind }: { readonly kind: string }): boolean => kind !== "host";
    const stalled = ofHost.filter(({ at }) => at > PAUSED_MS && at < SAFETY_MS);
    expect(stalled.filter(isOwn)).toEqual([]);
    const next = ofHost.filter(({ at }) => at >= SAFETY_MS).find(isOwn);
    expect((next?.at ?? Infinity) - SAFETY_MS).toBeLessThan(SOON_MS);
    expect(verdict).toBe("held");
  },
);
