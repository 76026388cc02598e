/**
 * The triggerer's runner: it runs event triggers, sends the trigger events that they fire to a
 * supervisor, and returns the supervisor's confirmations to the shared streams.
 *
 * ```ts
 * import {
 *   SharedStreamManager,
 *   type SupervisorPort,
 *   TriggerEvent,
 *   TriggerRunner,
 *   type TriggerWorkload,
 * } from "faultlane";
 * import { systemClock } from "faultlane/platform";
 *
 * const stop = new AbortController();
 * const supervisor: SupervisorPort<TriggerWorkload> = {
 *   sync({ round, events }) {
 *     for (const { triggerId, event } of events) console.log(triggerId, event.payload);
 *     if (events.length > 0) stop.abort();
 *     const toCreate = round === 1 ? [{ triggerId: 7 }] : [];
 *     return Promise.resolve({ toCreate, toCancel: [], persistedSeqs: [] });
 *   },
 * };
 * const runner = new TriggerRunner(systemClock, new SharedStreamManager(), supervisor, {
 *   runnerId: "triggerer-1/7",
 *   createTrigger: () => ({
 *     sharedStreamKey: () => "orders",
 *     async *openSharedStream(signal) {
 *       yield "order 17";
 *       await new Promise((resolve) => signal.addEventListener("abort", resolve));
 *     },
 *     async *filterSharedStream(stream) {
 *       for await (const order of stream) yield new TriggerEvent(order);
 *     },
 *   }),
 *   syncInterval: { milliseconds: 10 },
 * });
 * await runner.run(stop.signal); // => 7 order 17
 * ```
 *
 * - A trigger event is bound and queued with no await in between.
 * - A request is sent again until it gets a reply; a supervisor takes each round once.
 * - A cancelled trigger is unsubscribed before its filter has finished (E-22).
 * - The runner never creates a trigger on its own.
 * - The trigger of a deferral (`DeferralTrigger`) runs beside them: it times out, its `onKill` is
 *   called when a user ends the task, and its `cleanup` whenever it is over.
 * - A trigger may filter synchronously (`filterSharedEvent`), with the same effect and much faster.
 *
 * Why so: the round number does two jobs. It lets the supervisor recognise a request that it has
 * replied to, and the next number tells it that the confirmations of its last reply arrived (K13).
 * Airflow leaves open whether the confirmations of a lost reply come again; here they do.
 *
 * @module
 */
export {
  type DeferralTrigger,
  TaskDeferralTimeout,
  TriggerFiredNothing,
  type TriggerHooks,
} from "./deferral-trigger.ts";
export {
  BaseEventTrigger,
  type EventTrigger,
  filterEach,
  type FilteredEvents,
} from "./event-trigger.ts";
export type {
  OutboundEvent,
  SupervisorPort,
  SyncReply,
  SyncRequest,
  TriggerFailure,
} from "./supervisor-port.ts";
export { TriggerEvent } from "./trigger-event.ts";
export {
  type StreamManagerPort,
  TriggerRunner,
  type TriggerRunnerOptions,
  type TriggerWorkload,
} from "./trigger-runner.ts";
