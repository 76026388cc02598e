import { expect, test } from "vitest";
import type { BrokerModel } from "../../../sim/brokers/broker.ts";
import { SeededChoices } from "../../../sim/choices/choices.ts";
import { Dice } from "../../../sim/choices/dice.ts";
import { simulate } from "../../../sim/run/simulate.ts";
import { drawScenarioOn } from "../../../sim/worlds/producer/draw-producer.ts";
import type { ProducerUnderTest } from "../../../sim/worlds/producer/producer-under-test.ts";

const DIGEST_CHARS = 16;
/** As `checkProducer` does it: no two of its scenarios share a world's seed. */
const WORLDS_PER_SEED = 8;

/** A producer whose runs on a broker are pinned. */
export interface PinnedProducer {
  readonly name: string;
  readonly broker: BrokerModel<unknown>;
  readonly createProducer: ProducerUnderTest["createProducer"];
  /** Of the first 150 those that together take the broker's model through the most of its code. */
  readonly seeds: readonly number[];
}

/**
 * Defines a test for each producer: what a seed does on its broker, with all the faults that are
 * drawn for it, is what it did when it was pinned, on each runtime.
 *
 * A naive producer does to a broker what a correct one never does. A line that changes has to
 * be understood, and is then written by `npm run test:node -- test/brokers/seeds --update`.
 */
export function testPinnedSeeds(...producers: readonly PinnedProducer[]): void {
  for (const producer of producers) {
    const { name, seeds } = producer;
    test(`${name}, seeds ${seeds.join(", ")}: each does what it did`, async () => {
      const lines: string[] = [];
      for (const seed of seeds) lines.push(`${seed} ${await outcomeOf(producer, seed)}\n`);
      await expect(lines.join("")).toMatchFileSnapshot(`pinned/${name}.txt`);
    });
  }
}

/** Returns how long the run is, its digest, and which guarantees it breaks. */
async function outcomeOf(
  { broker, createProducer }: PinnedProducer,
  seed: number,
): Promise<string> {
  const choices = new SeededChoices(seed, { record: false });
  const drawn = drawScenarioOn(broker, new Dice(choices.stream("workload", "plan"), "plan"));
  const scenario = { ...drawn, name: `${broker.name}-${seed}`, seed: seed * WORLDS_PER_SEED };
  const parts = { producer: { broker, createProducer } };
  const { digest, stats, violations } = await simulate(scenario, { ...parts, trace: false });
  const broken = violations.map(({ checker }) => ` ${checker}`).join("");
  return `${stats.virtualMs} ms ${digest.slice(0, DIGEST_CHARS)}${broken}`;
}
