import { expect, test } from "vitest";
import { checkResumableJob, PropertyViolation } from "../../sim/check/mod.ts";
import type { CreateJob } from "../../sim/worlds/operator/operator-under-test.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

const SYSTEM = "aws-batch";

/** Its kill fails where nobody says why, before it has cancelled anything. */
const wantsCause: CreateJob = (client, surroundings) => {
  const right = rightJobOn(SYSTEM)(client, surroundings);
  return {
    ...right,
    onKill(executionContext) {
      if (executionContext === null) throw new TypeError("there is no category");
      return right.onKill?.(executionContext);
    },
  };
};

test("an attempt that is killed for an unknown reason has to cancel its job (C5)", async () => {
  const error: unknown = await checkResumableJob(wantsCause, { system: SYSTEM }).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PropertyViolation)) throw new Error("Nothing was found");
  expect(error.guarantee).toBe("R-I14");
  expect(error.message).toContain("an unknown kill of attempt");
});
