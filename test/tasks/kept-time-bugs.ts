import {
  type ClearOptions,
  type MemoryStateBackend,
  type StateBackend,
  type StateChange,
  type StoreScope,
  type SweepReport,
  type SweepRequest,
  type WriteOptions,
} from "../../src/store/mod.ts";
import { EPOCH_MS } from "../../sim/trace/epoch.ts";
import type { World } from "../../sim/kernel/world.ts";
import { backendWith, type PlantedStoreBug } from "./planted-backend.ts";

const TWO_HOURS_MS = 7_200_000;
const SCRATCH = "store/scratch-is-removed";
const BACK = "store/writers-clock-goes-back";
const DRIFT = "store/writers-clock-drifts";

/** A backend that writes another expiry than it was asked for. */
function expiryOf(
  change: (expiresAt: number | null, options: WriteOptions, world: World) => number | null,
): PlantedStoreBug["parts"] {
  return backendWith((correct, world) => ({
    set: (scope: StoreScope, key: string, value: string, options: WriteOptions) => {
      const expiresAt = change(options.expiresAt, options, world);
      return correct.set(scope, key, value, { ...options, expiresAt });
    },
  }));
}

/** A sweep that leaves the last of the expired entries alone. */
function sweepTooLittle(correct: MemoryStateBackend): Partial<StateBackend> {
  return {
    async sweepExpired(request: SweepRequest): Promise<SweepReport> {
      const { entries } = await correct.sweepExpired({ ...request, dryRun: true });
      const before = entries.at(-1)?.expiresAt ?? request.now;
      return correct.sweepExpired({ ...request, now: Math.min(before, request.now) });
    },
  };
}

/** A sweep that deletes a neighbour of what has expired. */
function sweepTooMuch(correct: MemoryStateBackend): Partial<StateBackend> {
  return {
    async sweepExpired(request: SweepRequest): Promise<SweepReport> {
      const { entries } = await correct.sweepExpired({ ...request, dryRun: true });
      for (const { scope } of request.dryRun === true ? [] : entries) {
        const { entries: rest } = await correct.list(scope, { limit: 9, offset: 0 });
        for (const { key } of rest) await correct.delete(scope, key);
      }
      return correct.sweepExpired(request);
    },
  };
}

/** It takes a write for one that was overtaken if its time is before that of the last one. */
function newestByTime(correct: MemoryStateBackend): Partial<StateBackend> {
  return {
    async set(scope: StoreScope, key: string, value: string, options: WriteOptions) {
      const before = await correct.get(scope, key);
      if ((options.updatedAt ?? Infinity) < (before?.updatedAt ?? 0)) return;
      await correct.set(scope, key, value, options);
    },
  };
}

/** It corrects expiries by how wrong writers' clocks are, which it learns anew when one jumps. */
function correctedByOffset(): PlantedStoreBug["parts"] {
  const JUMP_MS = 2_000;
  const FAR_MS = 4_000;
  const offsets = new Map<World, { corrected: number; last: number }>();
  return expiryOf((expiresAt, { updatedAt }, world) => {
    if (expiresAt === null || updatedAt === undefined || updatedAt === null) return expiresAt;
    const offset = updatedAt - EPOCH_MS - world.now;
    const known = offsets.get(world) ?? { corrected: offset, last: offset };
    if (Math.abs(offset - known.last) > JUMP_MS) known.corrected = offset;
    known.last = offset;
    offsets.set(world, known);
    const isFar = Math.abs(offset - known.corrected) > FAR_MS;
    return isFar ? expiresAt - offset + known.corrected : expiresAt;
  });
}

/** What is wrong with how long a store keeps its entries, and with what it deletes. */
export const KEPT_TIME_BUGS: readonly PlantedStoreBug[] = [
  {
    bug: "every entry expires two hours later",
    scenario: SCRATCH,
    breaks: "R-expires",
    parts: expiryOf((expiresAt) => (expiresAt === null ? null : expiresAt + TWO_HOURS_MS)),
  },
  {
    bug: "every entry expires a millisecond earlier",
    scenario: SCRATCH,
    breaks: "R-expires",
    parts: expiryOf((expiresAt) => (expiresAt === null ? null : expiresAt - 1)),
  },
  {
    bug: "what is never to expire gets an end",
    scenario: SCRATCH,
    breaks: "R-expires",
    parts: expiryOf((expiresAt, { updatedAt }) => expiresAt ?? (updatedAt ?? 0) + TWO_HOURS_MS),
  },
  {
    bug: "a delete does nothing",
    scenario: SCRATCH,
    breaks: "R-I7",
    parts: backendWith(() => ({ delete: () => Promise.resolve() })),
  },
  {
    bug: "a clear does nothing",
    scenario: "store/clear-on-success",
    breaks: "R-I10",
    parts: backendWith(() => ({ clear: () => Promise.resolve() })),
  },
  {
    bug: "a clear of all map indices takes only its own",
    scenario: SCRATCH,
    breaks: "R-I10",
    parts: backendWith((correct) => ({
      clear: (scope: StoreScope, _options?: ClearOptions) => correct.clear(scope),
    })),
  },
  {
    bug: "a sweep leaves one that has expired",
    scenario: SCRATCH,
    breaks: "R-swept",
    parts: backendWith(sweepTooLittle),
  },
  {
    bug: "a sweep takes a neighbour along",
    scenario: SCRATCH,
    breaks: "R-I9",
    parts: backendWith(sweepTooMuch),
  },
  {
    bug: "compare-and-set writes without a comparison",
    scenario: "users/manual-runs-out-of-order",
    breaks: "R-I13",
    parts: backendWith((correct) => ({
      async compareAndSet(
        scope: StoreScope,
        key: string,
        { value }: StateChange,
        options: WriteOptions,
      ): Promise<boolean> {
        await correct.set(scope, key, value, options);
        return true;
      },
    })),
  },
  {
    bug: "a write that looks older than the one before it is dropped",
    scenario: BACK,
    breaks: "R-I7",
    parts: backendWith(newestByTime),
  },
  {
    bug: "expiries are corrected by an offset of the writer's clock that was learnt earlier",
    scenario: DRIFT,
    breaks: "R-expires",
    parts: correctedByOffset(),
  },
];
