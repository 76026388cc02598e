import { type Debugger, Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { workerData } from "node:worker_threads";
import { type HangWatch, REAL_EXIT } from "./hang-watch.ts";
import { isOfKit } from "../realm/call-place.ts";
import { BlockedTime, CHECK_EVERY_MS } from "./blocked-time.ts";
import { exitAtOnce } from "./exit-at-once.ts";
import { complain } from "./output.ts";
import { threadTimesIn } from "./thread-times.ts";

/** After so much blocked time a thread hangs. */
const BLOCKED_MS_MAX = 10_000;
/**
 * How much more the debugger may take to report the place; then the process is ended without it. It
 * takes seconds, because it reports every loaded script first.
 */
const DEBUGGER_MS_MAX = 20_000;
/** How often the thread is stopped to find it in code that is not the kit's. */
const PAUSES_MAX = 100;
/** How often in a row the kit's own work may block the thread for that long. */
const OWN_WORK_MAX = 6;

const { beats, isMainThread, threadTimes, code, exitCode } = workerData as HangWatch;
const count = new Int32Array(beats);
/** Run in the thread that hangs. */
const EXIT_NOW = `globalThis[Symbol.for(${JSON.stringify(REAL_EXIT)})].call(process, ${exitCode})`;
const blocked = new BlockedTime();
/** Asks the thread where it is, as long as it seems to hang. */
let session: Session | undefined;
let timesInOwnWork = 0;
let isEnding = false;

setInterval(() => {
  const { user, system } = process.cpuUsage();
  const ms = blocked.add({
    beats: Atomics.load(count, 0),
    times: threadTimes === undefined ? undefined : threadTimesIn(threadTimes),
    processCpuMs: (user + system) / 1_000,
  });
  if (ms === 0) goOn();
  else if (ms >= BLOCKED_MS_MAX + DEBUGGER_MS_MAX) endAtOnce();
  else if (ms >= BLOCKED_MS_MAX && session === undefined) ask();
}, CHECK_EVERY_MS);

/** The thread does not hang: it has worked, and now goes on. */
function goOn(): void {
  timesInOwnWork = 0;
  leaveAlone();
}

function leaveAlone(): void {
  session?.disconnect();
  session = undefined;
}

/** Stops the other thread, reports where it is, and ends the process from there. */
function ask(): void {
  try {
    const asking = new Session();
    session = asking;
    asking.connectToMainThread();
    if (!isMainThread) {
      complainAbout("");
      asking.post("Runtime.evaluate", { expression: EXIT_NOW });
      return;
    }
    const files = new Map<string, string>();
    asking.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => {
      files.set(scriptId, url);
    });
    let pauses = 0;
    asking.on("Debugger.paused", ({ params: { callFrames } }) => {
      const [top] = callFrames;
      if (top === undefined || session !== asking) return;
      const place = placeFrom(callFrames, files);
      pauses += 1;
      // The kit's own code was about to run that of the user.
      if (place === "" && pauses < PAUSES_MAX) {
        asking.post("Debugger.resume");
        setTimeout(() => session === asking && asking.post("Debugger.pause"), pauses);
        return;
      }
      timesInOwnWork += 1;
      if (place === "" && timesInOwnWork < OWN_WORK_MAX) {
        asking.post("Debugger.resume");
        blocked.reset();
        leaveAlone();
        return;
      }
      complainAbout(place);
      const { callFrameId } = top;
      asking.post("Debugger.evaluateOnCallFrame", { callFrameId, expression: EXIT_NOW });
    });
    asking.post("Debugger.enable");
    asking.post("Debugger.pause");
  } catch {
    // The runtime has no inspector session.
    endAtOnce();
  }
}

function endAtOnce(): void {
  if (isEnding) return;
  isEnding = true;
  complainAbout("");
  void exitAtOnce(exitCode);
}

function placeFrom(frames: readonly Debugger.CallFrame[], files: Map<string, string>): string {
  for (const { location } of frames) {
    const url = files.get(location.scriptId) ?? "";
    if (url.startsWith("file:") && !isOfKit(url))
      return ` at ${fileURLToPath(url)}:${location.lineNumber + 1}`;
  }
  return "";
}

/** @param place - empty where nobody could say it; then the code is named */
function complainAbout(place: string): void {
  const named = place === "" ? ` in "${code}"` : place;
  complain(
    `Cannot judge the code under test: it blocks the thread${named}, for more than ${BLOCKED_MS_MAX / 1_000} s; a loop has to await something that comes later: a message, a timer, its signal`,
  );
}
