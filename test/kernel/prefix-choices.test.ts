import { describe, expect, test } from "vitest";
import { type Choices, CLOCK_PART, SeededChoices } from "../../sim/choices/choices.ts";
import { PrefixChoices } from "../../sim/choices/prefix-choices.ts";

/** Two streams, asked in turn. */
function drawAll(choices: Choices): readonly number[] {
  const [one, other] = [choices.stream("workload", "client"), choices.stream("time", "net")];
  return Array.from({ length: 12 }, (_, at) =>
    at % 2 === 0 ? one.choose(1_000, "act") : other.choose(1_000, "latency"),
  );
}

const recording = new SeededChoices(7);
const recorded = drawAll(recording);
const drawn = drawAll(new SeededChoices(8));

describe("PrefixChoices", () => {
  test.each(recorded.map((_, taken) => taken))(
    "takes the first %d choices and draws the others from the seed",
    (taken) => {
      const made = drawAll(new PrefixChoices(recording.recorded(), taken, 8));
      expect(made.slice(0, taken)).toEqual(recorded.slice(0, taken));
      // Each stream begins to draw where it is first asked for more.
      const halves = [0, 1].map((odd) => made.filter((_, at) => at >= taken && at % 2 === odd));
      const fresh = [0, 1].map((odd) => drawn.filter((_, at) => at % 2 === odd));
      for (const [half, values] of halves.entries()) {
        expect(values).toEqual(fresh[half]?.slice(0, values.length));
      }
    },
  );

  test("is the recorded run when it takes all choices", () => {
    const all = recording.recorded();
    expect(drawAll(new PrefixChoices(all, all.length, 8))).toEqual(recorded);
  });

  test("fails where the run asks for another choice than the recorded one", () => {
    const stream = new PrefixChoices(recording.recorded(), 1, 8).stream("workload", "client");
    expect(() => stream.choose(5, "act")).toThrow(
      'Cannot replay choice 0: recorded "workload/client act of 1000", but the run now asks "workload/client act of 5"',
    );
  });

  test("lets the clock race only while it takes choices", () => {
    const race = new SeededChoices(1);
    race.stream("sched", CLOCK_PART).choose(2, "runner");
    race.stream("sched", CLOCK_PART).choose(2, "runner");
    const { scheduler } = new PrefixChoices(race.recorded(), 1, 1);
    expect(scheduler?.racesClock).toBe(true);
    scheduler?.choose(["runner", "clock"], "runner");
    expect(scheduler?.racesClock).toBe(false);
    expect(scheduler?.choose(["runner", "broker"], "runner")).toBeLessThan(2);
  });

  test("a choice of one option is no choice", () => {
    const choices = new PrefixChoices(recording.recorded(), 1, 8);
    expect(choices.stream("data", "x").choose(1, "y")).toBe(0);
    expect(choices.stream("workload", "client").choose(1_000, "act")).toBe(recorded[0]);
    expect(choices.recorded()).toHaveLength(1);
  });
});
