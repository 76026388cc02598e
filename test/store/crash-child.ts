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

/** A writer in a process of its own. */
export class CrashChild {
  /** The last number that it acknowledged; one less than its first before that. */
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

  /** Waits until it acknowledged `count` writes, or ended. */
  async untilAcked(count: number): Promise<void> {
    const goal = this.acked + count;
    const reached = new Promise<void>((resolve) => {
      this.#onAck = () => {
        if (this.acked >= goal) resolve();
      };
    });
    await Promise.race([reached, this.#exit]);
  }

  /** Waits for its end, and answers the exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals> {
    return this.#exit;
  }

  /** Kills it where it stands; what it said until then has been read when this is fulfilled. */
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

/** Whole numbers below `n`, from a seed: the same moments in every run of the tests. */
export function seeded(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
