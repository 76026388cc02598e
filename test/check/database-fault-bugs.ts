import type { CheckedJob } from "../../sim/worlds/operator/operator-under-test.ts";
import type { TaskContext } from "../../src/operator/mod.ts";
import { type ResumableExecution, resumeOrSubmit } from "../../src/resumable/mod.ts";
import { StoreUnavailable } from "../../src/store/mod.ts";
import type { PlantedJobBug } from "./resumable-job-bugs.ts";

type Store = NonNullable<TaskContext["taskStateStore"]>;
interface Resumable {
  executeResumable(ctx: TaskContext): Promise<unknown>;
}
type StoreCall = (key: string, ...rest: readonly unknown[]) => Promise<unknown>;

/** What the database said when a call of the store failed: an SQLSTATE, or the error's own name. */
function troubleOf(error: unknown): string {
  const cause = error instanceof StoreUnavailable ? error.cause : undefined;
  if (!(cause instanceof Error)) return "";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

/** An operator whose mixin gets a store with other methods than that of its context. */
function withStore(
  wrap: (store: Store, ctx: TaskContext) => Partial<Record<"get" | "set", StoreCall>>,
): Partial<CheckedJob> {
  const resumable = {
    // As the mixin has it.
    executeResumable(this: CheckedJob & ResumableExecution, ctx: TaskContext): Promise<unknown> {
      const { telemetry } = this;
      return resumeOrSubmit(this, ctx, telemetry === undefined ? {} : { telemetry });
    },
    execute(this: Resumable, ctx: TaskContext): Promise<unknown> {
      const { taskStateStore: store } = ctx;
      if (store === undefined) throw new TypeError("There is no store in this context");
      const wrong = wrap(store, ctx);
      const taskStateStore = new Proxy(store, {
        get: (target, name) =>
          (Reflect.get(wrong, name) as StoreCall | undefined) ??
          (Reflect.get(target, name) as CallableFunction | undefined)?.bind(target),
      });
      return this.executeResumable({ ...ctx, taskStateStore });
    },
  };
  return resumable;
}

/** Writes that count as done where they failed with `code`. */
function believing(store: Store, code: string): { readonly set: StoreCall } {
  return {
    async set(key, value) {
      try {
        await store.set(key, value as string);
      } catch (error) {
        if (troubleOf(error) !== code) throw error;
      }
    },
  };
}

/** Bugs that show only when the database is in trouble; each with the fault that shows it. */
export const DATABASE_FAULT_BUGS: readonly (PlantedJobBug & { readonly by: string })[] = [
  {
    name: "E75 a write that waited in vain for a lock counts as written by whoever has the lock",
    by: "lock-timeout",
    system: "aws-batch",
    promises: ["R-I2"],
    break: () => withStore((store) => believing(store, "55P03")),
  },
  {
    name: "E76 the victim of a deadlock takes its write for done",
    by: "deadlock",
    system: "aws-batch",
    promises: ["R-I1", "R-I2"],
    break: () => withStore((store) => believing(store, "40P01")),
  },
  {
    name: "E77 where no connection is to be had, the store counts as empty",
    by: "pool-exhausted",
    system: "aws-batch",
    promises: ["R-I1", "R-I3", "R-I4", "R-I5"],
    break: () =>
      withStore((store) => ({
        async get(key) {
          try {
            return await store.get(key);
          } catch (error) {
            if (troubleOf(error) !== "PoolTimeout") throw error;
            return null;
          }
        },
      })),
  },
  {
    name: "E78 a write that timed out is read back, and a job submitted anew if it is not there yet",
    by: "delay-commit",
    system: "aws-batch",
    promises: ["R-I6"],
    break: ({ right }) =>
      withStore((store, ctx) => ({
        async set(key, value) {
          try {
            await store.set(key, value as string);
          } catch (error) {
            if (troubleOf(error) !== "ETIMEDOUT") throw error;
            if ((await store.get(key)) !== null) return;
            await store.set(key, String(await right.submitJob(ctx)));
          }
        },
      })),
  },
];
