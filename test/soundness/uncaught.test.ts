import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { readScenario } from "../sim/read-scenarios.ts";
import { managerThat } from "./manager-that.ts";

const ACTS: readonly (readonly [what: string, act: () => void])[] = [
  ["a timer", () => void setTimeout(() => fail(), 50)],
  ["a microtask", () => queueMicrotask(() => fail())],
  ["a promise that nobody handles", () => void Promise.reject(new RangeError("boom"))],
  ["a tick", () => process.nextTick(() => fail())],
  ["a stream whose error nobody listens to", () => void new Readable({ read: failTo }).resume()],
];

function failTo(this: Readable): void {
  this.destroy(new RangeError("boom"));
}

function fail(): never {
  throw new RangeError("boom");
}

for (const name of ["everything-at-once", "hostile-client"]) {
  for (const [what, act] of ACTS) {
    test(`an error of a manager in ${what} crashes its host and is a finding (${name})`, async () => {
      const createManager = managerThat(act);
      const { verdict, violations } = await simulate(readScenario(name), { createManager });
      expect(verdict).toBe("broken");
      expect(violations[0]).toMatchObject({
        checker: "uncaught",
        symptom: "uncaught-exception",
        detail: "the host crashed of an exception that nobody caught: RangeError",
      });
    });
  }
}
