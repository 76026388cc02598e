import { describe, expect, test } from "vitest";
import {
  type IdForms,
  names,
  namesAt,
  pathToId,
  PLAIN_IDS,
} from "../../sim/checkers/task/job-names.ts";
import type { TraceEvent } from "../../sim/trace/trace.ts";
import { idFormsIn } from "../../sim/worlds/operator/id-forms.ts";
import { idRetentionIn } from "../../sim/worlds/operator/id-retention.ts";
import { usesIn } from "../../sim/worlds/operator/uses-in.ts";

type Told =
  | { readonly accepts: number; readonly id: string; readonly by?: number }
  | { readonly sets: string; readonly to: string; readonly by?: number; readonly expires?: number };

function traceOf(...told: readonly Told[]): readonly TraceEvent[] {
  return told.map((one, at): TraceEvent => {
    const by = { at, attempt: one.by ?? 1 };
    if ("accepts" in one) {
      const { accepts: job, id } = one;
      return { kind: "job-accepted", host: "jobs", job, id, task: "t", key: "", ...by };
    }
    const { sets: key, to: value, expires: expiresAt = null } = one;
    return { kind: "state-set", host: "db", scope: "s", key, value, expiresAt, ...by };
  });
}

const JOB = { id: "b-0" };
const NESTED: IdForms = { places: [{ key: "job", path: ["run", "*"] }], others: [] };

describe("a stored value", () => {
  test("names a job by its id alone, or as JSON text", () => {
    expect([names("b-0", JOB), names('"b-0"', JOB), names('["b-0"]', JOB)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(namesAt({ key: "k", value: '"b-0"' }, JOB, PLAIN_IDS)).toBe(true);
    expect(namesAt({ key: "k", value: '["b-0"]' }, JOB, PLAIN_IDS)).toBe(false);
  });

  test("names a job by the part that is known to be an id, and by no other", () => {
    const at = (value: unknown, key?: string): boolean =>
      namesAt({ ...(key === undefined ? {} : { key }), value: JSON.stringify(value) }, JOB, NESTED);
    expect(at({ run: ["a", "b-0"] }, "job")).toBe(true);
    expect(at({ run: { any: "b-0" } }, "job")).toBe(true);
    expect(at({ run: ["a"] }, "job")).toBe(false);
    expect(at({ was: ["b-0"] }, "job")).toBe(false);
    expect(at({ run: "b-0" }, "job")).toBe(false);
    expect(at(null, "job")).toBe(false);
    expect(at({ run: null }, "job")).toBe(false);
    expect(at({ run: ["b-0"] }, "other")).toBe(false);
    // A checkpoint is no entry, and has no key.
    expect(at({ run: ["b-0"] })).toBe(true);
    expect(namesAt({ key: "job", value: "{ run" }, JOB, NESTED)).toBe(false);
  });

  test("names an id of several parts, or a number, within a larger value", () => {
    const forms = { places: [{ key: "k", path: ["id"] }], others: [] };
    const composite = { id: '{"clusterId":"c-1","stepId":"s-2"}' };
    const value = '{"id":{"clusterId":"c-1","stepId":"s-2"}}';
    expect(namesAt({ key: "k", value }, composite, forms)).toBe(true);
    expect(namesAt({ key: "k", value: '{"id":3}' }, { id: "3" }, forms)).toBe(true);
    expect(namesAt({ key: "k", value: '{"id":3}' }, { id: "4" }, forms)).toBe(false);
  });

  test("is a number of its own under a key that has other things, and else a job's id", () => {
    const forms = { places: [], others: ["try"] };
    expect(namesAt({ key: "try", value: "3" }, { id: "3" }, forms)).toBe(false);
    expect(namesAt({ key: "id", value: "3" }, { id: "3" }, forms)).toBe(true);
    expect(namesAt({ value: "3" }, { id: "3" }, forms)).toBe(true);
    expect(namesAt({ key: "try", value: '"b-0"' }, JOB, forms)).toBe(true);
    expect(namesAt({ key: "try", value: "1234567890" }, { id: "1234567890" }, forms)).toBe(true);
  });

  test("has its first id at a path, if it has one", () => {
    expect(pathToId('"b-0"', JOB)).toEqual([]);
    expect(pathToId('{"a":1,"b":[{"c":"x"},{"c":"b-0"}]}', JOB)).toEqual(["b", "*", "c"]);
    expect(pathToId('{"a":null}', JOB)).toBeUndefined();
    expect(pathToId("no JSON", JOB)).toBeUndefined();
    expect(pathToId('""', { id: "" })).toBeUndefined();
  });
});

describe("where an operator keeps the ids of its jobs", () => {
  test("is nothing to be said where each has a key, and nothing else is stored", () => {
    expect(idFormsIn(traceOf({ accepts: 1, id: "b-0" }, { sets: "k", to: '"b-0"' }))).toBe(
      undefined,
    );
    expect(idFormsIn([])).toBe(undefined);
    // What nobody can place is as it was.
    expect(idFormsIn(traceOf({ accepts: 1, id: "b-0" }, { sets: "n", to: "1" }))).toBe(undefined);
  });

  test("is the part of the first entry that has each id", () => {
    const trace = traceOf(
      { accepts: 1, id: "b-0" },
      { sets: "k", to: '{"id":"b-0","n":0}' },
      { sets: "done", to: '["b-0"]' },
      { accepts: 2, id: "b-1" },
      { sets: "l", to: '["b-1"]' },
      { sets: "k", to: '{"id":"b-1","n":0}' },
    );
    expect(idFormsIn(trace)).toEqual({
      places: [
        { key: "k", path: ["id"] },
        { key: "l", path: ["*"] },
      ],
      others: ["done"],
    });
  });

  test("has no parts of larger values where one id is stored as it is", () => {
    const trace = traceOf(
      { accepts: 1, id: "b-0" },
      { sets: "k", to: '"b-0"' },
      { sets: "done", to: '["b-0"]' },
    );
    expect(idFormsIn(trace)).toEqual({ places: [], others: ["done"] });
  });

  test("is not what a user has stored", () => {
    const trace = traceOf(
      { accepts: 1, id: "b-0" },
      { sets: "k", to: '{"id":"b-0"}' },
      { sets: "j", to: '"b-0"', by: 0 },
      { sets: "i", to: "7", by: 0 },
    );
    expect(idFormsIn(trace)).toEqual({ places: [{ key: "k", path: ["id"] }], others: [] });
  });

  test("tells its uses, and for how long ids are kept", () => {
    const trace = traceOf(
      { accepts: 1, id: "b-0" },
      { sets: "one", to: '{"id":"b-0"}', expires: 60_000 },
      { accepts: 2, id: "b-1" },
      { sets: "two", to: '{"id":"b-1"}', expires: 90_000 },
    );
    const forms = idFormsIn(trace);
    expect(usesIn(trace, forms).keys).toEqual(["one", "two"]);
    expect(usesIn(trace).keys).toEqual([]);
    expect(idRetentionIn(trace, forms)).toEqual(expect.any(Number));
    expect(idRetentionIn(trace)).toBeUndefined();
  });
});
