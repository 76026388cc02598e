import { test } from "vitest";
import { expectFoundWithin } from "./producers/found-only-by.ts";
import { GATED_RENEWAL, GATED_SETTLEMENT } from "./producers/wall-clock-bugs.ts";

test("checkProducer() finds a renewal that waits by the wall clock", () =>
  expectFoundWithin(GATED_RENEWAL, 1_000));

test("checkProducer() finds a settlement that is skipped by the wall clock", () =>
  expectFoundWithin(GATED_SETTLEMENT, 1_000));
