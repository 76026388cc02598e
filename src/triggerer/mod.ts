/**
 * The triggerer's runner: drives event triggers, and keeps what they fire tied to its raw event.
 *
 * ```ts
 * const runner = new TriggerRunner(clock, new SharedStreamManager({ clock }), supervisor, {
 *   runnerId: "triggerer-1/7",
 *   createTrigger: (workload) => new OrdersTrigger(workload.kwargs),
 * });
 * await runner.run(signal);
 * ```
 *
 * - A trigger event is bound and queued with no await in between.
 * - What is queued outbound is sent again until it is answered; a supervisor takes each round once.
 * - A cancelled trigger is unsubscribed before its filter comes to rest (spec E-22).
 * - Nothing is created again by itself.
 * - A trigger may filter synchronously (`filterSharedEvent`), to the same effect and much faster.
 *
 * Why so: the round number does two jobs. It lets the supervisor recognise a request that it has
 * answered, and it tells it that the confirmations of its last answer arrived (spec K13). Airflow
 * leaves open whether a lost answer's confirmations come again; here they do.
 *
 * @module
 */
export { type EventTrigger, filterEach, type FilteredEvents } from "./event-trigger.ts";
export type { OutboundEvent, SupervisorPort, SyncReply, SyncRequest } from "./supervisor-port.ts";
export { TriggerEvent } from "./trigger-event.ts";
export {
  type StreamManagerPort,
  TriggerRunner,
  type TriggerRunnerOptions,
  type TriggerWorkload,
} from "./trigger-runner.ts";
