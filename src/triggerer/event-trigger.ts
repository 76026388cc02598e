import type { SharedStream, SharedStreamProducer, StreamKey } from "../shared-stream/mod.ts";
import type { TriggerEvent } from "./trigger-event.ts";

/**
 * A trigger that watches a source, alone (`run`) or through a stream shared with its siblings.
 *
 * Shape: `sharedStreamKey` other than null means sharing; then the presence of
 * `createSharedStreamProducer` chooses ack mode, otherwise `openSharedStream` is the fast path.
 * Holds, for whoever implements it: `filterSharedStream` yields each event that it derives before
 * it pulls the next raw event; that is what binds the two together.
 *
 * Source: Airflow 3.3, airflow.triggers.base, BaseEventTrigger
 */
export interface EventTrigger<Raw = unknown, Payload = unknown> {
  sharedStreamKey(): StreamKey | null;
  createSharedStreamProducer?(): SharedStreamProducer<Raw, Payload>;
  openSharedStream?(signal: AbortSignal): AsyncIterable<Raw>;
  filterSharedStream(stream: SharedStream<Raw>): AsyncIterable<TriggerEvent>;
  run?(signal: AbortSignal): AsyncIterable<TriggerEvent>;
}
