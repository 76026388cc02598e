import { describe, expect, test } from "vitest";
import {
  DECISION_TABLE_NAMES,
  DECISION_TABLES,
  type DecisionTableName,
} from "../../sim/checkers/producer/decision-tables.ts";
import { parseScenario } from "../../sim/scenario/parse.ts";
import { writeScenario } from "../../sim/scenario/write.ts";
import { rejectingScenario } from "./rejecting-scenario.ts";

const OUTCOMES = {
  accepted: { acked: 2, failed: 0, rejected: 0 },
  "only failed": { acked: 1, failed: 1, rejected: 0 },
  "rejected by some": { acked: 1, failed: 0, rejected: 1 },
  "rejected and failed": { acked: 0, failed: 1, rejected: 1 },
  "nobody there": { acked: 0, failed: 0, rejected: 0 },
} as const;

test.each<readonly [DecisionTableName, readonly string[]]>([
  ["airflow", ["settle", "hold", "refuse", "refuse-or-hold", "hold"]],
  ["dead-letter", ["settle", "hold", "dead-letter", "dead-letter", "hold"]],
  ["failed-first", ["settle", "hold", "dead-letter", "hold", "hold"]],
])("the table %s decides each outcome", (name, decisions) => {
  expect(Object.values(OUTCOMES).map(DECISION_TABLES[name])).toEqual(decisions);
  expect(DECISION_TABLE_NAMES).toContain(name);
});

describe("a scenario file", () => {
  test("is written with the table that it names", () => {
    const scenario = parseScenario(rejectingScenario("decide: failed-first"), "rejects");
    expect(writeScenario(scenario)).toContain("decide: failed-first\n");
    expect(writeScenario(parseScenario(rejectingScenario(""), "rejects"))).not.toContain("decide");
  });

  test("is refused with a table that there is none of", () => {
    expect(() => parseScenario(rejectingScenario("decide: nack"), "rejects")).toThrow(
      /decide.*"airflow".*"dead-letter".*"failed-first"/s,
    );
  });
});
