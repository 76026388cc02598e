import type { StateBackend } from "../../../src/store/mod.ts";
import { StoreHistory } from "../../hosts/store-history.ts";
import type { TaskDatabase } from "../../hosts/task-database.ts";
import { type Stores, TracedStore } from "../../hosts/traced-store.ts";
import type { World } from "../../kernel/world.ts";
import type { FailOver, ReplicaLag, TaskScenario } from "./task-scenario.ts";

interface TroubleParts {
  readonly create: () => StateBackend;
  /** Adds what readers see of a backend. */
  readonly withValues: (backend: StateBackend) => Stores;
  readonly scenario: Pick<TaskScenario, "faults">;
}

type Crash = (restartAfterMs: number) => void;

/** The state store in the metadata database, and what befalls its replica. */
export class DatabaseTrouble {
  readonly store: TracedStore;
  readonly #world: World;
  readonly #host: string;
  /** What was committed; undefined where no fault asks for it. */
  readonly #history: StoreHistory | undefined;

  constructor(world: World, host: string, { create, withValues, scenario }: TroubleParts) {
    this.#world = world;
    this.#host = host;
    if (scenario.faults.some((fault) => "lag" in fault || "failOver" in fault)) {
      const history = new StoreHistory(world, create);
      const replica = async (): Promise<Stores | undefined> => {
        const backend = await history.replica();
        return backend === undefined ? undefined : withValues(backend);
      };
      this.#history = history;
      this.store = new TracedStore(world, host, { ...withValues(history.backend), replica });
    } else {
      this.store = new TracedStore(world, host, withValues(create()));
    }
  }

  /** The replica that attempts read from begins to lag. */
  lag({ by, for: ms }: ReplicaLag): boolean {
    this.#history?.lag(by, ms);
    this.#world.injector.count("replica lags");
    this.#emitLag(by, ms);
    return true;
  }

  /** A replica takes over, which has only what was committed before; `crash` is of its host. */
  failOver({ losing, downFor }: FailOver, database: TaskDatabase, crash: Crash): boolean {
    const since = this.#world.now - losing;
    this.#world.injector.count("fail-over");
    crash(downFor);
    void this.#history?.failOver(since);
    this.#world.trace.emit(this.#host, { kind: "commits-lost", since });
    database.goBack(since);
    return true;
  }

  /** The replica has caught up, and lags no more. */
  end(): void {
    if (this.#history?.catchUp() === true) this.#emitLag(0, 0);
  }

  #emitLag(by: number, ms: number): void {
    const until = this.#world.now + ms;
    this.#world.trace.emit(this.#host, { kind: "reads-lag", by, until });
  }
}
