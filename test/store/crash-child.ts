import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("crash-writer.ts", import.meta.url));

export interface WriterOrder {
  readonly kind: "sqlite" | "postgres";
  readonly address: string;
  readonly writer: string;
  readonly first: number;
  readonly count?: number;
}

/** A writer in its own process. */
export class CrashChild {
  /** The last number that it acknowledged; before the first, the number before the first. */
  acked: number;
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | NodeJS.Signals>;
  #rest = "";
  #errors = "";
  #onAck: () => void = () => undefined;

  constructor({ kind, address, writer, first, count }: WriterOrder) {
    this.acked = first - 1;
    const args = [SCRIPT, kind, address, writer, String(first), String(count ?? Infinity)];
    this.#child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    this.#exit = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => resolve(signal ?? code ?? -1));
    });
  }

  get errors(): string {
    return this.#errors;
  }

  /** Waits until it has acknowledged `count` writes or ended. */
  async untilAcked(count: number): Promise<void> {
    const goal = this.acked + count;
    const reached = new Promise<void>((resolve) => {
      this.#onAck = () => {
        if (this.acked >= goal) resolve();
      };
    });
    await Promise.race([reached, this.#exit]);
  }

  /** Waits until it ends, and returns the exit code or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals> {
    return this.#exit;
  }

  /** Kills it and resolves once all of its output has been read. */
  async kill(): Promise<number | NodeJS.Signals> {
    this.#child.kill("SIGKILL");
    return this.#exit;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.acked = Number(line);
    this.#onAck();
  }
}

/** Returns a source of integers below `n`: the same for the same seed. */
export function seeded(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
