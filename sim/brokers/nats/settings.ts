import { JetStreamApiError } from "./errors.ts";
import { bytesFrom } from "../text-bytes.ts";
import { assertSubject, matchesFilter, overlap } from "./names.ts";

/** Of a consumer's or a stream's description, in bytes. */
export const DESCRIPTION_MAX = 4_096;

/** Where in its stream a consumer begins. */
export type Start =
  | { readonly policy: "all" | "new" | "last" | "last_per_subject" }
  | { readonly policy: "by_start_sequence"; readonly sequence: number }
  | { readonly policy: "by_start_time"; readonly timeMs: number };

/** A consumer's configuration. */
export interface ConsumerSettings {
  /** Empty: the server gives it one. */
  readonly name: string;
  /** Whether the server has given it its name, which it does not count as a setting. */
  readonly isNameGiven?: boolean;
  /** Whether its name is a durable one. */
  readonly isDurable: boolean;
  /** After so long without a reader it is deleted; 0: never. */
  readonly inactiveMs: number;
  readonly ackPolicy: "none" | "all" | "explicit";
  readonly ackWaitMs: number;
  /** Negative: no limit. */
  readonly maxDeliver: number;
  /** Negative: no limit. */
  readonly maxAckPending: number;
  /** Kept for whoever asks. */
  readonly description?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** One subject of which messages are delivered, or several; by default those of all subjects. */
  readonly filterSubject?: string | undefined;
  readonly filterSubjects?: readonly string[] | undefined;
  readonly start?: Start | undefined;
  /** Undefined: as many as its stream has. */
  readonly replicas?: number | undefined;
  /** How long the first delivery, the second and so on may stay unacknowledged; not with a nak. */
  readonly backoffMs?: readonly number[] | undefined;
}

/** Whether a consumer with these settings gets messages of a subject. */
export function isRead(
  { filterSubject, filterSubjects }: ConsumerSettings,
  subject: string,
): boolean {
  const filters = filterSubject === undefined ? (filterSubjects ?? []) : [filterSubject];
  return filters.length === 0 || filters.some((filter) => matchesFilter(filter, subject));
}

/** The server adds from this to 1,000 ms, by chance; only the least is certain. */
const INACTIVE_MORE_MS = 100;

/** After how long without a reader a consumer is deleted. */
export function inactiveMsOf({ inactiveMs }: ConsumerSettings): number {
  return inactiveMs + INACTIVE_MORE_MS;
}

/** How long a message may stay unacknowledged after so many deliveries. */
export function waitMsOf({ backoffMs, ackWaitMs }: ConsumerSettings, deliveries: number): number {
  return backoffMs?.[Math.min(deliveries, backoffMs.length) - 1] ?? ackWaitMs;
}

/** Returns what of these settings the server does not change once a consumer exists, if anything. */
export function fixedIn(before: ConsumerSettings, after: ConsumerSettings): string | undefined {
  const [from, to] = [before.start ?? FIRST, after.start ?? FIRST];
  if (from.policy !== to.policy) return "deliver policy";
  const isOther = textOf(from) !== textOf(to);
  if (isOther) return to.policy === "by_start_time" ? "start time" : "start sequence";
  return before.ackPolicy === after.ackPolicy ? undefined : "ack policy";
}

const FIRST: Start = { policy: "all" };

export function isAlike(one: ConsumerSettings, other: ConsumerSettings): boolean {
  return textOf(one) === textOf(other);
}

/**
 * Completes settings as the server does.
 *
 * @throws {JetStreamApiError} for what contradicts itself
 */
export function completed(settings: ConsumerSettings): ConsumerSettings {
  const { ackWaitMs, maxDeliver, backoffMs, filterSubject, filterSubjects = [] } = settings;
  const { replicas = 0 } = settings;
  if (replicas < 0) throw new JetStreamApiError(10_133, "replicas count cannot be negative");
  if (replicas > 1) {
    throw new JetStreamApiError(10_074, "replicas > 1 not supported in non-clustered mode", 500);
  }
  if (ackWaitMs < 0) throw new JetStreamApiError(10_183, "consumer ack wait needs to be positive");
  if (filterSubject !== undefined && filterSubjects.length > 0) {
    const both = "consumer cannot have both FilterSubject and FilterSubjects specified";
    throw new JetStreamApiError(10_136, both);
  }
  const filters = filterSubject === undefined ? filterSubjects : [filterSubject];
  // An empty one is refused below, with an error of its own.
  for (const one of filters) if (one !== "") assertSubject(one);
  const isTwofold = filterSubjects.some((one, at) =>
    filterSubjects.some((other, its) => its > at && overlap(one, other)),
  );
  if (isTwofold) throw new JetStreamApiError(10_138, "consumer subject filters cannot overlap");
  if (filterSubjects.includes("")) {
    throw new JetStreamApiError(10_139, "consumer filter in FilterSubjects cannot be empty");
  }
  if (backoffMs?.some((ms) => ms < 0) === true) {
    throw new JetStreamApiError(10_184, "consumer backoff needs to be positive");
  }
  if (backoffMs !== undefined && maxDeliver > 0 && maxDeliver < backoffMs.length) {
    const few = "max deliver is required to be > length of backoff values";
    throw new JetStreamApiError(10_116, few);
  }
  if (bytesFrom(settings.description ?? "").length > DESCRIPTION_MAX) {
    const long = `consumer description is too long, maximum allowed is ${DESCRIPTION_MAX}`;
    throw new JetStreamApiError(10_107, long);
  }
  const isOfNone = filterSubject === undefined && filterSubjects.length === 0;
  if (settings.start?.policy === "last_per_subject" && isOfNone) {
    const none = "deliver last per subject, but optional filter subject is not set";
    throw new JetStreamApiError(10_094, `consumer delivery policy is ${none}`);
  }
  return {
    ...settings,
    ackWaitMs: backoffMs?.[0] ?? ackWaitMs,
    maxDeliver: maxDeliver === 0 ? -1 : maxDeliver,
    filterSubjects: filterSubjects.length === 0 ? undefined : filterSubjects,
  };
}

/** The same for the same settings in another order. */
function textOf(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "";
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, one]) => `${name}:${textOf(one)}`).join(",")}}`;
}
