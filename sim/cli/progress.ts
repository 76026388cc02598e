import { Presets, SingleBar } from "cli-progress";
import { complain } from "./output.ts";

/** Tells how far a long run is: a bar on a terminal, plain lines elsewhere; on standard error. */
export interface Progress {
  advance(what: string): void;
  stop(): void;
}

/** Runs shorter than this pass without a word. */
const QUIET_MS = 2_000;
const LINE_EVERY_MS = 5_000;

export function createProgress(total: number, unit: string): Progress {
  const startedAt = performance.now();
  let done = 0;
  let toldAt = startedAt;
  let bar: SingleBar | undefined;
  return {
    advance(what) {
      done += 1;
      const now = performance.now();
      if (now - startedAt < QUIET_MS) return;
      if (process.stderr.isTTY) {
        bar ??= startBar(total, unit);
        bar.update(done, { what });
      } else if (now - toldAt >= LINE_EVERY_MS) {
        toldAt = now;
        complain(`${done} of ${total} ${unit} (${what})`);
      }
    },
    stop() {
      bar?.stop();
    },
  };
}

function startBar(total: number, unit: string): SingleBar {
  const format = `{bar} {value}/{total} ${unit}, {eta_formatted} left, {what}`;
  const bar = new SingleBar(
    { format, clearOnComplete: true, hideCursor: true, stream: process.stderr },
    Presets.shades_classic,
  );
  bar.start(total, 0, { what: "" });
  return bar;
}
