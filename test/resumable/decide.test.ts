import { describe, expect, it } from "vitest";
import { decideResume, stepsFrom } from "../../src/resumable/decide.ts";

const TABLE = [
  [{ kind: "no_store" }, "no_task_state_store", "submits", "polls"],
  [{ kind: "absent" }, "fresh_submit", "submits", "persists", "polls"],
  [{ kind: "present", status: "active" }, "reconnect", "polls"],
  [{ kind: "present", status: "succeeded" }, "already_succeeded"],
  [{ kind: "present", status: "terminal" }, "terminal_resubmit", "submits", "persists", "polls"],
] as const;

describe("decideResume()", () => {
  for (const [record, decision, ...steps] of TABLE) {
    it(`returns ${decision} for ${Object.values(record).join(" ")}`, () => {
      expect(decideResume(record)).toBe(decision);
      expect(Object.entries(stepsFrom(decision)).filter(([, does]) => does)).toEqual(
        steps.map((step) => [step, true]),
      );
    });
  }
});
