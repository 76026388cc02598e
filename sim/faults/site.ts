/**
 * The named boundaries at which a fault may strike, with what passes there.
 *
 * Source: spec, shared streams, section D (steps T0 to T19)
 */
export const SITES = {
  "database.query": "the supervisor reads trigger rows, or claims them",
  "database.commit": "the asset event of a trigger event is committed, in a session of its own",
  "database.queue": "the rows that an asset event queues are committed",
  "sync.request": "the runner's state changes reach the supervisor and the answer comes back",
  "sync.encode": "the runner encodes a trigger event for its way out",
  "supervisor.handle": "the supervisor takes the next trigger event off its queue",
  "supervisor.confirm": "the supervisor remembers a sequence number as persisted",
  "runner.filter": "a filter has taken a raw event and works on it",
  "runner.yield": "a filter yields a trigger event",
  "runner.bound": "a trigger event was bound and queued outbound",
  "runner.confirm": "confirmations reach the manager",
  "producer.connect": "a producer opens its broker connection",
  "producer.fetched": "a producer holds a record that is not broadcast yet",
  "producer.broadcast": "a raw event is about to be fanned out",
  "producer.advance": "the manager hands a resolved batch to the producer",
  "producer.close": "a producer releases its broker connection",
  "broker.fetch": "a consumer fetches records",
  "broker.settle": "a consumer commits an offset",
  "broker.produce": "a record is appended to a topic, the dead-letter topic among them",
  "broker.session": "a consumer's membership of its group is still valid",
  "scheduler.commit": "the scheduler commits what one of its loops decided",
  "api.take-task": "a worker asks the API server for a queued task and a token for its attempt",
  "api.heartbeat": "a worker's supervisor says that its attempt is alive, and hears of a kill",
  "api.finish-attempt": "a worker's supervisor reports how an attempt ended",
  "api.get-task-state": "an attempt reads a key of its state store",
  "api.set-task-state": "an attempt writes a key of its state store",
  "api.delete-task-state": "an attempt deletes a key, or clears its scope",
  "api.xcom": "an attempt pushes or pulls an XCom",
  "store.read": "the API server reads the state store in the metadata database",
  "store.commit": "a write of the state store is committed to the metadata database",
  "store.sweep": "one batch of expired keys is deleted from the metadata database",
  "task.commit": "the API server commits a task instance's next state",
  "task.step": "a task is between two effects of its own",
  "warehouse.query": "a task asks its source what there is",
  "warehouse.load": "a task commits a page or a range of rows at its target",
  "job.submit": "a client asks the outside system to take a job, and hears what it is called",
  "job.status": "a client asks the outside system how a job is, or which jobs there are",
  "job.result": "a client fetches the result of a job",
  "job.cancel": "a client asks the outside system to cancel a job",
  "trigger.commit": "the triggerer commits the event that a deferred task waits for",
} as const;

export type SiteName = keyof typeof SITES;

export const SITE_NAMES: readonly SiteName[] = Object.freeze(Object.keys(SITES) as SiteName[]);
