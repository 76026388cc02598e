import * as fc from "fast-check";
import { describeScope, type StateBackend, type StoreScope } from "../../src/store/mod.ts";
import { groupOf, placeOf, projected, type Real, type StateModel } from "./state-backend-model.ts";
import { same, TASK, taskInstance } from "./state-backend-subject.ts";

type StateCommand = fc.AsyncCommand<StateModel, Real>;

/** Few scopes and few keys, so that commands meet; each differs from another in one part only. */
const SCOPES: readonly StoreScope[] = [
  TASK,
  taskInstance({ mapIndex: 0 }),
  taskInstance({ mapIndex: 1 }),
  taskInstance({ runId: "r2" }),
  { kind: "task", dagId: "etl", taskId: "load" },
  { kind: "asset", name: "orders" },
];
const KEYS = ["a", "b", "A", "a/b"] as const;
const VALUES = ["1", '"x"', '{"n":null}'] as const;

const scope = fc.constantFrom(...SCOPES);
const key = fc.constantFrom(...KEYS);
const value = fc.constantFrom(...VALUES);
const client = fc.constantFrom(0, 1);
/** How long from now an entry lives: gone already, gone at once, soon, later, never. */
const life = fc.constantFrom(null, 1, 2, 0, -1);

/** One step: what it does to the store, what it does to the model, and how it is told. */
interface Step {
  readonly by: number;
  readonly words: string;
  run(backend: StateBackend, model: StateModel): Promise<void>;
}

function command(step: Step): StateCommand {
  return {
    check: () => true,
    run: async (model, real) => {
      const backend = real.clients[step.by % real.clients.length];
      if (backend !== undefined) await step.run(backend, model);
    },
    toString: () => `client ${step.by + 1} ${step.words}`,
  };
}

const get = fc.tuple(client, scope, key).map(([by, scope, key]) =>
  command({
    by,
    words: `gets "${key}" of ${describeScope(scope)}`,
    run: async (backend, model) => {
      same("the entry", projected(await backend.get(scope, key)), projected(model.get(scope, key)));
    },
  }),
);

const set = fc.tuple(client, scope, key, value, life).map(([by, scope, key, value, life]) =>
  command({
    by,
    words: `sets "${key}" of ${describeScope(scope)} to ${value}, ${inLife(life)}`,
    run: async (backend, model) => {
      const expiresAt = life === null ? null : model.now + life;
      await backend.set(scope, key, value, { expiresAt });
      model.set({ scope, key, value, expiresAt });
    },
  }),
);

const setMany = fc
  .tuple(client, scope, fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 4 }), life)
  .map(([by, scope, entries, life]) =>
    command({
      by,
      words: `sets ${entries.map(([key]) => `"${key}"`).join(", ")} of ${describeScope(scope)} at once, ${inLife(life)}`,
      run: async (backend, model) => {
        if (backend.setMany === undefined) return;
        const expiresAt = life === null ? null : model.now + life;
        await backend.setMany(scope, entries, { expiresAt });
        for (const [key, value] of entries) model.set({ scope, key, value, expiresAt });
      },
    }),
  );

const update = fc.tuple(client, scope, key, value).map(([by, scope, key, value]) =>
  command({
    by,
    words: `updates "${key}" of ${describeScope(scope)} to ${value}`,
    run: async (backend, model) => {
      if (backend.update === undefined) return;
      const before = model.get(scope, key);
      same(
        "whether it is there",
        await backend.update(scope, key, value, {}),
        before !== undefined,
      );
      if (before !== undefined) model.set({ ...before, value });
    },
  }),
);

const remove = fc.tuple(client, scope, key).map(([by, scope, key]) =>
  command({
    by,
    words: `deletes "${key}" of ${describeScope(scope)}`,
    run: async (backend, model) => {
      await backend.delete(scope, key);
      model.delete(scope, key);
    },
  }),
);

const clear = fc.tuple(client, scope, fc.boolean()).map(([by, scope, allMapIndices]) =>
  command({
    by,
    words: `clears ${describeScope(scope)}${allMapIndices ? " over all map indices" : ""}`,
    run: async (backend, model) => {
      await backend.clear(scope, allMapIndices ? { allMapIndices } : {});
      const nameOf = allMapIndices ? groupOf : placeOf;
      model.remove((entry) => nameOf(entry.scope) === nameOf(scope));
    },
  }),
);

const list = fc
  .tuple(client, scope, fc.nat(3), fc.nat(2), fc.boolean())
  .map(([by, scope, limit, offset, onlyVisible]) =>
    command({
      by,
      words: `lists ${limit} keys of ${describeScope(scope)} from ${offset} on${onlyVisible ? ", visible ones" : ""}`,
      run: async (backend, model) => {
        const now = onlyVisible ? { now: model.now } : {};
        const page = await backend.list(scope, { limit, offset, ...now });
        const expected = model.list(scope, onlyVisible ? model.now : -Infinity);
        same(
          "the page",
          page.entries.map(projected),
          expected.slice(offset, offset + limit).map(projected),
        );
        same("the total", page.total, expected.length);
      },
    }),
  );

const sweep = fc
  .tuple(client, fc.constantFrom(0, 1, 2, 100), fc.boolean())
  .map(([by, batchSize, dryRun]) =>
    command({
      by,
      words: `sweeps${dryRun ? " for show" : ""} in batches of ${batchSize}`,
      run: async (backend, model) => {
        const { now } = model;
        const report = await backend.sweepExpired({ now, batchSize, dryRun });
        let expected = 0;
        model.remove((entry) => {
          if (entry.expiresAt === null || entry.expiresAt >= now) return false;
          expected += 1;
          return !dryRun;
        });
        same("how many were expired", report.expired, expected);
      },
    }),
  );

const advance = fc.integer({ min: 1, max: 3 }).map((ms) =>
  command({
    by: 0,
    words: `lets ${ms} ms pass`,
    run: async (_backend, model) => {
      model.now += ms;
    },
  }),
);

function inLife(life: number | null): string {
  if (life === null) return "to live for ever";
  return life < 0 ? `expired ${-life} ms ago` : `to expire in ${life} ms`;
}

/** The longest run of commands that is tried. */
const COMMANDS_MAX = 30;

export const commandRuns: fc.Arbitrary<Iterable<StateCommand>> = fc.commands(
  [set, set, get, setMany, update, remove, clear, list, sweep, advance],
  { maxCommands: COMMANDS_MAX, size: "+1" },
);
