import type { ClientPort } from "../broker.ts";
import type { StoredRecord } from "./kafka-log.ts";

/** Traces that the broker delivers these records, partition by partition, and returns them. */
export function tracedDelivery(
  port: ClientPort,
  host: string,
  consumer: string,
  found: readonly (readonly StoredRecord[])[],
): readonly (readonly StoredRecord[])[] {
  for (const { topic, partition, offset, ref } of found.flat()) {
    if (ref === "") continue;
    const unit = `${topic}/${partition}`;
    const place = `partition ${partition}, offset ${offset}`;
    port.world.trace.emit(host, { kind: "delivered", ref, consumer, unit, place });
  }
  return found;
}
