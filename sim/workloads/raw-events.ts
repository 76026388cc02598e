import type { SharedStreamProducer } from "../../src/shared-stream/mod.ts";

/** The fast path of a producer: the same source, without anybody settling it. */
export async function* rawEventsOf(
  create: () => SharedStreamProducer<unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  for await (const [raw] of create().openStream(signal)) yield raw;
}
