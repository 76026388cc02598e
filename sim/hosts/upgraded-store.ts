import type {
  EntryPage,
  ListPage,
  StateBackend,
  StateChange,
  StateEntry,
  StoreScope,
  WriteOptions,
} from "../../src/store/mod.ts";

/** A column that holds a value: `value` in the old schema, `json` in the new one. */
export type ValueColumn = "value" | "json";

/** Which code a process runs. */
export type StoreRelease = "old" | "new";

/** The columns after a migration, and whether it fills `json` from `value` first. */
interface SchemaStep {
  readonly columns: readonly ValueColumn[];
  readonly fills: boolean;
}

/** How the schema changes under processes of two releases. */
export interface SchemaPlan {
  /** Before the first process of the new release. */
  readonly first: SchemaStep;
  /** After the last process of the old one. */
  readonly last: SchemaStep;
  /** What the new release reads while there are both columns. */
  readonly reads: ValueColumn;
}

/**
 * A column is renamed in two steps: the new one is added, and written beside the old one, which is
 * read; when no process of the old release is left, it is filled, and the old one dropped.
 */
const EXPAND_AND_CONTRACT: SchemaPlan = Object.freeze<SchemaPlan>({
  first: { columns: ["value", "json"], fills: false },
  last: { columns: ["json"], fills: true },
  reads: "value",
});

/** A statement names a column that the table does not have. */
class UndefinedColumn extends Error {
  override readonly name = "UndefinedColumn";
  readonly code = "42703";

  constructor(column: ValueColumn) {
    super(`column "${column}" does not exist`);
  }
}

/** What a row has in its columns; none in one that was never written. */
type Row = Partial<Record<ValueColumn, string>>;

const ALL = 1_000;

/**
 * A state store whose schema changes while processes of two releases use it.
 *
 * Holds: every method is one transaction, if the backend does only promise work; a release reads
 * and writes the columns that it knows, and fails on one that is not there.
 */
export class UpgradedStore {
  readonly #inner: StateBackend;
  readonly #plan: SchemaPlan;
  readonly #releases: Readonly<Record<StoreRelease, StateBackend>>;
  readonly #releaseOf = new Map<number, StoreRelease>();
  #columns: readonly ValueColumn[] = ["value"];

  constructor(inner: StateBackend, plan: SchemaPlan = EXPAND_AND_CONTRACT) {
    this.#inner = inner;
    this.#plan = plan;
    this.#releases = { old: this.#as("old"), new: this.#as("new") };
  }

  /** The columns that the table has now. */
  get columns(): readonly ValueColumn[] {
    return this.#columns;
  }

  /** The store as an attempt sees it; as 0 the platform, which is upgraded first. */
  of(attempt: number): StateBackend {
    const isUpgraded = this.#columns.includes("json");
    return this.#releases[this.#releaseOf.get(attempt) ?? (isUpgraded ? "new" : "old")];
  }

  /** The store as the platform sees it. */
  readonly platform: StateBackend = new Proxy<StateBackend>({} as StateBackend, {
    get: (_, name): unknown => Reflect.get(this.of(0), name),
  });

  /** Notes which release an attempt runs. */
  begin(attempt: number, release: StoreRelease): void {
    this.#releaseOf.set(attempt, release);
  }

  migrate(step: "first" | "last"): Promise<void> {
    const { columns, fills } = this.#plan[step];
    this.#columns = columns;
    return this.#rewrite(({ value, json }) => {
      const filled = fills ? value : json;
      return {
        ...(columns.includes("value") && value !== undefined && { value }),
        ...(columns.includes("json") && filled !== undefined && { json: filled }),
      };
    });
  }

  async #rewrite(change: (row: Row) => Row): Promise<void> {
    const page = await this.#inner.listScopes?.({ limit: ALL, offset: 0 });
    for (const { scope } of page?.scopes ?? []) {
      const { entries } = await this.#inner.list(scope, { limit: ALL, offset: 0 });
      for (const { key, value, expiresAt, updatedAt } of entries) {
        const text = JSON.stringify(change(rowFrom(value)));
        const options = { expiresAt, ...(updatedAt !== null && { updatedAt }) };
        await this.#inner.set(scope, key, text, options);
      }
    }
  }

  #as(release: StoreRelease): StateBackend {
    const inner = this.#inner;
    const shown = (entry: StateEntry): StateEntry | undefined => {
      const column = this.#assertThere(this.#readBy(release));
      const row = rowFrom(entry.value);
      const value = row[column] ?? row.value;
      return value === undefined ? undefined : { ...entry, value };
    };
    const get = async (scope: StoreScope, key: string): Promise<StateEntry | undefined> => {
      this.#assertThere(this.#readBy(release));
      const entry = await inner.get(scope, key);
      return entry === undefined ? undefined : shown(entry);
    };
    const list = async (scope: StoreScope, page: ListPage): Promise<EntryPage> => {
      this.#assertThere(this.#readBy(release));
      const { entries, total } = await inner.list(scope, page);
      return { entries: entries.map(shown).filter((entry) => entry !== undefined), total };
    };
    const set = async (
      scope: StoreScope,
      key: string,
      value: string,
      options: WriteOptions,
    ): Promise<void> => {
      const written = release === "old" ? (["value"] as const) : this.#columns;
      for (const column of written) this.#assertThere(column);
      const before = await inner.get(scope, key);
      const row = { ...rowFrom(before?.value ?? "{}") };
      for (const column of written) row[column] = value;
      await inner.set(scope, key, JSON.stringify(row), options);
    };
    const compareAndSet = async (
      scope: StoreScope,
      key: string,
      { expected, value }: StateChange,
      options: WriteOptions,
    ): Promise<boolean> => {
      const entry = await get(scope, key);
      if ((entry?.value ?? null) !== expected) return false;
      await set(scope, key, value, options);
      return true;
    };
    const update = async (
      scope: StoreScope,
      key: string,
      value: string,
      options: Omit<WriteOptions, "expiresAt">,
    ): Promise<boolean> => {
      const entry = await get(scope, key);
      if (entry === undefined) return false;
      await set(scope, key, value, { ...options, expiresAt: entry.expiresAt });
      return true;
    };
    const own = { get, list, set, compareAndSet, ...(inner.update !== undefined && { update }) };
    return new Proxy(inner, {
      get(target, name): unknown {
        if (Object.hasOwn(own, name)) return Reflect.get(own, name);
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
  }

  #readBy(release: StoreRelease): ValueColumn {
    if (release === "old") return "value";
    const [only, other] = this.#columns;
    return other === undefined ? (only as ValueColumn) : this.#plan.reads;
  }

  #assertThere(column: ValueColumn): ValueColumn {
    if (!this.#columns.includes(column)) throw new UndefinedColumn(column);
    return column;
  }
}

function rowFrom(text: string): Row {
  return JSON.parse(text) as Row;
}
