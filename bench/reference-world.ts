import { parseScenario } from "../sim/scenario/parse.ts";
import type { Scenario } from "../sim/scenario/scenario.ts";

const STREAMS = 100;
const TRIGGERS_PER_STREAM = 10;

/**
 * The world that speed is stated for: 3 triggerers, 100 streams, 1,000 triggers, 5 s heartbeats,
 * a record per stream every five minutes, faults on.
 */
export function referenceWorld(hours: number): Scenario {
  const streams = Array.from({ length: STREAMS }, (_, at) => ({
    name: `stream-${at}`,
    triggers: TRIGGERS_PER_STREAM,
    publishEvery: "5m",
  }));
  const text = JSON.stringify({
    story: "A day of three triggerers with a hundred streams, and what befalls them.",
    world: "triggerer",
    triggerers: 3,
    heartbeat: "5s",
    fetchWait: "60s",
    streams,
    storm: { crashes: "1/600", pauses: "1/300", cuts: "1/300", rebalances: "1/60" },
    faults: [
      { site: "database.commit", rate: "1/2000", verdict: "fail-after" },
      { site: "sync.request", rate: "1/2000", verdict: "drop-reply" },
      { site: "broker.settle", rate: "1/1000", verdict: "drop-reply" },
    ],
    phases: { safety: `${Math.round(hours * 3_600)}s`, liveness: "1h" },
  });
  return parseScenario(text, "reference-world");
}
