import { describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import type { Scenario } from "../../sim/scenario/scenario.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { type Path, exploreAll } from "../../sim/search/exhaustive/exhaustive.ts";
import {
  ExhaustiveChoices,
  AlreadyExplored,
} from "../../sim/search/exhaustive/exhaustive-choices.ts";
import { exhaustScenario } from "../../sim/search/exhaustive/exhaustive-scenario.ts";

const STREAM = `
story: one stream
world: triggerer
streams: [{ name: orders, triggers: 2, publishEvery: 1s }]
phases: { safety: 3s, liveness: 60s }
`;

const scenarioOf = (text: string): Scenario => parseScenario(text, "walked");

/** What each host did and saw in every run of a walk, whatever the order between hosts. */
async function historiesOf(scenario: Scenario, isCut: boolean): Promise<ReadonlySet<string>> {
  const histories = new Set<string>();
  const run = async (path: Path): Promise<undefined> => {
    const uncut: Path = { choose: (n, kind) => path.choose(n, kind), wasVisited: no, isNew: true };
    const choices = new ExhaustiveChoices(isCut ? path : uncut);
    const lines = new Map<string, string>();
    const listen: typeof choices.observe = (event) => {
      choices.observe(event);
      lines.set(event.host, `${lines.get(event.host) ?? ""}${JSON.stringify(event)}\n`);
    };
    try {
      await simulate(scenario, { choices, listen, trace: false });
      histories.add(
        JSON.stringify([...lines].toSorted(([one], [other]) => (one < other ? -1 : 1))),
      );
    } catch (error) {
      if (!(error instanceof AlreadyExplored)) throw error;
    }
  };
  const bounds = { preemptions: 1, faults: 1, delays: 0, data: 0, workload: 0 };
  const { certificate } = await exploreAll({ run, bounds });
  expect(certificate.isComplete).toBe(true);
  return histories;
}

function no(): boolean {
  return false;
}

describe("exhaustScenario()", () => {
  test("skips no run that an exploration of all runs would find", async () => {
    const scenario = scenarioOf(
      `${STREAM}
triggerers: 2
faults: [{ site: sync.request, rate: "1/10", verdict: fail-after, until: 3s }]
phases: { safety: 2s, liveness: 1s }`.replace(/^phases: \{ safety: 3s.*$/m, ""),
    );
    const all = await historiesOf(scenario, false);
    expect(all.size).toBeGreaterThan(5);
    expect(await historiesOf(scenario, true)).toEqual(all);
  });

  test("certifies a scenario that holds, twice with the same certificate", async () => {
    const scenario = scenarioOf(`${STREAM}
faults: [{ site: sync.request, rate: "1/10", verdict: drop-reply }]`);
    const { certificate, broken } = await exhaustScenario(scenario, { bounds: { seconds: 3 } });
    expect(broken).toEqual([]);
    expect(certificate).toMatchObject({ isComplete: true });
    expect(certificate.bounds).toMatchObject({ seconds: 3, faults: 1, preemptions: 1 });
    const again = await exhaustScenario(scenario, { bounds: { seconds: 3 } });
    expect(again.certificate).toEqual(certificate);
  });

  test("certifies the final states, also in a world without races", async () => {
    const scenario = scenarioOf("story: a client\nworld: manager");
    const bounds = { operations: 2, seconds: 1, workload: 1 };
    const { certificate } = await exhaustScenario(scenario, { bounds });
    expect(certificate.isComplete).toBe(true);
    expect(certificate.states).toBeGreaterThan(20);
    expect(certificate.states).toBeLessThanOrEqual(certificate.runs);
  });

  test("keeps the choices of runs that break a promise", async () => {
    const scenario = scenarioOf(`
story: an abort-like error out of advance
world: triggerer
profile: airflow-3.3
streams: [{ name: orders, advanceThrows: { nth: 1, error: AbortError } }]
phases: { safety: 4s, liveness: 1s }
expect: { checkers: [I1] }`);
    const { broken } = await exhaustScenario(scenario);
    const replayed = await Promise.all(
      broken.map(({ choices }) => simulate(scenario, { replay: choices })),
    );
    expect(broken.length).toBeGreaterThan(1);
    expect(replayed.map(({ digest }) => digest)).toEqual(broken.map(({ digest }) => digest));
  });

  test("does not explore a storm", async () => {
    const scenario = scenarioOf(`${STREAM}storm: { crashes: "1/2" }`);
    await expect(exhaustScenario(scenario)).rejects.toThrow("Cannot explore a storm");
  });
});
