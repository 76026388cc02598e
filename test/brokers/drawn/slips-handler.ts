import { shown } from "./odd-values.ts";

export type Loose = Record<string, (...given: unknown[]) => unknown>;
/** What a handler does at its nth call. */
export type Acts = readonly (readonly [nth: number, act: readonly [string, (number | string)?]])[];

/** What a handler has at hand besides its payload. */
export interface HandlerParts {
  readonly topic: string;
  readonly consumer: () => Loose;
  readonly producer: () => Loose;
  readonly pass: (ms: number) => Promise<void>;
  /** Notes what is not waited for. */
  readonly begin: (call: () => unknown) => void;
  readonly tell: (told: unknown) => void;
  /** Whether how many records are handed out together is a matter of time. */
  readonly isAnyBatch: boolean;
}

/**
 * Performs an act of a handler, and returns what came of it.
 *
 * @throws what the act says
 */
export async function performed(
  parts: HandlerParts,
  payload: Loose,
  [act, given]: readonly [string, (number | string)?],
): Promise<unknown> {
  if (act === "throw") {
    parts.tell(["throw", given]);
    throw thrownBy(given as string);
  }
  if (act === "pass") {
    await parts.pass(150);
    return "passed";
  }
  try {
    return shown(await callOf(parts, payload, act, given));
  } catch (error) {
    return shown(error);
  }
}

function callOf(
  parts: HandlerParts,
  payload: Loose,
  act: string,
  given?: number | string,
): unknown {
  const { topic } = parts;
  const offset = String(given);
  switch (act) {
    case "heartbeat":
      return payload["heartbeat"]?.();
    case "pause":
      return typeof payload["pause"]?.();
    case "pause and resume":
      return (payload["pause"] as () => () => unknown)()();
    case "stop":
      parts.begin(() => parts.consumer()["stop"]?.());
      return "begun";
    case "produce":
      if (parts.isAnyBatch && payload["isStale"] !== undefined) return "nothing";
      return parts.producer()["send"]?.({
        topic,
        messages: [{ partition: 0, value: "by handler" }],
      });
    case "uncommitted":
      return payload["uncommittedOffsets"]?.();
    case "running":
      return [payload["isRunning"]?.(), payload["isStale"]?.()];
    case "commit":
      return parts.consumer()["commitOffsets"]?.([{ topic, partition: 0, offset }]);
    case "seek":
      return parts.consumer()["seek"]?.({ topic, partition: 0, offset });
    case "resolve":
      return payload["resolveOffset"]?.(offset);
    case "commitIfNecessary":
      return payload["commitOffsetsIfNecessary"]?.(...offsetsOf(topic, payload, given));
    default:
      return "nothing";
  }
}

function offsetsOf(topic: string, payload: Loose, given?: number | string): readonly unknown[] {
  if (given === "none") return [];
  if (given === "empty") return [{}];
  if (given === "uncommitted") return [payload["uncommittedOffsets"]?.()];
  const partitions = [{ partition: 0, offset: String(given) }];
  return [{ topics: [{ topic, partitions }] }];
}

function thrownBy(kind: string): unknown {
  if (kind === "undefined") return undefined;
  if (kind === "null") return null;
  if (kind === "text") return "a text";
  if (kind === "TypeError") return new TypeError("t");
  if (kind === "cause") return new Error("e", { cause: new Error("the cause") });
  const error = new Error("e");
  if (kind !== "final") return error;
  return Object.assign(error, { name: "KafkaJSNonRetriableError", retriable: false });
}
