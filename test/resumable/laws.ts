import { type Crash, type End, JobBench } from "./job-bench.ts";

/** The crashes of the attempts of one task, and how its jobs end. */
export interface History {
  /** For each attempt, where its worker is lost; undefined means nowhere. */
  readonly crashes: readonly (Crash | undefined)[];
  /** How each job ends. */
  readonly endings: readonly ("SUCCEEDED" | "FAILED")[];
}

/** Returns whether the crash lies between the system's acceptance and the end of `set`. */
export function isInWindow(crash: Crash | undefined): boolean {
  if (crash?.site === "submit") return crash.when === "after";
  return crash?.site === "set" && crash.when === "before";
}

export interface Broken {
  readonly promise: string;
  readonly story: string;
}

/**
 * Runs `history` and returns the promise that was broken; undefined when none was.
 *
 * Bounded duplicates (I1), no submit beside an active recorded job (I3), no second run of a
 * succeeded one (I4), the job polled is the job submitted (I19), the same result as without crashes
 * (I20).
 */
export async function brokenPromise(
  history: History,
  benchOf: () => JobBench = () => new JobBench(),
): Promise<Broken | undefined> {
  const bench = benchOf();
  bench.endings = [...history.endings];
  let inWindow = 0;
  let end: End = { kind: "crash" };
  for (const crash of [...history.crashes, ...Array.from({ length: 8 }, () => undefined)]) {
    const before = bench.calls.length;
    const storedBefore = await bench.stored();
    const statusBefore = storedBefore === null ? "" : bench.statusOf(storedBefore);
    end = await bench.attempt({}, crash);
    const calls = bench.calls.slice(before);
    const submitted = calls.includes("submit");
    const story = `${JSON.stringify(history)}: ${calls.join(", ")}`;
    if (submitted && statusBefore === "RUNNING") return { promise: "I3", story };
    if (submitted && statusBefore === "SUCCEEDED") return { promise: "I4", story };
    if (end.kind === "crash" && isInWindow(crash)) inWindow += 1;
    if (end.kind === "result") break;
  }
  const story = `${JSON.stringify(history)}: ${bench.calls.join(", ")}`;
  const failed = [...bench.statuses.values()].filter((status) => status === "FAILED").length;
  if (bench.accepted > 1 + inWindow + failed) return { promise: "I1", story };
  const ids = bench.acceptedIds;
  const strangers = bench.calls
    .filter((call) => call.startsWith("poll("))
    .map((call) => call.slice(5, -1))
    .filter((id) => !ids.has(id) && !ids.has(JSON.stringify(id)));
  if (strangers.length > 0) return { promise: "I19", story };
  if (end.kind !== "result") return undefined;
  const rows = [...ids].map((id) => `rows of ${id}`);
  return rows.includes(String(end.value)) ? undefined : { promise: "I20", story };
}
