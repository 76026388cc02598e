import { describe, expect, test } from "vitest";
import { BEGUN, brokenBy, state, type Told } from "./told-trace.ts";

const ORDERS = '["asset","orders",null]#-1';
const CLICKS = '["asset","clicks",null]#-1';
const OVER: Told = ["database", state("success", 0, "0")];
const PROCESSOR = "dag-processor";

function kept(scope: string): Told {
  const entry = { key: "k", value: "1", expiresAt: null, attempt: 1 } as const;
  return ["database", { kind: "state-set", scope, ...entry }];
}

function undeclared(scope: string): Told {
  return [PROCESSOR, { kind: "asset-undeclared", scope }];
}

function cleared(scope: string): Told {
  const body = { kind: "state-cleared", all: false, why: "orphaned" } as const;
  return ["database", { ...body, scope, emptied: [scope] }];
}

/** A clean-up that began at a virtual second is over. */
function over(second: number): Told {
  return [PROCESSOR, { kind: "orphans-cleared", since: second * 1_000 }];
}

function broken(...told: readonly Told[]): boolean {
  return brokenBy([...BEGUN, ...told, OVER]).includes("R-undeclared");
}

describe("R-undeclared", () => {
  test("accuses a clean-up that leaves state of an orphaned asset", () => {
    expect(broken(kept(ORDERS), undeclared(ORDERS), over(4))).toBe(true);
    expect(broken(kept(ORDERS), kept(CLICKS), undeclared(ORDERS), cleared(ORDERS), over(5))).toBe(
      false,
    );
  });

  test("accuses one that takes the state of an asset that is declared", () => {
    expect(broken(kept(ORDERS), kept(CLICKS), undeclared(ORDERS), cleared(CLICKS))).toBe(true);
  });

  test("takes one that began before the asset was orphaned, or before its state was written", () => {
    expect(broken(kept(ORDERS), undeclared(ORDERS), over(2))).toBe(false);
    expect(broken(undeclared(ORDERS), kept(ORDERS), over(3))).toBe(false);
  });
});
