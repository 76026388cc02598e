import { describe, expect, test } from "vitest";
import {
  checkStateBackend,
  STATE_BACKEND_LAWS,
  StateBackendViolation,
} from "../../sim/check/backend/check-state-backend.ts";
import { MemoryStateBackend } from "../../src/store/mod.ts";
import { plainBackend, PLANTED_BUGS } from "./broken-backends.ts";
import { HASTY_BUGS } from "./hasty-backends.ts";
import { fedBackend, IDLE_BUGS } from "./idle-backends.ts";
import { INEXACT_BUGS } from "./inexact-backends.ts";
import { carefulCache, MEETING_BUGS, shySweep } from "./meeting-backends.ts";
import { lateBackend, OUTAGE_BUGS, patientBackend } from "./outage-backends.ts";

async function violationOf(check: Promise<unknown>): Promise<StateBackendViolation> {
  const error = await check.then(
    () => new Error("nothing was found"),
    (error: unknown) => error,
  );
  if (error instanceof StateBackendViolation) return error;
  throw error;
}

describe("checkStateBackend()", () => {
  test("reports every law for a correct backend", async () => {
    const report = await checkStateBackend(() => new MemoryStateBackend(), { numRuns: 20 });
    expect(report).toEqual({
      held: STATE_BACKEND_LAWS.map((law) => law.title),
      numRuns: 20,
      seed: 1,
    });
  });

  test("requires the six methods only", async () => {
    await checkStateBackend(plainBackend, { numRuns: 20 });
  });

  test.each([
    ["keeps nothing in a cache which a write has overtaken", carefulCache],
    ["sweeps nothing while another call is under way", shySweep],
    ["forgets what it has read when it has missed a change", fedBackend],
    ["waits for a lock, and fails", patientBackend],
    ["does late what it has said to fail", lateBackend],
  ])("holds for a backend that %s", async (_, create) => {
    await checkStateBackend(create, { numRuns: 5 });
  });

  test("leaves it to the backend whether an empty key is one", async () => {
    const empty = (key: string): string => (key === "" ? "\u0001empty" : key);
    await checkStateBackend(
      () => {
        const inner = new MemoryStateBackend();
        const writeMany = inner.setMany.bind(inner);
        return Object.assign(inner, {
          setMany: (...[scope, entries, options]: Parameters<typeof writeMany>) =>
            writeMany(
              scope,
              entries.map(([key, value]) => [empty(key), value] as const),
              options,
            ),
        });
      },
      { numRuns: 20 },
    );
  });

  for (const bug of [
    ...PLANTED_BUGS,
    ...INEXACT_BUGS,
    ...HASTY_BUGS,
    ...MEETING_BUGS,
    ...OUTAGE_BUGS,
    ...IDLE_BUGS,
  ]) {
    test(`catches ${bug.name}`, async () => {
      const violation = await violationOf(checkStateBackend(bug.create, { numRuns: 100 }));
      expect(violation.law).toMatch(bug.caughtBy);
      expect(violation.counterexample).toMatch(/ is .*, expected |neither of the two/);
    });
  }

  test("shrinks a run of commands to the necessary few and reports them", async () => {
    // A bug that no example shows: deleting "A" also deletes "a/b".
    const create = (): MemoryStateBackend => {
      const backend = new MemoryStateBackend();
      const deleteOne = backend.delete.bind(backend);
      backend.delete = async (scope, key) => {
        await deleteOne(scope, key);
        if (key === "A") await deleteOne(scope, "a/b");
      };
      return backend;
    };
    const violation = await violationOf(checkStateBackend(create, { numRuns: 500 }));
    expect(violation.law).toBe(
      "for every run of commands, one client finds what a plain map would hold",
    );
    expect(violation.counterexample).toMatch(
      /^1\. client 1 sets "a\/b" of .*; 2\. client 1 deletes "A" of .*; 3\. client 1 \w+ .*; .* is .*, expected .* \(found again by seed 1\)$/,
    );
    expect(violation.message).toContain("The backend breaks");
  });

  test("finds the same case again for the same seed", async () => {
    const bug = PLANTED_BUGS.find(({ name }) => name.startsWith("A59"));
    if (bug === undefined) throw new Error("the planted bug is gone");
    const [one, other] = await Promise.all(
      [1, 2].map(() => violationOf(checkStateBackend(bug.create, { seed: 7 }))),
    );
    expect(one?.message).toBe(other?.message);
  });
});
