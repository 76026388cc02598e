import cliProgress from "cli-progress";
import { complain } from "./output.ts";

/** Shows progress on standard error: a bar on a terminal, plain lines elsewhere. */
export interface Progress {
  advance(what: string): void;
  /** Sets how much of the total is done, where work is not done one by one. */
  reach(done: number, what: string): void;
  stop(): void;
}

/** Runs shorter than this show nothing. */
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
 * Why so: the bar is drawn between two runs and has no timer of its own, which would fire inside a
 * run and see the virtual clock.
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
