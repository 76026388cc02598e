// Runs a correct producer with real work in every method, and prints what its runs came to as JSON:
// `node test/soundness/run-working.ts check <runs>`, or `digests <runs>` for one hash of all digests.
import { createHash } from "node:crypto";
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import { SeededChoices } from "../../sim/choices/choices.ts";
import { Dice } from "../../sim/choices/dice.ts";
import type { KafkaClient } from "../../sim/brokers/kafka/kafka-model.ts";
import { simulate } from "../../sim/run/simulate.ts";
import { drawScenarioOn } from "../../sim/worlds/producer/draw-producer.ts";
import { WorkingProducer } from "./working-producer.ts";

const broker = brokers.kafka({ partitions: 2 });
const createProducer = ({ client }: { readonly client: KafkaClient }): WorkingProducer =>
  new WorkingProducer(client);
const [what, runsText] = process.argv.slice(2);
const numRuns = Number(runsText);

if (what === "check") {
  const { runs, events, copies } = await checkProducer({ broker, createProducer, numRuns });
  console.log(JSON.stringify({ runs, events, copies }));
} else {
  const all = createHash("sha256");
  let broken = 0;
  for (let seed = 1; seed <= numRuns; seed += 1) {
    const choices = new SeededChoices(seed, { record: false });
    const dice = new Dice(choices.stream("workload", "plan"), "plan");
    const scenario = { ...drawScenarioOn(broker, dice), name: "working" };
    const producer = { broker, createProducer };
    const { digest, violations } = await simulate(scenario, { seed, producer, trace: false });
    broken += violations.length;
    all.update(digest);
  }
  console.log(JSON.stringify({ runs: numRuns, broken, digest: all.digest("hex") }));
}
