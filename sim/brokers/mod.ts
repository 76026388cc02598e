/**
 * The building blocks of broker models, for a broker of your own: what the kit's models of SQS,
 * Service Bus, Pub/Sub, Redis and the others are made of.
 *
 * ```ts
 * import { checkProducer } from "faultlane/check";
 * import { brokerModel, LeasedQueue, type LeasedDelivery } from "faultlane/brokers";
 *
 * interface Jobs {
 *   take(): Promise<readonly LeasedDelivery[]>;
 *   done(handle: string): Promise<void>;
 * }
 *
 * const broker = brokerModel<Jobs>({ name: "jobs", leaseMs: 30_000 }, (world, host) => {
 *   const queue = new LeasedQueue(world, host, { order: "none", deliveriesMax: undefined });
 *   return {
 *     records: queue,
 *     disturbances: [{ name: "all leases end", strike: () => queue.giveBackAll() }],
 *     connect(port, number) {
 *       const me = `${port.name}/${number}`;
 *       const client: Jobs = {
 *         take: () => port.call("broker.fetch", host, () => queue.take(me, 10, 30_000)),
 *         done: (handle) =>
 *           port.call("broker.settle", host, () => {
 *             queue.traceSettle(me, handle, "ack");
 *             queue.settle(me, handle);
 *           }),
 *       };
 *       return { client, open: () => [] };
 *     },
 *   };
 * });
 * const check = checkProducer({
 *   broker,
 *   createProducer: ({ client }) => ({
 *     async *openStream(signal) {
 *       while (!signal.aborted) {
 *         for (const job of await client.take()) yield [{ ref: job.ref }, job.handle];
 *         await new Promise((resolve) => setTimeout(resolve, 1_000));
 *       }
 *     },
 *     // Whatever became of it: it is done.
 *     advance: async (batch) => {
 *       for (const { brokerPayload } of batch) await client.done(String(brokerPayload));
 *     },
 *   }),
 *   numRuns: 5,
 * });
 * await check.catch(({ guarantee }) => console.log(guarantee)); // => G3
 * ```
 *
 * - A model traces what happens to each record; {@linkcode SettlementLog} does it, and so do the
 *   queue and the log that are built on it. The checkers see nothing else.
 * - All requests of a client are calls of its {@linkcode ClientPort}, where faults strike them.
 * - What a client of the real broker may use and the model does not have is refused by name.
 *
 * @module
 */
export { Arrivals } from "./arrivals.ts";
export { brokerModel, type BrokerParts } from "./broker-shell.ts";
export type {
  Broker,
  BrokerLink,
  BrokerModel,
  ClientPort,
  Disturbance,
  Publication,
} from "./broker.ts";
export type {
  DeadLetter,
  HandleState,
  LeasedDelivery,
  LeasedQueueOptions,
  LeaseOrder,
  QueueCounts,
  SentMessage,
} from "./lease.ts";
export { LeaseRival } from "./lease-rival.ts";
export { LeasedQueue } from "./leased-queue.ts";
export {
  callAsLibrary,
  isTransportError,
  type LibraryRequest,
  type LibraryRetries,
} from "./library-call.ts";
export {
  assertModelled,
  NotModelled,
  refusing,
  type Refusing,
  refusingAll,
} from "./not-modelled.ts";
export {
  type Assignment,
  FencedMember,
  type LogRecord,
  PartitionLog,
  type PartitionLogOptions,
} from "./partition-log.ts";
export { refIn } from "./ref-in.ts";
export { recordText } from "./record-text.ts";
export { Refusal } from "./refusal.ts";
export { NO_EFFECT, type SettleAttempt, SettlementLog } from "./settlement-log.ts";
