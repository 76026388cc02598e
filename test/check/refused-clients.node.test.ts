import { describe, expect, test } from "vitest";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { REFUSED_CLIENT_BUGS, type RefusedClientBug } from "./refused-clients.ts";

/** The broker refuses the client once, while nothing is wrong otherwise. */
function refusedAt({ spec, disturbance }: RefusedClientBug, at: string): string {
  return `
story: The broker refuses to serve the client for a while.
world: producer
broker: ${JSON.stringify(spec)}
records:
  - { at: 1s, publish: ref-000001, key: key-1 }
  - { at: 12s, publish: ref-000002, key: key-1 }
  - { at: 30s, publish: ref-000003, key: key-2 }
subscribers: [{ subscriber: 1 }]
faults: [{ at: ${at}, disturb: ${disturbance} }]
`;
}

async function brokenBy(
  bug: RefusedClientBug,
  createProducer: Awaited<ReturnType<RefusedClientBug["load"]>>,
): Promise<readonly string[]> {
  const { broker } = bug;
  const broken: string[] = [];
  for (const at of ["3s", "11900ms"]) {
    const scenario = parseScenario(refusedAt(bug, at), "refused");
    const producer = { broker, createProducer };
    const { violations } = await simulate(scenario, { producer, trace: false, digest: false });
    broken.push(...violations.map(({ checker }) => checker));
  }
  return broken;
}

describe("a broker that refuses its client for a while", () => {
  test.each(REFUSED_CLIENT_BUGS)("accuses $id, and not the correct one", async (bug) => {
    const correct = (await import(bug.source.href)) as {
      createProducer: Awaited<ReturnType<RefusedClientBug["load"]>>;
    };
    expect(await brokenBy(bug, correct.createProducer)).toEqual([]);
    const broken = await brokenBy(bug, await bug.load());
    expect(broken).not.toEqual([]);
    expect(bug.guarantees).toEqual(expect.arrayContaining([...new Set(broken)]));
  });
});
