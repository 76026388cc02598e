/**
 * The sites: named boundaries at which a fault may strike, each with what happens there.
 *
 * The order is that of an event's way through a triggerer (T0 to T19); others follow.
 *
 * @example
 * ```ts
 * import { SITES } from "faultlane/sim";
 *
 * console.log(SITES["broker.settle"]); // => a consumer commits an offset
 * ```
 */
export const SITES = {
  "database.query": "the supervisor reads trigger rows, or claims them",
  "database.commit": "the asset event of a trigger event is committed, in a session of its own",
  "database.queue": "the rows that an asset event queues are committed",
  "sync.request": "the runner sends its state changes to the supervisor and gets the reply",
  "supervisor.handle": "the supervisor takes the next trigger event off its queue",
  "supervisor.confirm": "the supervisor notes a sequence number as persisted",
  "runner.filter": "a filter has pulled a raw event and processes it",
  "runner.yield": "a filter yields a trigger event",
  "runner.bound": "a trigger event was bound and queued outbound",
  "runner.confirm": "confirmations reach the manager",
  "producer.create": "the factory of a trigger makes a producer, and may fail once it has",
  "producer.connect": "a producer opens its broker connection",
  "producer.fetched": "a producer has fetched a record that is not broadcast yet",
  "producer.broadcast": "a raw event is about to be fanned out",
  "producer.advance": "the manager hands a resolved batch to the producer",
  "producer.close": "a producer releases its broker connection",
  "broker.fetch": "a consumer fetches records",
  "broker.settle": "a consumer commits an offset",
  "broker.produce": "a record is appended to a topic, the dead-letter topic among them",
  "broker.session": "a consumer's membership of its group is still valid",
  "scheduler.commit": "the scheduler commits what one of its loops decided",
  "api.take-task": "a worker asks the API server for a queued task and a token for its attempt",
  "api.heartbeat": "a worker's supervisor reports that its attempt is alive, and learns of a kill",
  "api.finish-attempt": "a worker's supervisor reports how an attempt ended",
  "api.get-task-state": "an attempt reads a key of its state store",
  "api.set-task-state": "an attempt writes a key of its state store",
  "api.delete-task-state": "an attempt deletes a key, or clears its scope",
  "api.http-state": "somebody reads or writes state over HTTP, at the API server",
  "api.xcom": "an attempt pushes or pulls an XCom",
  "store.read": "the API server reads the state store in the metadata database",
  "store.commit": "a write of the state store is committed to the metadata database",
  "store.sweep": "one batch of expired keys is deleted from the metadata database",
  "payload.get": "an attempt reads a large value from the payload store",
  "payload.put": "an attempt writes a large value to the payload store",
  "payload.delete": "an attempt deletes large values from the payload store",
  "task.commit": "the API server commits a task instance's next state",
  "warehouse.query": "a task queries its source",
  "warehouse.load": "a task commits a page or a range of rows at its target",
  "job.submit": "a client submits a job to the external system and gets its id",
  "job.status": "a client asks the external system for a job's status, or for a list of jobs",
  "job.result": "a client fetches the result of a job",
  "job.cancel": "a client asks the external system to cancel a job",
  "trigger.commit": "the triggerer commits the event that a deferred task waits for",
} as const;

/** The name of a site, as scenarios and traces write it. */
export type SiteName = keyof typeof SITES;

export const SITE_NAMES: readonly SiteName[] = Object.freeze(Object.keys(SITES) as SiteName[]);

/** What a call at a site does in the metadata database. */
export type Transaction = "read" | "claim" | "commit";

/**
 * The sites where a transaction of the metadata database begins and ends with the call. Only a
 * connection is wanting for one that reads; one that claims or commits can also wait for a lock.
 */
export const TRANSACTIONS: ReadonlyMap<SiteName, Transaction> = new Map([
  ["database.query", "claim"],
  ["database.commit", "commit"],
  ["database.queue", "commit"],
  ["scheduler.commit", "commit"],
  ["store.read", "read"],
  ["store.commit", "commit"],
  ["store.sweep", "commit"],
  ["task.commit", "commit"],
  ["trigger.commit", "commit"],
]);

/** The same where a store stands for API server and database in one. */
export const STORE_TRANSACTIONS: ReadonlyMap<SiteName, Transaction> = new Map([
  ["api.get-task-state", "read"],
  ["api.set-task-state", "commit"],
  ["api.delete-task-state", "commit"],
]);

/**
 * Where a callee can answer about another's in every world: the answer says which job it is about.
 */
export const LYING_SITES: readonly SiteName[] = ["job.status"];

/**
 * The same where attempts read their state over an API server. What that replies says which key it
 * is of; what the server reads in the database does not, and only the value can tell whose it is.
 */
export const LYING_STORE_SITES: readonly SiteName[] = ["api.get-task-state", "store.read"];

/** Where a factory returns at once: it can fail there, or its host die; nothing else can strike it. */
export const FACTORY_SITE: SiteName = "producer.create";
