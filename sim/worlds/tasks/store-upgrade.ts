import type { StateBackend } from "../../../src/store/mod.ts";
import { type SchemaPlan, type StoreRelease, UpgradedStore } from "../../hosts/upgraded-store.ts";
import type { World } from "../../kernel/world.ts";
import type { TaskOperation, TaskScenario } from "./task-scenario.ts";

/** How often it is checked whether a worker of the old release is left. */
const CHECK_MS = 1_000;

/** A rolling upgrade to a release that stores values under another column. */
export type Migrate = Extract<TaskOperation, { readonly migrate: unknown }>;

interface UpgradeParts {
  readonly host: string;
  readonly create: () => StateBackend;
  readonly plan: SchemaPlan | undefined;
}

/** What a rolling upgrade reaches. */
export interface UpgradeTargets {
  readonly workers: readonly string[];
  /** Replaces a worker; returns at once. */
  replace(worker: string): void;
  /** Whether workers may be replaced still. */
  mayReplace(): boolean;
}

/**
 * The rolling upgrade of a world's state store: a migration, one worker after the other with the
 * new release, and another migration when none of the old release is left.
 */
export class StoreUpgrade {
  readonly store: UpgradedStore;
  readonly #world: World;
  readonly #host: string;
  /** The release that each worker runs, and the workers that start with the new one next. */
  readonly #releases = new Map<string, StoreRelease>();
  readonly #deployed = new Set<string>();

  private constructor(world: World, { host, create, plan }: UpgradeParts) {
    this.#world = world;
    this.#host = host;
    this.store = new UpgradedStore(create(), plan);
  }

  /** Returns the upgrade of a scenario; undefined where it has none. */
  static of(
    world: World,
    { operations }: TaskScenario,
    parts: UpgradeParts,
  ): StoreUpgrade | undefined {
    return operations.some((one) => "migrate" in one) ? new StoreUpgrade(world, parts) : undefined;
  }

  /** A worker starts, with the newest release that is deployed to it. */
  started(worker: string): void {
    this.#releases.set(worker, this.#deployed.has(worker) ? "new" : "old");
  }

  /** An attempt begins on a worker, with its release. */
  began(worker: string, attempt: number): void {
    this.store.begin(attempt, this.#releases.get(worker) ?? "old");
  }

  async migrate({ every }: Migrate, targets: UpgradeTargets): Promise<void> {
    await this.#step("first");
    for (const [nth, worker] of targets.workers.entries()) {
      this.#world.schedule(nth * every, { lane: "operations" }, () => {
        if (!targets.mayReplace()) return;
        this.#deployed.add(worker);
        targets.replace(worker);
      });
    }
    const check = (): void => {
      const isOld = targets.workers.some((worker) => this.#releases.get(worker) !== "new");
      if (!isOld) this.#step("last").catch((error: unknown) => this.#world.fail(error));
      else if (targets.mayReplace()) this.#world.schedule(CHECK_MS, { lane: "operations" }, check);
    };
    this.#world.schedule(CHECK_MS, { lane: "operations" }, check);
  }

  async #step(step: "first" | "last"): Promise<void> {
    await this.store.migrate(step);
    const columns = this.store.columns.join(", ");
    this.#world.trace.emit(this.#host, { kind: "schema-changed", columns });
  }
}
