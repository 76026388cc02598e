import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import type { TaskServices } from "../hosts/task-process.ts";
import { type ProgressForm, progressMemory, type ProgressScope } from "./progress-memory.ts";

/** The key of the last loaded page in its scope. */
export const PAGE_KEY = "last_page";

export interface PageLoaderOptions {
  readonly pages: number;
  /** How long it takes to load a page, in virtual milliseconds. */
  readonly pageTakesMs: number;
  readonly scope: ProgressScope;
  /** Default "number". */
  readonly form?: ProgressForm | undefined;
  /** After each page but the last it is rescheduled, so many virtual milliseconds later. */
  readonly rescheduleMs?: number | undefined;
}

/**
 * Loads a source page by page and stores the number of the last loaded page.
 *
 * Holds: the number is stored after the page is loaded, so a crash repeats one page and loses none.
 *
 * Source: Airflow 3.3, Task State Store, "Tracking progress" (F5)
 */
export class PageLoader extends BaseOperator<number> {
  readonly #services: TaskServices;
  readonly #options: PageLoaderOptions;

  constructor(services: TaskServices, options: PageLoaderOptions) {
    super();
    this.#services = services;
    this.#options = options;
  }

  override async execute(ctx: TaskContext): Promise<number> {
    const { life, assignment } = this.#services;
    const { row, attempt } = assignment;
    const { pages, pageTakesMs, scope, form, rescheduleMs } = this.#options;
    const memory = progressMemory(this.#services, scope, PAGE_KEY, form);
    const last = (await memory.get()) ?? 0;
    for (let page = last + 1; page <= pages; page += 1) {
      ctx.signal.throwIfAborted();
      if (pageTakesMs > 0) await sleep(life.clock, pageTakesMs, ctx.signal);
      await life.call("warehouse.load", "warehouse", () =>
        life.trace({ kind: "page-loaded", task: row.name, attempt, page }),
      );
      await memory.set(page);
      if (rescheduleMs !== undefined && page < pages) {
        this.reschedule(life.clock.wallNow() + rescheduleMs);
      }
    }
    return pages;
  }
}
