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
} as const;

export type SiteName = keyof typeof SITES;

export const SITE_NAMES: readonly SiteName[] = Object.freeze(Object.keys(SITES) as SiteName[]);
