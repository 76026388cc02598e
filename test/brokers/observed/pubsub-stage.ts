import { Duration } from "@google-cloud/pubsub";
import type { PubSubClient } from "../../../sim/brokers/pubsub/pubsub-client.ts";
import type { PubSubMessage } from "../../../sim/brokers/pubsub/pubsub-message.ts";
import type { PubSubSubscriptionOptions } from "../../../sim/brokers/pubsub/pubsub-named-subscription.ts";
import type { PubSubSubscription } from "../../../sim/brokers/pubsub/pubsub-subscription.ts";
import { type Observation, type ObservedStage, untilSo } from "./observation.ts";

export type PubSubStage = ObservedStage<PubSubClient>;
export type PubSubObservation = Observation<PubSubClient>;

/** A subscription with a listener, what came to it, and what else it reported. */
export interface Reader {
  readonly subscription: PubSubSubscription;
  readonly got: PubSubMessage[];
  readonly events: string[];
}

/** Long enough for what the library holds back by 100 ms to come into effect, and to come again. */
export const SETTLED_MS = 500;
/** No lease is extended: nothing but what the program does prolongs it. */
export const NO_EXTENSION = { maxExtensionTime: Duration.from({ seconds: 0 }) };

const CONFIRMED_MS = 150;
const POLL_MS = 20;
const POLLS_MAX = 1_000;

export function seconds(count: number): Duration {
  return Duration.from({ seconds: count });
}

/** Waits until what is asked for is so, which it is sooner or later. */
function until(stage: PubSubStage, isSo: () => boolean): Promise<void> {
  return untilSo(stage, isSo, { everyMs: POLL_MS, looksMax: POLLS_MAX });
}

/** Reads the subscription; listeners for what else happens are there first. */
export function readerOf(stage: PubSubStage, options?: PubSubSubscriptionOptions): Reader {
  const subscription = stage.client.subscription("orders", options);
  const got: PubSubMessage[] = [];
  const events: string[] = [];
  subscription.on("error", (error: Error) => void events.push(`error ${error.message}`));
  subscription.on("close", () => void events.push("close"));
  subscription.on("message", (message) => void got.push(message));
  return { subscription, got, events };
}

/** Reads while `act` runs, and closes. */
export async function reading<T>(
  stage: PubSubStage,
  act: (reader: Reader) => Promise<T>,
  options?: PubSubSubscriptionOptions,
): Promise<T> {
  const reader = readerOf(stage, options);
  try {
    return await act(reader);
  } finally {
    await reader.subscription.close();
  }
}

/**
 * Reads `count` messages, and waits until the library has confirmed them with a whole deadline: on
 * the stand-in a confirmation that overtakes a nack takes the message back.
 */
export async function arrived(
  stage: PubSubStage,
  { got }: Reader,
  count: number,
): Promise<PubSubMessage[]> {
  await until(stage, () => got.length >= count);
  await stage.pass(CONFIRMED_MS);
  return got;
}

/** The numbers of the records that came, in the order of their names. */
export function refsOf(messages: readonly PubSubMessage[]): readonly number[] {
  return messages.map(refOf).toSorted((a, b) => a - b);
}

export function refOf(message: PubSubMessage): number {
  const { ref } = JSON.parse(message.data.toString()) as { readonly ref: string };
  return Number(ref.slice("ref-".length));
}
