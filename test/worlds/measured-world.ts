// Plays a world of triggerers without keeping its trace, and prints how it ended and what the heap held
// on the way: `node --expose-gc measured-world.ts <triggerers> <triggers of each> <minutes>`.
import { parseScenario } from "../../sim/scenario/parse.ts";
import { simulate } from "../../sim/run/simulate.ts";

const SAMPLES = 12;
const MINUTE_MS = 60_000;

const [triggerers = 1, triggers = 1, minutes = 1] = process.argv.slice(2).map(Number);
const isLarge = triggerers > 1;
const streams = Array.from({ length: triggerers }, (_, at) => ({
  name: `stream-${at}`,
  triggers,
  publishEvery: isLarge ? "5m" : "1s",
}));
const scenario = parseScenario(
  JSON.stringify({
    story: "A calm world whose memory is measured.",
    world: "triggerer",
    triggerers,
    streams,
    ...(isLarge && { syncEvery: "10s", fetchWait: "60s" }),
    phases: { safety: `${minutes * 60}s` },
  }),
  "measured",
);

const heap: number[] = [];
const everyMs = (minutes * MINUTE_MS) / SAMPLES;
const { verdict, stats } = await simulate(scenario, {
  seed: 1,
  trace: false,
  listen({ at }) {
    if (at < (heap.length + 1) * everyMs) return;
    globalThis.gc?.();
    heap.push(process.memoryUsage().heapUsed);
  },
});
process.stdout.write(JSON.stringify({ verdict, virtualMs: stats.virtualMs, heap }));
