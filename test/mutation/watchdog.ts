// Ends the process in which it is a thread, when a test file takes far more than it takes unmutated:
// an endless loop keeps the process from ending itself. Processor time is the measure, because a busy
// machine does not lengthen it; who waits for good uses none, which is a measure of its own.
import { writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

/** What a test file may take until it is ended. */
export interface Limits {
  readonly cpuMs: number;
  /** For how long it may use next to no processor time, in a row. */
  readonly idleMs: number;
}

const TICK_MS = 250;
/** A process that works is never held up so long that it gets less than this share. */
const IDLE_SHARE = 0.01;

let limits: Limits | undefined;
let cpuAtStart = 0;
let idleMs = 0;
let before = { cpu: 0, wall: 0 };

parentPort?.on("message", (given: Limits) => {
  limits = given;
  cpuAtStart = cpuNow();
  idleMs = 0;
});

setInterval(() => {
  const now = { cpu: cpuNow(), wall: performance.now() };
  const wall = now.wall - before.wall;
  idleMs = now.cpu - before.cpu < wall * IDLE_SHARE ? idleMs + wall : 0;
  before = now;
  if (limits === undefined) return;
  if (now.cpu - cpuAtStart > limits.cpuMs || idleMs > limits.idleMs) {
    writeFileSync(workerData as string, JSON.stringify({ cpu: now.cpu - cpuAtStart, idleMs }));
    process.kill(process.pid, "SIGKILL");
  }
}, TICK_MS);

function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
