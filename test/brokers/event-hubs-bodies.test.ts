import { expect, test } from "vitest";
import { eventHubs, type EventHubsModule } from "../../sim/brokers/event-hubs/model.ts";
import { BrokerStage, pass } from "./broker-stage.ts";
import { outcomeOf } from "./observed/observation.ts";

type Event = Parameters<
  InstanceType<EventHubsModule["EventHubProducerClient"]>["sendBatch"]
>[0][number];

const HOST = "simulated.servicebus.windows.net";
const MEGABYTE = 1_048_576;
const encoder = new TextEncoder();

/** Sends each event for itself; returns what came of it, and the bodies that are read. */
async function sent(events: readonly (readonly Event[])[]) {
  const stage = new BrokerStage(eventHubs({ partitions: 1 }));
  return await stage.play(async (hubs, life) => {
    const producer = new hubs.EventHubProducerClient(HOST, "orders");
    const outcomes: unknown[] = [];
    for (const batch of events)
      outcomes.push(await outcomeOf(() => producer.sendBatch([...batch])));
    await producer.close();
    const consumer = new hubs.EventHubConsumerClient("$Default", HOST, "orders");
    const bodies: unknown[] = [];
    const processEvents = async (batch: readonly { readonly body: unknown }[]) =>
      void bodies.push(...batch.map(({ body }) => body));
    const processError = async () => undefined;
    consumer.subscribe({ processEvents, processError }, { startPosition: { offset: "-1" } });
    await pass(life, 3_000);
    await consumer.close();
    return { outcomes, bodies };
  });
}

test("a body arrives as JSON has it, and bytes that are JSON are read as JSON", async () => {
  const bodies = [
    undefined,
    null,
    "text",
    5,
    { at: new Date(0), gone: undefined, kept: [1] },
    encoder.encode('{"a":1}'),
    encoder.encode("no JSON"),
    new Uint8Array(0),
  ];
  const seen = await sent(bodies.map((body) => [{ body }]));
  expect(seen.outcomes).toEqual(bodies.map(() => "nothing"));
  expect(seen.bodies.slice(0, 6)).toEqual([
    ...[null, null, "text", 5],
    { at: "1970-01-01T00:00:00.000Z", kept: [1] },
    { a: 1 },
  ]);
  const bytes = seen.bodies.slice(6) as Uint8Array[];
  expect(bytes.map((one) => [one instanceof Uint8Array, String(one)])).toEqual([
    [true, "no JSON"],
    [true, ""],
  ]);
});

test("what cannot be written is not sent, nor anything that is sent with it", async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const fine: Event = { body: "fine" };
  const { outcomes, bodies } = await sent([
    [fine, { body: circle }],
    [fine, { body: 1n }],
    [fine, { body: sent }],
    [fine, { body: 1, messageId: "m".repeat(129) }],
    [fine, { body: 1, messageId: {} as string }],
    [fine, { body: 1, correlationId: true as unknown as string }],
    [fine, { body: 1, contentType: 5 as unknown as string }],
    [fine, { body: 1, properties: [] as unknown as Record<string, unknown> }],
    [],
  ]);
  const words = (outcomes as { message?: string }[]).map(({ message }) => message?.slice(0, 60));
  expect(words).toEqual([
    ...Array.from(
      { length: 3 },
      () => "An error occurred while executing JSON.stringify() on the gi",
    ),
    "Length of 'messageId' property on the event cannot be greate",
    "Invalid 'messageId': expected 'string', 'number', 'Buffer', ",
    "Invalid 'correlationId': expected 'string', 'number', 'Buffe",
    "Invalid 'contentType': expected 'string' or 'undefined', but",
    "Invalid 'properties': expected an object or 'undefined', but",
    undefined,
  ]);
  expect(bodies).toEqual([]);
});

test("a batch above a megabyte is too large, with what its events have beside their bodies", async () => {
  const half = "x".repeat(MEGABYTE / 2);
  const { outcomes, bodies } = await sent([
    [{ body: half }, { body: half }],
    [{ body: encoder.encode(half), properties: { half } }, { body: 1 }],
    [{ body: half }],
  ]);
  const tooLarge = { name: "MessagingError", code: "MessageTooLargeError" };
  expect(outcomes).toEqual([
    expect.objectContaining(tooLarge),
    expect.objectContaining(tooLarge),
    "nothing",
  ]);
  expect(bodies).toEqual([half]);
});
