import { gateConsole } from "./console-gates.ts";
import { gateFunction } from "./gate.ts";
import { type Callback, currentExitGuard, runOutside } from "./realm.ts";

/** Contains what the code does to its process: what it prints, how it ends, what it never catches. */
export function gateProcess(): void {
  const { process, Deno } = globalThis as unknown as {
    readonly process?: Record<string, unknown>;
    readonly Deno?: object;
  };
  for (const name of ["exit", "reallyExit", "abort"]) gateExit(process, "process", name);
  gateExit(Deno, "Deno", "exit");
  gateKill(process);
  // The runtime warns once in a process: it belongs to no run.
  gateFunction(process, "emitWarning", (_, args, real) => runOutside(() => real(...args)));
  for (const name of ["getReport", "writeReport"]) {
    gateFunction(process?.["report"] as object | undefined, name, (realm) => {
      throw realm.refuse(`process.report.${name}`);
    });
  }
  gateFunction(process, "nextTick", (realm, [fn, ...args], real) =>
    real(typeof fn === "function" ? realm.guarded(fn as Callback) : fn, ...args),
  );
  gateFunction(globalThis, "queueMicrotask", (realm, [fn], real) =>
    real(typeof fn === "function" ? realm.guarded(fn as Callback) : fn),
  );
  for (const stream of ["stdout", "stderr"] as const) {
    gateFunction(process?.[stream] as object | undefined, "write", (realm, args) => {
      realm.print(stream, textOf(args[0]));
      const done = args.at(-1);
      if (typeof done === "function") realm.setTimer(done as Callback, 0, []);
      return true;
    });
    gateEnd(process?.[stream] as object | undefined, stream);
  }
  gateConsole();
}

/** The streams of the process are not the code's to end: what it writes last is printed. */
function gateEnd(holder: object | undefined, stream: "stdout" | "stderr"): void {
  gateFunction(holder, "end", (realm, args, _real, self) => {
    const [chunk] = args;
    if (typeof chunk === "string" || ArrayBuffer.isView(chunk)) realm.print(stream, textOf(chunk));
    const done = args.at(-1);
    if (typeof done === "function") realm.setTimer(done as Callback, 0, []);
    return self;
  });
  gateFunction(holder, "destroy", (_realm, _args, _real, self) => self);
}

/** A signal to oneself ends the process, signal 0 asks whether it lives; others are not there. */
function gateKill(process: Record<string, unknown> | undefined): void {
  gateFunction(process, "kill", (realm, args) => {
    const [pid, signal] = args;
    if (pid !== process?.["pid"]) throw realm.refuse("process.kill");
    if (signal === 0) return true;
    throw realm.exit(callWords("process", "kill", args));
  });
}

function gateExit(holder: object | undefined, title: string, name: string): void {
  const callOf = (args: readonly unknown[]): string => callWords(title, name, args);
  gateFunction(
    holder,
    name,
    (realm, args) => {
      throw realm.exit(callOf(args));
    },
    (args, real) => {
      const guard = currentExitGuard();
      if (guard !== undefined) throw guard(callOf(args));
      return real(...args);
    },
  );
}

function callWords(title: string, name: string, args: readonly unknown[]): string {
  const shown = args.filter((one) => one !== undefined).map((one) => JSON.stringify(one));
  return `${title}.${name}(${shown.join(", ")})`;
}

function textOf(chunk: unknown): string {
  return typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk as Uint8Array);
}
