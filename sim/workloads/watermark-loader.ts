import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import type { TaskServices } from "../hosts/task-process.ts";
import { type ProgressForm, progressMemory, type ProgressScope } from "./progress-memory.ts";
import type { RowSource } from "./row-source.ts";

/** The key of a watermark in its scope. */
export const WATERMARK_KEY = "watermark";

export interface WatermarkLoaderOptions {
  readonly source: RowSource;
  readonly process: string;
  readonly scope: ProgressScope;
  readonly form?: ProgressForm | undefined;
  /** How the mark is written: as it is, or unless a higher one is there. */
  readonly writes: "set" | "raise";
  /** How long the interval is that a run by hand loads, in virtual milliseconds. */
  readonly intervalMs: number;
}

/**
 * Loads the rows that are new since the last run: (low, high], where `high` is read at the start. A
 * run that a user has triggered by hand loads those of the interval that ends at its logical date.
 *
 * Holds: the watermark is stored after the rows are committed, so a crash repeats one range and
 * loses none.
 *
 * Source: AIP-30, "Incremental processes" (D11, D18, F7)
 */
export class WatermarkLoader extends BaseOperator<number> {
  readonly #services: TaskServices;
  readonly #options: WatermarkLoaderOptions;

  constructor(services: TaskServices, options: WatermarkLoaderOptions) {
    super();
    this.#services = services;
    this.#options = options;
  }

  override async execute(ctx: TaskContext): Promise<number> {
    const { life, assignment } = this.#services;
    const { attempt, row } = assignment;
    const { source, process, scope, form, writes, intervalMs } = this.#options;
    const memory = progressMemory(this.#services, scope, WATERMARK_KEY, form);
    const low = (await memory.get()) ?? 0;
    const { logicalAt } = row;
    const high = await life.call("warehouse.query", "source", () =>
      logicalAt === undefined ? source.max : source.maxAt(logicalAt),
    );
    const begun = logicalAt === undefined ? low : source.maxAt(logicalAt - intervalMs);
    const from = Math.min(low, begun) + 1;
    if (high < from) return low;
    ctx.signal.throwIfAborted();
    await life.call("warehouse.load", "warehouse", () =>
      life.trace({ kind: "rows-loaded", process, attempt, from, to: high }),
    );
    await memory[writes](high);
    return high;
  }
}
