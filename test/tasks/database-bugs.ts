import { BaseOperator, type TaskContext } from "../../src/operator/mod.ts";
import { sleep } from "../../src/time/mod.ts";
import type { TaskServices } from "../../sim/hosts/task-process.ts";
import type { TaskWorldParts } from "../../sim/worlds/tasks/task-parts.ts";

/** Loads one page, which takes two virtual seconds. */
async function load(services: TaskServices, page: number): Promise<void> {
  const { life, assignment } = services;
  const { row, attempt } = assignment;
  await sleep(life.clock, 2_000);
  await life.call("warehouse.load", "warehouse", () =>
    life.trace({ kind: "page-loaded", task: row.name, attempt, page }),
  );
}

/** E79: it asks the store before each page which one is next, though it knows. */
class AskingLoader extends BaseOperator<number> {
  readonly #services: TaskServices;
  readonly #pages: number;

  constructor(services: TaskServices, pages: number) {
    super();
    this.#services = services;
    this.#pages = pages;
  }

  override async execute({ taskStateStore: store }: TaskContext): Promise<number> {
    for (;;) {
      const last = Number((await store?.get("last_page")) ?? 0);
      if (last >= this.#pages) return this.#pages;
      await load(this.#services, last + 1);
      await store?.set("last_page", last + 1);
    }
  }
}

/** Its loads are repeated while a replica lags. */
export const ASKING_LOADER: TaskWorldParts = {
  createOperator: (spec, services) =>
    spec.operator === "pages" ? new AskingLoader(services, spec.pages) : undefined,
};

/** E80: it takes progress that is behind the pages in its target for corruption, for ever. */
class SuspiciousLoader extends BaseOperator<number> {
  readonly #services: TaskServices;
  readonly #pages: number;
  /** The last page in the target, which outlives every attempt. */
  readonly #target: Map<string, number>;

  constructor(services: TaskServices, pages: number, target: Map<string, number>) {
    super();
    this.#services = services;
    this.#pages = pages;
    this.#target = target;
  }

  override async execute({ taskStateStore: store }: TaskContext): Promise<number> {
    const { name } = this.#services.assignment.row;
    const last = Number((await store?.get("last_page")) ?? 0);
    // A crash between a load and the write of its progress leaves the target one page ahead.
    if ((this.#target.get(name) ?? 0) > last + 1)
      throw new Error("The store has lost its progress");
    for (let page = last + 1; page <= this.#pages; page += 1) {
      await load(this.#services, page);
      this.#target.set(name, page);
      await store?.set("last_page", page);
    }
    return this.#pages;
  }
}

/** Its tasks fail for good once a fail-over has lost two acknowledged writes; make it anew each run. */
export function suspiciousLoader(): TaskWorldParts {
  const target = new Map<string, number>();
  return {
    createOperator: (spec, services) =>
      spec.operator === "pages" ? new SuspiciousLoader(services, spec.pages, target) : undefined,
  };
}
