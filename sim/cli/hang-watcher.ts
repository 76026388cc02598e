import { type Debugger, Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { workerData } from "node:worker_threads";
import { type HangWatch, REAL_EXIT } from "./hang-watch.ts";
import { isOfKit } from "../realm/call-place.ts";
import { complain } from "./output.ts";

const CHECK_EVERY_MS = 500;
/** After this many checks without a beat the thread hangs; a resumed process beats at once. */
const CHECKS_MAX = 20;
/**
 * How long the debugger may take to report the place; then the process is ended without it. On a
 * busy machine it takes seconds, because it reports every loaded script first.
 */
const DEBUGGER_MS_MAX = 20_000;

/** How often the thread is stopped to find it in code that is not the kit's. */
const PAUSES_MAX = 100;

const { beats, isMainThread, exitCode } = workerData as HangWatch;
const count = new Int32Array(beats);
/** Run in the thread that hangs. */
const EXIT_NOW = `globalThis[Symbol.for(${JSON.stringify(REAL_EXIT)})].call(process, ${exitCode})`;
let last = -1;
let checks = 0;

const checking = setInterval(() => {
  const now = Atomics.load(count, 0);
  checks = now === last ? checks + 1 : 0;
  last = now;
  if (checks < CHECKS_MAX) return;
  clearInterval(checking);
  end();
}, CHECK_EVERY_MS);

/** Stops the other thread, reports where it is, and ends the process from there. */
function end(): void {
  const files = new Map<string, string>();
  setTimeout(endAtOnce, DEBUGGER_MS_MAX);
  try {
    const session = new Session();
    session.connectToMainThread();
    if (!isMainThread) {
      complainAbout("");
      session.post("Runtime.evaluate", { expression: EXIT_NOW });
      return;
    }
    session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => {
      files.set(scriptId, url);
    });
    let pauses = 0;
    session.on("Debugger.paused", ({ params: { callFrames } }) => {
      const [top] = callFrames;
      if (top === undefined) return;
      const place = placeFrom(callFrames, files);
      pauses += 1;
      // The kit's own code was about to run that of the user.
      if (place === "" && pauses < PAUSES_MAX) {
        session.post("Debugger.resume");
        setTimeout(() => session.post("Debugger.pause"), pauses);
        return;
      }
      complainAbout(place);
      const { callFrameId } = top;
      session.post("Debugger.evaluateOnCallFrame", { callFrameId, expression: EXIT_NOW });
    });
    session.post("Debugger.enable");
    session.post("Debugger.pause");
  } catch {
    // The runtime has no inspector session.
    endAtOnce();
  }
}

function endAtOnce(): void {
  complainAbout("");
  process.kill(process.pid, "SIGKILL");
}

function placeFrom(frames: readonly Debugger.CallFrame[], files: Map<string, string>): string {
  for (const { location } of frames) {
    const url = files.get(location.scriptId) ?? "";
    if (url.startsWith("file:") && !isOfKit(url))
      return ` at ${fileURLToPath(url)}:${location.lineNumber + 1}`;
  }
  return "";
}

function complainAbout(place: string): void {
  complain(
    `Cannot judge the code under test: it blocks the thread${place}; a loop has to await something that comes later: a message, a timer, its signal`,
  );
}
