import type { TraceEvent } from "../../trace/trace.ts";
import type { Checker, Report } from "../checker.ts";
import { HostClocks } from "./host-clocks.ts";
import type { KeptKey } from "./key-history.ts";
import type { TaskFacts } from "./task-facts.ts";

type EventOf<Kind extends TraceEvent["kind"]> = Extract<TraceEvent, { kind: Kind }>;

/** Airflow keeps the state of a task instance for thirty days, where nothing else is asked. */
const DEFAULT_MS = 30 * 86_400_000;
const TASK_INSTANCE = '["task-instance",';
const ASSET = '["asset",';

/** A value that was sent to the store. */
interface Sent {
  readonly at: number;
  readonly value: string;
  /** Whether it was compared first: what is there was read between the call and this. */
  readonly isCompared: boolean;
}

/** What an attempt asks for and sends. */
interface Writer {
  readonly host: string;
  readonly begunAt: number;
  /** The retention that it asks for, by key; empty: of all others. */
  readonly asked: Map<string, number | null>;
  /** When it sent a value, by key. */
  readonly sent: Map<string, Sent[]>;
  /** What the store returned to it last, by key. */
  readonly got: Map<string, KeptKey | undefined>;
}

/**
 * R-expires: an entry lives exactly as long as was asked for.
 *
 * It expires its retention after the writer's clock at the call, and is hidden from a reader from
 * the moment at which the reader's clock says so: however wrong these clocks are, and not by a
 * millisecond more. Where a value went to a payload store first, or was compared with what is
 * there, the call was at some time since the attempt began.
 */
export function entriesExpireAsAsked(): Checker<TaskFacts> {
  const clocks = new HostClocks();
  const writers = new Map<number, Writer>();
  /** Until when reads of the store may lag. */
  let lagsUntil = 0;
  return {
    id: "R-expires",
    promise: "an entry lives as long as its writer asked, by the clocks of writer and reader",
    on: {
      phase: (event) => clocks.apply(event),
      host: (event) => clocks.apply(event),
      attempt: ({ attempt, host, at: begunAt }) =>
        void writers.set(attempt, {
          host,
          begunAt,
          asked: new Map(),
          sent: new Map(),
          got: new Map(),
        }),
      "retention-asked": ({ attempt, key, ms }) => void writers.get(attempt)?.asked.set(key, ms),
      "state-sent"({ attempt, key, value, at, isCompared = false }) {
        const writer = writers.get(attempt);
        writer?.sent.set(key, [...(writer.sent.get(key) ?? []), { at, value, isCompared }]);
      },
      "state-set"(event, _facts, report) {
        const writer = writers.get(event.attempt);
        if (writer?.sent.has(event.key) === true) judgeWrite(event, writer, clocks, report);
      },
      "reads-lag"({ until }) {
        lagsUntil = until;
      },
      "state-got"({ attempt, scope, key, value, at }, facts) {
        const kept = facts.kept(scope, key);
        // A replica that lags may return an older entry, of which the expiry is not known, also
        // where its value is the same.
        const isNewest = at >= lagsUntil && (kept?.value ?? null) === value;
        const { got } = writers.get(attempt) ?? {};
        if (isNewest) got?.set(key, kept);
        else got?.delete(key);
      },
      "state-read"({ attempt, key, value, at }, _facts, report) {
        const { host, got } = writers.get(attempt) ?? {};
        if (host === undefined || got?.has(key) !== true) return;
        const kept = got.get(key);
        const now = clocks.wallOf(host, at);
        const isExpired = kept !== undefined && kept.expiresAt !== null && kept.expiresAt <= now;
        if (isExpired && value !== null) {
          report("expired-read", `attempt ${attempt} reads "${key}", which has expired`);
        } else if (kept !== undefined && !isExpired && value === null) {
          report("unexpired-hidden", `attempt ${attempt} cannot read "${key}", which is valid`);
        }
      },
    },
  };
}

function judgeWrite(
  { scope, key, value, expiresAt, attempt }: EventOf<"state-set">,
  writer: Writer,
  clocks: HostClocks,
  report: Report,
): void {
  const ms = retentionOf(scope, key, writer);
  const sends = (writer.sent.get(key) ?? []).map((one) =>
    one.value === value && !one.isCompared
      ? clocks.rangeOf(writer.host, one.at, one.at)
      : clocks.rangeOf(writer.host, writer.begunAt, one.at),
  );
  const isRight =
    ms === null
      ? expiresAt === null
      : expiresAt !== null &&
        sends.some(([least, most]) => least + ms <= expiresAt && expiresAt <= most + ms);
  if (isRight) return;
  const found = expiresAt === null ? "never" : `at ${expiresAt}`;
  const wanted = ms === null ? "never to expire" : `to expire ${ms} ms after its write`;
  report("expiry-differs", `"${key}" of attempt ${attempt} was ${wanted}, and expires ${found}`);
}

/** The value of AIP-30's models, and what outlives a task instance, never expires by default. */
function retentionOf(scope: string, key: string, { asked }: Writer): number | null {
  const own = asked.get(key);
  if (own !== undefined) return own;
  const isOfModel = key === "state";
  if (isOfModel || scope.startsWith(ASSET)) return null;
  const all = asked.get("");
  if (all !== undefined) return all;
  return scope.startsWith(TASK_INSTANCE) ? DEFAULT_MS : null;
}
