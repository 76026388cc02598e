/**
 * The form of a system's job ids.
 *
 * - `string`: a name that the system generates.
 * - `int-from-0`: whole numbers from 0.
 * - `bigint64`: 64-bit numbers, beyond the safe integers of JavaScript.
 * - `list`: one handle for each part of the job.
 * - `object`: namespace and name, which can be reused, and a uid, which cannot.
 * - `composite`: a cluster and a step of it.
 * - `client-chosen`: chosen by the submitter.
 * - `none`: the system accepts jobs and returns no id; what it is doing can be searched for.
 */
export type JobIdKind =
  | "string"
  | "int-from-0"
  | "bigint64"
  | "list"
  | "object"
  | "composite"
  | "client-chosen"
  | "none";

/** A job's id, in one of the forms of {@linkcode JobIdKind}; null where there is none. */
export type JobId =
  | string
  | number
  | bigint
  | readonly string[]
  | { readonly namespace: string; readonly name: string; readonly uid: string }
  | { readonly clusterId: string; readonly stepId: string }
  | null;

/** What an id is created from. */
export interface IdSeed {
  /** Counts the names that the system has generated; may restart, or be reused. */
  readonly ordinal: number;
  /** The simulator's own number of the job, which is never reused. */
  readonly job: number;
  readonly jobType: string;
  readonly chosen: string | undefined;
  readonly parts: number;
}

/** An id, and the names under which the job can be found: one for each part. */
export interface MintedId {
  readonly id: JobId;
  readonly handles: readonly string[];
}

/** The first whole number that a double cannot represent. */
const BEYOND_DOUBLES = 9_007_199_254_740_993n;
const STEPS_PER_CLUSTER = 8;
const NAMESPACE = "jobs";

export function mintId(kind: JobIdKind, seed: IdSeed): MintedId {
  const { ordinal, job, jobType, chosen, parts } = seed;
  const name = `${jobType}-${ordinal}`;
  switch (kind) {
    case "string":
      return { id: name, handles: [name] };
    case "int-from-0":
      return { id: ordinal, handles: [String(ordinal)] };
    case "bigint64": {
      const id = BEYOND_DOUBLES + BigInt(ordinal);
      return { id, handles: [String(id)] };
    }
    case "list": {
      const handles = Array.from({ length: parts }, (_, part) => `${name}-${part + 1}`);
      return { id: handles, handles };
    }
    case "object": {
      const id = { namespace: NAMESPACE, name: chosen ?? name, uid: `uid-${job}` };
      return { id, handles: [id.name] };
    }
    case "composite": {
      const clusterId = `cluster-${Math.floor(ordinal / STEPS_PER_CLUSTER) + 1}`;
      const id = { clusterId, stepId: `step-${ordinal}` };
      return { id, handles: [`${clusterId}/${id.stepId}`] };
    }
    case "client-chosen":
      return { id: chosen ?? name, handles: [chosen ?? name] };
    case "none":
      return { id: null, handles: [name] };
    default:
      return kind satisfies never;
  }
}

/** A parsed id: the names to look up, and the uid that must match, if there is one. */
export interface AskedId {
  readonly handles: readonly string[];
  readonly uid: string | undefined;
}

/** Parses an id as the system's API would; undefined when it is not of this kind. */
export function askedId(kind: JobIdKind, id: unknown): AskedId | undefined {
  switch (kind) {
    case "string":
    case "client-chosen":
      return typeof id === "string" ? one(id) : undefined;
    case "int-from-0":
      return Number.isSafeInteger(id) ? one(String(id)) : undefined;
    case "bigint64":
      return askedInteger(id);
    case "list":
      if (typeof id === "string") return one(id);
      return Array.isArray(id) && id.length > 0 && id.every((part) => typeof part === "string")
        ? { handles: id, uid: undefined }
        : undefined;
    case "object": {
      const { namespace, name, uid } = membersOf(id);
      if (namespace !== NAMESPACE || typeof name !== "string") return undefined;
      return { handles: [name], uid: typeof uid === "string" ? uid : undefined };
    }
    case "composite": {
      const { clusterId, stepId } = membersOf(id);
      if (typeof clusterId !== "string" || typeof stepId !== "string") return undefined;
      return one(`${clusterId}/${stepId}`);
    }
    case "none":
      return undefined;
    default:
      return kind satisfies never;
  }
}

/** Formats an id: strings unchanged, bigints as digits, no id as nothing, the rest as JSON. */
export function textFromJobId(id: unknown): string {
  if (typeof id === "string") return id;
  if (typeof id === "bigint") return String(id);
  const text = JSON.stringify(id) ?? String(id);
  return text === "null" ? "" : text;
}

function one(handle: string): AskedId {
  return { handles: [handle], uid: undefined };
}

/** A number that has lost digits is not rejected: it names another job, as in a real API. */
function askedInteger(id: unknown): AskedId | undefined {
  if (typeof id === "bigint") return one(String(id));
  if (typeof id === "number" && Number.isInteger(id)) return one(String(BigInt(id)));
  return typeof id === "string" && /^\d+$/.test(id) ? one(id) : undefined;
}

function membersOf(id: unknown): Readonly<Record<string, unknown>> {
  return typeof id === "object" && id !== null ? (id as Readonly<Record<string, unknown>>) : {};
}
