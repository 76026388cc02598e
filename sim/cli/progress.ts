import { complain } from "./output.ts";

/** Shows progress on standard error: a bar on a terminal, plain lines elsewhere. */
export interface Progress {
  advance(what: string): void;
  /** Sets how much of the total is done, where work is not done one by one. */
  reach(done: number, what: string): void;
  /** Prints a line that stays, above the bar. */
  note(line: string): void;
  stop(): void;
}

/** Runs shorter than this show nothing. */
const QUIET_MS = 2_000;
const LINE_EVERY_MS = 5_000;
const BAR_EVERY_MS = 100;
const BAR_WIDTH = 30;
const CLEAR_LINE = "\r\u001B[K";

/**
 * Creates the progress of a command; the bar is drawn between two runs.
 *
 * Why no package: a bar with a timer of its own would fire inside a run and see the virtual clock.
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
      const line = `${barText(done / total)} ${done}/${total} ${unit}, ${durationText(left)} left, ${what}`;
      process.stderr.write(
        CLEAR_LINE + line.slice(0, Math.max(20, (process.stderr.columns ?? 80) - 1)),
      );
    },
    note(line) {
      if (isDrawn) process.stderr.write(CLEAR_LINE);
      complain(line);
    },
    stop() {
      if (isDrawn) process.stderr.write(CLEAR_LINE);
    },
  };
}

function barText(part: number): string {
  return "\u2588"
    .repeat(Math.min(BAR_WIDTH, Math.round(part * BAR_WIDTH)))
    .padEnd(BAR_WIDTH, "\u2591");
}

/** "42 s", "3 min 5 s". */
function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
