import { describeScope, type StateBackend, type StoreScope } from "../../../src/store/mod.ts";
import { groupOf, placeOf, projected, type StateModel } from "./state-backend-model.ts";
import { same, TASK, taskInstance } from "./state-backend-subject.ts";

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
/** The last one is not as an encoder would write it: the text itself is what is kept. */
const VALUES = ["1", '"x"', '{"n":null}', "[1.0, 2]"] as const;
/** How long from now an entry lives: for ever, soon, later, gone at once, gone already. */
const LIVES = [null, 1, 2, 0, -1] as const;
const BATCH_SIZES = [100, 0, 1, 2] as const;

/** How many possibilities there are of each part of a command. */
export const COMMAND_PARTS: Readonly<Record<CommandPart, number>> = {
  client: 2,
  scope: SCOPES.length,
  key: KEYS.length,
  value: VALUES.length,
  life: LIVES.length,
  batchSize: BATCH_SIZES.length,
};

export type CommandPart = "client" | "scope" | "key" | "value" | "life" | "batchSize";

/**
 * One step, as plain data: each number is one of the possibilities above, 0 the plainest, so that
 * it is shrunk as any choice is.
 */
export type StateCommand = { readonly client?: number } & (
  | { readonly kind: "get" | "delete"; readonly scope: number; readonly key: number }
  | {
      readonly kind: "set";
      readonly scope: number;
      readonly key: number;
      readonly value: number;
      readonly life: number;
    }
  | {
      readonly kind: "set-many";
      readonly scope: number;
      readonly entries: readonly { readonly key: number; readonly value: number }[];
      readonly life: number;
    }
  | {
      readonly kind: "update";
      readonly scope: number;
      readonly key: number;
      readonly value: number;
    }
  | { readonly kind: "clear"; readonly scope: number; readonly allMapIndices: number }
  | {
      readonly kind: "list";
      readonly scope: number;
      readonly limit: number;
      readonly offset: number;
      readonly onlyVisible: number;
    }
  | { readonly kind: "sweep"; readonly batchSize: number; readonly dryRun: number }
  | { readonly kind: "wait"; readonly more: number }
);

/** Does it to the store and to the model, and compares what they say. */
export async function runCommand(
  command: StateCommand,
  backend: StateBackend,
  model: StateModel,
): Promise<void> {
  switch (command.kind) {
    case "get": {
      const [scope, key] = [scopeOf(command), keyOf(command)];
      const expected = model.get(scope, key);
      return same("the entry", projected(await backend.get(scope, key)), projected(expected));
    }
    case "set":
      return runSet(command, backend, model);
    case "set-many":
      return runSetMany(command, backend, model);
    case "update":
      return runUpdate(command, backend, model);
    case "delete":
      await backend.delete(scopeOf(command), keyOf(command));
      return model.delete(scopeOf(command), keyOf(command));
    case "clear":
      return runClear(command, backend, model);
    case "list":
      return runList(command, backend, model);
    case "sweep":
      return runSweep(command, backend, model);
    case "wait":
      model.now += waitMs(command);
      return undefined;
    default:
      return command satisfies never;
  }
}

type Command<Kind extends StateCommand["kind"]> = Extract<StateCommand, { kind: Kind }>;

async function runSet(
  command: Command<"set">,
  backend: StateBackend,
  model: StateModel,
): Promise<void> {
  const [scope, key, value] = [scopeOf(command), keyOf(command), valueOf(command)];
  const expiresAt = expiryOf(command, model);
  await backend.set(scope, key, value, { expiresAt });
  model.set({ scope, key, value, expiresAt });
}

async function runSetMany(
  command: Command<"set-many">,
  backend: StateBackend,
  model: StateModel,
): Promise<void> {
  if (backend.setMany === undefined) return;
  const scope = scopeOf(command);
  const expiresAt = expiryOf(command, model);
  const pairs = command.entries.map((one) => [keyOf(one), valueOf(one)] as const);
  await backend.setMany(scope, pairs, { expiresAt });
  for (const [key, value] of pairs) model.set({ scope, key, value, expiresAt });
}

async function runUpdate(
  command: Command<"update">,
  backend: StateBackend,
  model: StateModel,
): Promise<void> {
  if (backend.update === undefined) return;
  const [scope, key, value] = [scopeOf(command), keyOf(command), valueOf(command)];
  const before = model.get(scope, key);
  const isThere = await backend.update(scope, key, value, {});
  same("whether it is there", isThere, before !== undefined);
  if (before !== undefined) model.set({ ...before, value });
}

async function runClear(
  command: Command<"clear">,
  backend: StateBackend,
  model: StateModel,
): Promise<void> {
  const scope = scopeOf(command);
  const allMapIndices = command.allMapIndices === 1;
  await backend.clear(scope, allMapIndices ? { allMapIndices } : {});
  const nameOf = allMapIndices ? groupOf : placeOf;
  model.remove((entry) => nameOf(entry.scope) === nameOf(scope));
}

async function runList(
  command: Command<"list">,
  backend: StateBackend,
  model: StateModel,
): Promise<void> {
  const { limit, offset } = command;
  const scope = scopeOf(command);
  const onlyVisible = command.onlyVisible === 1;
  const page = await backend.list(scope, { limit, offset, ...(onlyVisible && { now: model.now }) });
  const expected = model.list(scope, onlyVisible ? model.now : -Infinity);
  const onPage = expected.slice(offset, offset + limit);
  same("the page", page.entries.map(projected), onPage.map(projected));
  same("the total", page.total, expected.length);
}

async function runSweep(
  command: Command<"sweep">,
  backend: StateBackend,
  model: StateModel,
): Promise<void> {
  const { now } = model;
  const dryRun = command.dryRun === 1;
  const batchSize = BATCH_SIZES[command.batchSize] as number;
  const report = await backend.sweepExpired({ now, batchSize, dryRun });
  let expected = 0;
  model.remove((entry) => {
    if (entry.expiresAt === null || entry.expiresAt >= now) return false;
    expected += 1;
    return !dryRun;
  });
  same("how many were expired", report.expired, expected);
}

export function commandWords(command: StateCommand): string {
  const who = `client ${(command.client ?? 0) + 1}`;
  const where = "scope" in command ? describeScope(scopeOf(command)) : "";
  switch (command.kind) {
    case "get":
      return `${who} gets "${keyOf(command)}" of ${where}`;
    case "set":
      return `${who} sets "${keyOf(command)}" of ${where} to ${valueOf(command)}, ${lifeOf(command)}`;
    case "set-many": {
      const keys = command.entries.map((one) => `"${keyOf(one)}"`).join(", ");
      return `${who} sets ${keys} of ${where} at once, ${lifeOf(command)}`;
    }
    case "update":
      return `${who} updates "${keyOf(command)}" of ${where} to ${valueOf(command)}`;
    case "delete":
      return `${who} deletes "${keyOf(command)}" of ${where}`;
    case "clear":
      return `${who} clears ${where}${command.allMapIndices === 1 ? " over all map indices" : ""}`;
    case "list": {
      const { limit, offset, onlyVisible } = command;
      const which = onlyVisible === 1 ? ", visible ones" : "";
      return `${who} lists ${limit} keys of ${where} from ${offset} on${which}`;
    }
    case "sweep": {
      const show = command.dryRun === 1 ? " for show" : "";
      return `${who} sweeps${show} in batches of ${BATCH_SIZES[command.batchSize]}`;
    }
    case "wait":
      return `${waitMs(command)} ms pass`;
    default:
      return command satisfies never;
  }
}

function scopeOf(command: { readonly scope: number }): StoreScope {
  return SCOPES[command.scope] as StoreScope;
}

function keyOf(command: { readonly key: number }): string {
  return KEYS[command.key] as string;
}

function valueOf(command: { readonly value: number }): string {
  return VALUES[command.value] as string;
}

function waitMs({ more }: Command<"wait">): number {
  return 1 + more;
}

function expiryOf(command: { readonly life: number }, { now }: StateModel): number | null {
  const life = LIVES[command.life] ?? null;
  return life === null ? null : now + life;
}

function lifeOf(command: { readonly life: number }): string {
  const life = LIVES[command.life] ?? null;
  if (life === null) return "to live for ever";
  return life < 0 ? `expired ${-life} ms ago` : `to expire in ${life} ms`;
}
