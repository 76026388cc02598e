import { expect } from "vitest";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import { checkProducer, type ProducerSpec } from "../../../sim/check/producer/check-producer.ts";
import type { CounterexampleSize } from "../../../sim/check/producer/counterexample-size.ts";
import { PropertyViolation } from "../../../sim/check/property-violation.ts";
import { SeededChoices } from "../../../sim/choices/choices.ts";
import { Dice } from "../../../sim/choices/dice.ts";
import { simulate } from "../../../sim/run/simulate.ts";
import { drawScenarioOn } from "../../../sim/worlds/producer/draw-producer.ts";
import type { ProducerScenario } from "../../../sim/worlds/producer/producer-scenario.ts";

type Fault = ProducerScenario["faults"][number];

/** A producer whose bug only faults of one kind can show. */
export interface BugOfOneFault {
  readonly name: string;
  /** Any of these names it rightly. */
  readonly guarantees: readonly string[];
  /** What its story tells of the fault. */
  readonly told: RegExp;
  isOfKind(fault: Fault): boolean;
  /** Makes a whole check with default settings; undefined when all held. */
  find(): Promise<PropertyViolation<CounterexampleSize> | undefined>;
  /** What breaks in a seed's run when the faults of that kind do not strike. */
  brokenWithout(seed: number): Promise<readonly string[]>;
}

type Parts<Client> = Pick<BugOfOneFault, "name" | "guarantees" | "told" | "isOfKind"> & {
  readonly broker: BrokerModel<Client>;
  /** Awaited once, as it may load a module. */
  readonly load: () => Promise<ProducerSpec<Client>["createProducer"]>;
};

export function bugOfOneFault<Client>({ broker, load, ...named }: Parts<Client>): BugOfOneFault {
  return {
    ...named,
    async find() {
      const error: unknown = await checkProducer({ broker, createProducer: await load() }).catch(
        (thrown: unknown) => thrown,
      );
      if (error instanceof PropertyViolation) return error as PropertyViolation<CounterexampleSize>;
      if (error instanceof Error) throw error;
      return undefined;
    },
    async brokenWithout(seed) {
      const choices = new SeededChoices(seed, { record: false });
      const dice = new Dice(choices.stream("workload", "plan"), "plan");
      const drawn = drawScenarioOn(broker, dice);
      const faults = drawn.faults.filter((fault) => !named.isOfKind(fault));
      const scenario = { ...drawn, faults, name: "without", seed };
      const producer = { broker, createProducer: await load() };
      const { violations } = await simulate(scenario, { producer, trace: false, digest: false });
      return violations.map(({ checker }) => checker);
    },
  };
}

/** Whether a fault is the broker's own of this name. */
export function disturbs(name: string): (fault: Fault) => boolean {
  return (fault) => "disturb" in fault && fault.disturb === name;
}

/** That default settings find it within so many runs, by its promise, and tell of the fault. */
export async function expectFoundWithin(bug: BugOfOneFault, runsMax: number): Promise<void> {
  const found = await bug.find();
  if (found === undefined) throw new Error(`${bug.name} was not found`);
  expect(bug.guarantees).toContain(found.guarantee);
  expect(found.story.join("\n")).toMatch(bug.told);
  expect(found.runs).toBeLessThanOrEqual(runsMax);
}
