// Prints the heap in the course of one checkProducer as JSON, in bytes by the number of runs:
// `node --expose-gc test/soundness/measured-check.ts <runs> <every>`.
import { brokers } from "../../sim/brokers/brokers.ts";
import { checkProducer } from "../../sim/check/producer/check-producer.ts";
import { createProducer } from "../../scenarios/producers/orders.ts";

const [runsText, everyText] = process.argv.slice(2);
const [numRuns, every] = [Number(runsText), Number(everyText)];
const heap: [runs: number, bytes: number][] = [];

await checkProducer({
  broker: brokers.kafka({ partitions: 2 }),
  createProducer,
  numRuns,
  onRun: (done) => {
    if (done % every !== 0) return;
    globalThis.gc?.();
    heap.push([done, process.memoryUsage().heapUsed]);
  },
});
console.log(JSON.stringify(heap));
