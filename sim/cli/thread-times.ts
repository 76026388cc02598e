import { readFileSync, readlinkSync } from "node:fs";

/** Linux counts processor time in hundredths of a second, whatever the kernel's own clock is. */
const MS_PER_TICK = 10;
/** Where the fields stand behind the thread's name, which may have spaces and parentheses. */
const STATE = 0;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** What the system says of a thread. */
export interface ThreadTimes {
  /** The processor time that it has taken, in milliseconds. */
  readonly cpuMs: number;
  /** Whether it waits for something, not for a processor or the disk. */
  readonly isWaiting: boolean;
}

/** Returns the file with the times of the calling thread; undefined where the system has none. */
export function fileOfThreadTimes(): string | undefined {
  try {
    const file = `/proc/${readlinkSync("/proc/thread-self")}/stat`;
    return threadTimesFrom(readFileSync(file, "utf8")) && file;
  } catch {
    return undefined;
  }
}

/** Reads the times of a thread from its file, from any thread of the process. */
export function threadTimesIn(file: string): ThreadTimes | undefined {
  try {
    return threadTimesFrom(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Reads one line of the form "12 (name) S 1 …", whose fields `proc_pid_stat(5)` describes. */
export function threadTimesFrom(line: string): ThreadTimes | undefined {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
  if (!Number.isFinite(ticks)) return undefined;
  return { cpuMs: ticks * MS_PER_TICK, isWaiting: fields[STATE] === "S" };
}
