import { expect, test } from "vitest";
import { Troubles } from "../../sim/checkers/task/troubles.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";

type HostState = Extract<TraceEvent, { kind: "host" }>["state"];

function hostIs(state: HostState, at: number, host = "api"): TraceEvent {
  return { at, host, kind: "host", state, incarnation: 1 };
}

test("a host that goes on ends its trouble then, and not when it began", () => {
  const troubles = new Troubles();
  troubles.observe(hostIs("pause", 1_000));
  expect(troubles.quietSince).toBeUndefined();
  troubles.observe(hostIs("resume", 9_000));
  expect(troubles.quietSince).toBe(9_000);
  expect(troubles.since(9_000)).toBe(true);
  expect(troubles.since(9_001)).toBe(false);
});

test("a host that starts without having failed is no trouble", () => {
  const troubles = new Troubles();
  troubles.observe(hostIs("start", 4_000));
  expect(troubles.quietSince).toBe(0);
  expect(troubles.since(0)).toBe(false);
});
