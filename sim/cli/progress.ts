import cliProgress from "cli-progress";
import { complain } from "./output.ts";

/** Tells how far a long run is: a bar on a terminal, plain lines elsewhere; on standard error. */
export interface Progress {
  advance(what: string): void;
  /** Says how much of the total is done, where that is not one thing after the other. */
  reach(done: number, what: string): void;
  stop(): void;
}

/** Runs shorter than this pass without a word. */
const QUIET_MS = 2_000;
const LINE_EVERY_MS = 5_000;
const BAR_EVERY_MS = 100;
const BAR_WIDTH = 30;
const CLEAR_LINE = "\r\u001B[K";

const { BarFormat, TimeFormat } = cliProgress.Format;
const BAR_LOOK = {
  barsize: BAR_WIDTH,
  barCompleteString: "\u2588".repeat(BAR_WIDTH),
  barIncompleteString: "\u2591".repeat(BAR_WIDTH),
  barGlue: "",
};

/**
 * Why so: the bar is drawn between two runs and owns no timer; one that fired inside a run would
 * find the clock of the run's world.
 */
export function createProgress(total: number, unit: string): Progress {
  const startedAt = performance.now();
  let reached = 0;
  let toldAt = startedAt;
  let isDrawn = false;
  return {
    advance(what) {
      this.reach(reached + 1, what);
    },
    reach(done, what) {
      reached = done;
      const now = performance.now();
      const isBar = process.stderr.isTTY;
      if (now - startedAt < QUIET_MS || now - toldAt < (isBar ? BAR_EVERY_MS : LINE_EVERY_MS))
        return;
      toldAt = now;
      if (!isBar) {
        complain(`${done} of ${total} ${unit} (${what})`);
        return;
      }
      isDrawn = true;
      const left = Math.round(((now - startedAt) / done / 1_000) * (total - done));
      const bar = BarFormat(done / total, BAR_LOOK);
      const time = TimeFormat(left, { autopadding: false, autopaddingChar: "" }, 1);
      const line = `${bar} ${done}/${total} ${unit}, ${time} left, ${what}`;
      process.stderr.write(
        CLEAR_LINE + line.slice(0, Math.max(20, (process.stderr.columns ?? 80) - 1)),
      );
    },
    stop() {
      if (isDrawn) process.stderr.write(CLEAR_LINE);
    },
  };
}
