import { type Debugger, Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { workerData } from "node:worker_threads";
import type { HangWatch } from "./hang-watch.ts";
import { complain } from "./output.ts";

const LOOK_EVERY_MS = 500;
/** So many looks without a beat, and the thread hangs; a process that was asleep beats at once. */
const LOOKS_MAX = 6;
/**
 * Where the debugger does not answer, the process is ended without its word. On a busy machine it
 * takes seconds, for it tells every script first.
 */
const ANSWER_MS_MAX = 20_000;

const { beats, isMainThread, exitCode } = workerData as HangWatch;
const count = new Int32Array(beats);
let last = -1;
let looks = 0;

const looking = setInterval(() => {
  const now = Atomics.load(count, 0);
  looks = now === last ? looks + 1 : 0;
  last = now;
  if (looks < LOOKS_MAX) return;
  clearInterval(looking);
  end();
}, LOOK_EVERY_MS);

/** Stops the other thread where it is, tells the place, and ends the process from there. */
function end(): void {
  const files = new Map<string, string>();
  setTimeout(endAtOnce, ANSWER_MS_MAX);
  try {
    const session = new Session();
    session.connectToMainThread();
    if (!isMainThread) {
      tell("");
      session.post("Runtime.evaluate", { expression: `process.reallyExit(${exitCode})` });
      return;
    }
    session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => {
      files.set(scriptId, url);
    });
    session.on("Debugger.paused", ({ params: { callFrames } }) => {
      const [top] = callFrames;
      if (top === undefined) return;
      tell(placeFrom(callFrames, files));
      const expression = `process.reallyExit(${exitCode})`;
      session.post("Debugger.evaluateOnCallFrame", { callFrameId: top.callFrameId, expression });
    });
    session.post("Debugger.enable");
    session.post("Debugger.pause");
  } catch {
    // A runtime without such a session.
    endAtOnce();
  }
}

function endAtOnce(): void {
  tell("");
  process.kill(process.pid, "SIGKILL");
}

function placeFrom(frames: readonly Debugger.CallFrame[], files: Map<string, string>): string {
  for (const { location } of frames) {
    const url = files.get(location.scriptId) ?? "";
    if (url.startsWith("file:")) return ` at ${fileURLToPath(url)}:${location.lineNumber + 1}`;
  }
  return "";
}

function tell(place: string): void {
  complain(
    `Cannot judge the code under test: it never lets go of the thread${place}; a loop has to wait for something that comes later: a message, a timer, its signal`,
  );
}
