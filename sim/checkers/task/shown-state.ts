import type { ShownEntry } from "../../trace/http-events.ts";
import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";
import { type Asked, HttpRequests } from "./http-requests.ts";
import type { KeptKey, KeyHistory } from "./key-history.ts";
import type { TaskFacts } from "./task-facts.ts";

type Answered = Extract<TraceEvent, { kind: "http-answered" }>;

/** The statuses of a read that was served: 404 says that there is nothing. */
const OF_READS: readonly number[] = [200, 404];
const OF_WRITES: readonly number[] = [200, 204, 404, 412];
/** The database could not be reached. */
const FAILED = 503;

/** A request that is answered, and what is known of the state that it is about. */
interface Exchanged {
  readonly asked: Asked;
  readonly answer: Answered;
  readonly keys: KeyHistory;
  /** The least and the most that the clock of the API server showed meanwhile. */
  readonly clock: readonly [least: number, most: number];
}

/**
 * R-shown: whoever looks at state over HTTP sees what the store holds.
 *
 * Each entry is one that the store held at some instant between request and answer, with its value
 * and its expiry, and none is left out that it held all the while. What has expired by the clock of
 * the API server is not shown.
 */
export function httpShowsTheStore(): Checker<TaskFacts> {
  const requests = new HttpRequests();
  return {
    id: "R-shown",
    promise: "state that is read over HTTP is what the store holds, no more and no less",
    on: {
      ...notedBy(requests),
      "http-answered"(answer, { jobs }, report) {
        const asked = requests.answered(answer.request);
        if (asked?.method !== "GET" || answer.status === FAILED) return;
        const clock = requests.apiRange(asked.at, answer.at);
        judgeRead({ asked, answer, keys: jobs.keys, clock }, report);
      },
    },
  };
}

/**
 * R-told: what is said over HTTP to be written is stored, and what is refused is not.
 *
 * An entry that is written over HTTP lives as long as the request says; one of which only the value
 * is replaced, as long as before.
 */
export function httpWritesAreStored(): Checker<TaskFacts> {
  const requests = new HttpRequests();
  return {
    id: "R-told",
    promise: "what a response over HTTP says to be written or deleted is so in the store",
    on: {
      ...notedBy(requests),
      "http-answered"(answer, { jobs }, report) {
        const asked = requests.answered(answer.request);
        if (asked === undefined || asked.method === "GET" || answer.status === FAILED) return;
        const clock = requests.apiRange(asked.at, answer.at);
        judgeWrite({ asked, answer, keys: jobs.keys, clock }, report);
      },
    },
  };
}

/** Handlers that keep a list of requests up to date. */
export function notedBy(requests: HttpRequests): NonNullable<Checker<TaskFacts>["on"]> {
  const apply = (event: TraceEvent): void => requests.apply(event);
  return { phase: apply, host: apply, "http-asked": apply, "commits-lost": apply };
}

function judgeRead(exchanged: Exchanged, report: Report): void {
  const { asked, answer, keys } = exchanged;
  const { scope, key } = asked;
  const { status, shown, total } = answer;
  if (!OF_READS.includes(status)) {
    report("read-refused", `a read of ${scope} is answered with ${status}`);
    return;
  }
  if (status === 200 && total !== shown.length) {
    report("shown-wrongly", `${shown.length} entries of ${scope} are shown, of ${total}`);
  }
  const entries = new Map(shown.map((entry) => [entry.key, entry]));
  const known = key === "" ? keys.keysOf(scope) : [key];
  for (const one of new Set([...known, ...entries.keys()])) {
    const entry = entries.get(one);
    const held = keys.heldSince(scope, one, asked.at);
    if (held.some((kept) => isShownAs(kept, entry, exchanged))) continue;
    const what = `"${one}" of ${scope} is shown as ${wordsOf(entry)}`;
    report("shown-wrongly", `${what}, and holds ${wordsOf(held.at(-1))}`);
  }
}

/** Whether an entry is shown as it should be; undefined: none. */
function isShownAs(
  kept: KeptKey | undefined,
  entry: ShownEntry | undefined,
  { clock: [least, most] }: Exchanged,
): boolean {
  const expiresAt = kept?.expiresAt ?? null;
  if (entry === undefined || kept === undefined) {
    const isHidden = kept === undefined || (expiresAt !== null && expiresAt <= most);
    return entry === undefined && isHidden;
  }
  if (expiresAt !== null && expiresAt <= least) return false;
  const isExpiryShown = entry.expiresAt === undefined || entry.expiresAt === expiresAt;
  return kept.value === entry.value && isExpiryShown;
}

function judgeWrite(exchanged: Exchanged, report: Report): void {
  const { asked, answer, keys } = exchanged;
  const { method, scope, key, value } = asked;
  const { status } = answer;
  const what = `${method} of "${key}" of ${scope}`;
  if (!OF_WRITES.includes(status)) {
    report("write-refused", `${what} is answered with ${status}`);
    return;
  }
  const held = keys.heldSince(scope, key, asked.at);
  if (status >= 400) {
    if (!held.some((kept) => isRefusedBy(kept, exchanged))) {
      report("write-refused", `${what} is answered with ${status}, and was possible all the while`);
    }
    return;
  }
  const isDone =
    value === null
      ? held.includes(undefined)
      : held.some(
          (kept, nth) =>
            kept?.value === value && isKeptAsAsked(kept, held.slice(0, nth), exchanged),
        );
  if (!isDone) report("written-wrongly", `${what} is acknowledged, and did not happen`);
  if (asked.expected === null && !held.some((kept) => isAbsent(kept, exchanged))) {
    report("written-wrongly", `${what} is acknowledged, though a value was there all the while`);
  }
}

/** Whether an entry that is there, or none, is a reason to refuse a write. */
function isRefusedBy(kept: KeptKey | undefined, exchanged: Exchanged): boolean {
  const { asked, answer } = exchanged;
  // Airflow, too, deletes what is not there without a word.
  if (asked.method === "PATCH") return answer.status === 404 && isAbsent(kept, exchanged);
  return asked.expected === null && answer.status === 412 && kept !== undefined;
}

function isAbsent(kept: KeptKey | undefined, { clock: [, most] }: Exchanged): boolean {
  return kept === undefined || (kept.expiresAt !== null && kept.expiresAt <= most);
}

/** `before` is what the key held before. */
function isKeptAsAsked(
  { expiresAt }: KeptKey,
  before: readonly (KeptKey | undefined)[],
  { asked: { method, expiresAt: wanted } }: Exchanged,
): boolean {
  if (method === "PATCH") {
    return before.some((kept) => kept !== undefined && kept.expiresAt === expiresAt);
  }
  return wanted === undefined || wanted === expiresAt;
}

function wordsOf(entry: ShownEntry | KeptKey | undefined): string {
  return entry === undefined ? "nothing" : entry.value;
}
