import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { createManagerOf } from "../../sim/worlds/manager/profiles.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const plain = createManagerOf("faultlane");

/** Runs `act` once on the host of a manager; returns what it notes, with the virtual time since. */
async function notedBy(
  act: (note: (what: string) => void) => void,
): Promise<{ readonly notes: readonly string[]; readonly verdict: string }> {
  const notes: string[] = [];
  let hasActed = false;
  const { verdict } = await simulate(readScenario("runner-dies-amid-a-visit"), {
    createManager: (host, settings, observer) => {
      const startedAt = Date.now();
      if (!hasActed) act((what) => notes.push(`${what} at ${Date.now() - startedAt}`));
      hasActed = true;
      return plain(host, settings, observer);
    },
  });
  return { notes, verdict };
}

test("a timer that is refreshed begins to wait anew, and fires once", async () => {
  const { notes } = await notedBy((note) => {
    const timer = setTimeout((what: string) => note(what), 1_000, "refreshed");
    setTimeout(() => timer.refresh(), 600);
    setTimeout(() => note("other"), 1_500);
  });
  expect(notes).toEqual(["other at 1500", "refreshed at 1600"]);
});

test("a timer that was refreshed is cleared like any other", async () => {
  const { notes } = await notedBy((note) => {
    const timer = setTimeout(() => note("cleared"), 1_000);
    setTimeout(() => timer.refresh(), 600);
    setTimeout(() => clearTimeout(timer), 1_200);
    setTimeout(() => note("end"), 3_000);
  });
  expect(notes).toEqual(["end at 3000"]);
});

test("a timer is cleared by its number, which is the same in every run", async () => {
  const numbers: number[] = [];
  for (let run = 0; run < 2; run += 1) {
    const { notes } = await notedBy((note) => {
      const [first, second] = [10, 20].map((ms) => Number(setTimeout(() => note(`${ms}`), ms)));
      clearTimeout(first);
      numbers.push(second ?? 0);
    });
    expect(notes).toEqual(["20 at 20"]);
  }
  expect(numbers[0]).toBe(numbers[1]);
});

test("real work takes no virtual time, whenever it is done", async () => {
  const { notes, verdict } = await notedBy((note) => {
    const text = new TextEncoder().encode("a".repeat(200_000));
    for (const name of ["first", "second"]) {
      void crypto.subtle.digest("SHA-256", text).then(() => note(name));
    }
    setTimeout(() => {
      note("timer");
      void crypto.subtle.digest("SHA-256", text).then(() => note("third"));
      setTimeout(() => note("timer"), 1);
    }, 1);
  });
  expect(notes).toEqual(["first at 0", "second at 0", "timer at 1", "third at 1", "timer at 2"]);
  expect(verdict).toBe("held");
});
