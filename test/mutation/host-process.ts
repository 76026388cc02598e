import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { checkoutRoot } from "../mutants/checkout-root.ts";
import type { RecordReply, RecordTask, Reply, RunReply, RunTask, Task } from "./host.ts";

/** After so many runs a host is replaced by a fresh one: a vitest that lives long grows. */
const RUNS_MAX = 150;

/** A process with a warm vitest, started when it is needed. */
export class HostProcess implements Disposable {
  #child: ChildProcess | undefined;
  #runs = 0;

  async record(task: RecordTask): Promise<RecordReply> {
    return (await this.#perform(task)) as RecordReply;
  }

  async run(task: RunTask): Promise<RunReply> {
    this.#runs += 1;
    if (this.#runs % RUNS_MAX === 0) this[Symbol.dispose]();
    return (await this.#perform(task)) as RunReply;
  }

  [Symbol.dispose](): void {
    this.#child?.disconnect();
    this.#child = undefined;
  }

  #perform(task: Task): Promise<Reply> {
    this.#child ??= fork(fileURLToPath(new URL("host.ts", import.meta.url)), [], {
      cwd: checkoutRoot,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null): void => {
        this.#child = undefined;
        reject(new Error(`Cannot run "${task.kind}": the host ended with code ${code}`));
      };
      child.once("exit", onExit);
      child.once("message", (reply: Reply) => {
        child.off("exit", onExit);
        resolve(reply);
      });
      child.send(task);
    });
  }
}
