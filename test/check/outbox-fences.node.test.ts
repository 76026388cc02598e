import { describe, expect, test } from "vitest";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { PgPool } from "../../sim/brokers/outbox/pg-pool.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { loadWithBug, type SourceBug } from "./producers/source-bug.ts";

const SOURCE = new URL("../../scenarios/producers/outbox.ts", import.meta.url);
const scenario = `
story: An operator frees a row that is in hand, and a rival claims it before it is settled.
world: producer
broker: { outbox: {} }
records: [{ at: 1s, publish: ref-000001, key: key-1 }]
subscribers: [{ subscriber: 1 }]
behaviours: [{ subscriber: 1, on: ref-000001, does: late, for: 4s, times: 1 }]
faults:
  - { at: 3990ms, disturb: an operator frees all rows }
  - { at: 4s, disturb: a rival claims rows }
`;

async function brokenBy(edits: SourceBug["edits"]): Promise<readonly string[]> {
  const bug = { id: "fences", what: "fences otherwise", guarantees: ["G4"], edits };
  const createProducer = await loadWithBug<PgPool>(SOURCE, bug);
  const options = { producer: { broker: brokers.outbox(), createProducer }, digest: false };
  const { violations } = await simulate(parseScenario(scenario, "fences"), options);
  return violations.map(({ checker, detail }) => `${checker} ${detail}`);
}

const BY_RIVAL = "by a claim that had ended, while rival had it on lease";
const DELETE = "DELETE FROM outbox WHERE id = $1 AND attempts = $2 AND leased_by = $3";

describe("a row that a rival has claimed meanwhile", () => {
  test("may be deleted by nobody who names the row alone", async () => {
    const broken = await brokenBy([
      [DELETE, "DELETE FROM outbox WHERE id = $1 AND $2::int > 0 AND $3::text <> ''"],
    ]);
    expect(broken).toContain(`G4 ref-000001 was settled ${BY_RIVAL}`);
  });

  // The story: each worker counts its claims, so that their number is a fence, and the name another.
  test.each([
    ["the number of the claim", "WHERE id = $1 AND attempts = $2 AND $3::text <> ''"],
    ["the name of the worker", "WHERE id = $1 AND $2::int > 0 AND leased_by = $3"],
  ])("is left alone by who names %s as well", async (_what, where) => {
    expect(await brokenBy([[DELETE, `DELETE FROM outbox ${where}`]])).toEqual([]);
  });

  test("may be claimed with one statement and read with the next", async () => {
    const read = '"SELECT id, payload FROM outbox WHERE leased_by = $1", [this.#worker]';
    const broken = await brokenBy([
      ["RETURNING id, attempts, key, payload`;", "RETURNING id, attempts, key`;"],
      [
        "      return rows;\n",
        `      const read = await this.#pool.query<Claim>(${read});
      return rows.map((row) => ({ ...row, ...read.rows.find(({ id }) => id === row.id) }));\n`,
      ],
    ]);
    expect(broken).toEqual([]);
  });
});
