import { type Utf8Bytes, utf8Bytes } from "../../../src/platform/mod.ts";
import type { StoredRecord } from "./kafka-log.ts";

export type KafkaHeaders = Record<string, Utf8Bytes | string | (Utf8Bytes | string)[] | undefined>;

/** A message as a producer sends it. */
export interface ProducedMessage {
  readonly key?: Uint8Array | string | null;
  readonly value: Uint8Array | string | null;
  readonly partition?: number;
  readonly headers?: KafkaHeaders;
  /** Milliseconds since the epoch; default: when it is sent. */
  readonly timestamp?: string;
}

/** A record as a consumer gets it. Each delivery is a new object with new bytes. */
export interface KafkaMessage {
  readonly key: Utf8Bytes | null;
  readonly value: Utf8Bytes | null;
  readonly timestamp: string;
  readonly attributes: number;
  readonly offset: string;
  readonly headers?: KafkaHeaders;
}

/** The records that one fetch returned for one partition. */
export interface KafkaBatch {
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: string;
  readonly messages: KafkaMessage[];
  isEmpty(): boolean;
  firstOffset(): string | null;
  lastOffset(): string;
  offsetLag(): string;
  offsetLagLow(): string;
}

/** A message as the log keeps it. `now` is the producer's time, in milliseconds since the epoch. */
export function storedFrom(
  { key, value, headers = {}, timestamp }: ProducedMessage,
  now: number,
): Pick<StoredRecord, "key" | "value" | "headers" | "timestamp"> {
  const named = Object.entries(headers).map(
    ([name, header]) =>
      [
        name,
        Array.isArray(header) ? header.map((one) => textFrom(one) ?? "") : (textFrom(header) ?? ""),
      ] as const,
  );
  return {
    key: textFrom(key),
    value: textFrom(value),
    headers: Object.fromEntries(named),
    timestamp: timestamp === undefined ? now : Number(timestamp),
  };
}

function textFrom(value: Uint8Array | string | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : new TextDecoder().decode(value);
}

export function messageFrom({
  key,
  value,
  offset,
  headers,
  timestamp,
}: StoredRecord): KafkaMessage {
  return {
    key: key === null ? null : utf8Bytes(key),
    value: value === null ? null : utf8Bytes(value),
    timestamp: String(timestamp),
    attributes: 0,
    offset: String(offset),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [
        name,
        typeof text === "string" ? utf8Bytes(text) : text.map(utf8Bytes),
      ]),
    ),
  };
}

/** `records` must not be empty; `end` is the offset after the partition's last record. */
export function batchFrom(records: readonly StoredRecord[], end: number): KafkaBatch {
  const first = records[0] as StoredRecord;
  const last = records.at(-1) as StoredRecord;
  return {
    topic: first.topic,
    partition: first.partition,
    highWatermark: String(end),
    messages: records.map(messageFrom),
    isEmpty: () => false,
    firstOffset: () => String(first.offset),
    lastOffset: () => String(last.offset),
    offsetLag: () => String(end - 1 - last.offset),
    offsetLagLow: () => String(end - 1 - first.offset),
  };
}
