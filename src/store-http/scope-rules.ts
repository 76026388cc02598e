import { jsonValueFromText, type StateEntry, type StoreScope } from "../store/mod.ts";
import { isoFromInstant } from "./iso-time.ts";

/** How the state of one kind of scope looks over HTTP. */
export interface ScopeRules {
  /** The name of the kind in messages. */
  readonly noun: string;
  /** The member of a list's body that holds the entries. */
  readonly collection: string;
  /** The members that the body of a PUT may have. */
  readonly putMembers: readonly string[];
  /** The methods of one key. */
  readonly methods: readonly string[];
  /** Whether a write that names no expiry gets the default retention rather than none. */
  readonly expiresByDefault: boolean;
  /** Whether reads, too, are 404 where the scope does not exist. */
  readonly readsNeedScope: boolean;
  /** Returns an entry as a body shows it. */
  readonly documentFrom: (entry: StateEntry) => object;
}

const WITH_EXPIRY = {
  putMembers: ["value", "expires_at", "expected"],
  methods: ["GET", "PUT", "PATCH", "DELETE"],
  readsNeedScope: false,
  documentFrom: (entry: StateEntry): object =>
    documentWith(entry, { expires_at: isoOrNull(entry.expiresAt) }),
} as const;

/** The rules of each kind of scope; those of task instances and of assets are Airflow's. */
export const SCOPE_RULES: Readonly<Record<StoreScope["kind"], ScopeRules>> = {
  "task-instance": {
    ...WITH_EXPIRY,
    noun: "task instance",
    collection: "task_state_store",
    expiresByDefault: true,
  },
  task: { ...WITH_EXPIRY, noun: "task", collection: "task_state", expiresByDefault: false },
  process: {
    ...WITH_EXPIRY,
    noun: "process",
    collection: "process_state",
    expiresByDefault: false,
  },
  asset: {
    noun: "asset",
    collection: "asset_state_store",
    // What belongs to an asset does not expire, and Airflow has no PATCH for it.
    putMembers: ["value", "expected"],
    methods: ["GET", "PUT", "DELETE"],
    expiresByDefault: false,
    readsNeedScope: true,
    documentFrom: (entry) => documentWith(entry, { last_updated_by: writerFrom(entry) }),
  },
};

/** Returns the body that shows AIP-30's one value of a scope. */
export function modelDocumentFrom({ value, updatedAt }: StateEntry): object {
  return { ...readable(value), timestamp: isoOrNull(updatedAt) };
}

function documentWith({ key, value, updatedAt }: StateEntry, rest: object): object {
  const { unreadable, ...read } = readable(value);
  const times = { updated_at: isoOrNull(updatedAt), ...rest };
  return { key, ...read, ...times, ...(unreadable === undefined ? {} : { unreadable }) };
}

/** What cannot be read is shown all the same, so that a person can find and delete it. */
function readable(text: string): { readonly value: unknown; readonly unreadable?: true } {
  try {
    return { value: jsonValueFromText(text) };
  } catch {
    return { value: null, unreadable: true };
  }
}

function writerFrom({ writer }: StateEntry): object | null {
  if (writer === null) return null;
  if (writer.kind !== "task") {
    return { kind: writer.kind, dag_id: null, run_id: null, task_id: null, map_index: null };
  }
  const { kind, dagId, runId, taskId, mapIndex } = writer;
  return { kind, dag_id: dagId, run_id: runId, task_id: taskId, map_index: mapIndex };
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : isoFromInstant(instant);
}
