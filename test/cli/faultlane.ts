import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { checkoutRoot } from "../mutants/checkout-root.ts";

/** How a process of the command line has ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A process of the command line. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once standard error has this text, or the process has ended. */
  sees(text: string): Promise<void>;
}

/** Starts the command line in a folder. */
export function startFaultlane(cwd: string, ...args: readonly string[]): Started {
  const child = spawn(process.execPath, [join(checkoutRoot, "sim/cli/bin.ts"), ...args], { cwd });
  let [out, err] = ["", ""];
  const ended = new Promise<Ended>((resolve) => {
    child.stdout.on("data", (data: Buffer) => (out += data.toString()));
    child.stderr.on("data", (data: Buffer) => (err += data.toString()));
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
  const sees = (text: string): Promise<void> => {
    return new Promise((resolve) => {
      const look = (): void => (err.includes(text) ? resolve() : undefined);
      child.stderr.on("data", look);
      look();
      void ended.then(() => resolve());
    });
  };
  return { child, ended, sees };
}

/** Runs the command line in a folder until it ends. */
export function faultlaneIn(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return startFaultlane(cwd, ...args).ended;
}
