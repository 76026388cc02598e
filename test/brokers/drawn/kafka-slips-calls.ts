import * as fc from "fast-check";
import { type Drawn, fields, mostly } from "./odd-values.ts";
import {
  flag,
  handlerOf,
  header,
  type Methods,
  named,
  one,
  some,
  text,
  TOPIC,
  unknown,
} from "./slips-steps.ts";

const c = fc.constant;
const NONE = named("no topic");
const topic = mostly(
  fc.oneof({ weight: 8, arbitrary: c(TOPIC) }, { weight: 1, arbitrary: c(NONE) }),
);
/** A server creates it, but later than the model. */
const sentTo = mostly(c(TOPIC));
/** Other programs have groups of such names, too. */
const SHARED = /"text/;
const group = mostly(
  fc.oneof(
    { weight: 6, arbitrary: c(named("group")) },
    { weight: 1, arbitrary: c(named("no group")) },
  ),
).filter((drawn) => !SHARED.test(JSON.stringify(drawn)));
const partition = mostly(fc.constantFrom<Drawn>(0, 0, 0, 0, 7));
const offset = mostly(fc.constantFrom<Drawn>("0", "1", "2", "9", "-1", "-2", "-5"));

const content = (needed: Readonly<Record<string, fc.Arbitrary<Drawn>>>): fc.Arbitrary<Drawn> =>
  fields(
    { value: mostly(fc.oneof(text, c(null))), ...needed },
    {
      key: mostly(fc.oneof(text, c(null))),
      headers: mostly(fc.dictionary(fc.constantFrom("a", "b"), header)),
      timestamp: mostly(fc.constantFrom<Drawn>("4102444800000", "1.5")),
    },
  );
const message = mostly(fc.oneof(content({ partition }), content({ key: c("a") })), 24);
const messages = mostly(some(message, 3, 0), 24);
const how = {
  acks: mostly(fc.constantFrom<Drawn>(-1, 0, 1, 2)),
  timeout: mostly(fc.constantFrom<Drawn>(1000, 30_000)),
  compression: mostly(fc.constantFrom<Drawn>(0, 1, 2, 3, 4)),
  ...unknown,
};
export const retryOptions = fields(
  { retries: c<Drawn>(1), initialRetryTime: c<Drawn>(20) },
  {
    maxRetryTime: mostly(c(50)),
    multiplier: mostly(c(2)),
    factor: mostly(c(0)),
    restartOnFailure: mostly(fc.constantFrom<Drawn>(named("restart"), named("no restart"))),
    ...unknown,
  },
  9,
);
const place = { topic, partition, offset };
const paused = mostly(some(mostly(fields({ topic }, { partitions: mostly(some(partition)) }, 1))));
const thrown = fc.constantFrom<Drawn>(
  "error",
  "text",
  "undefined",
  "null",
  "final",
  "TypeError",
  "cause",
);
const act: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(
    fc.constantFrom<Drawn>(
      "heartbeat",
      "pause",
      "pause and resume",
      "pass",
      "stop",
      "produce",
      "uncommitted",
      "running",
      "nothing",
    ),
  ),
  fc.tuple(
    fc.constantFrom<Drawn>("commit", "seek", "resolve"),
    fc.constantFrom<Drawn>(0, 1, 2, -1),
  ),
  fc.tuple(
    fc.constantFrom<Drawn>("commitIfNecessary"),
    fc.constantFrom<Drawn>("none", "uncommitted", "empty", 1, 2),
  ),
  fc.tuple(fc.constantFrom<Drawn>("throw"), thrown),
);
const handler = handlerOf(act);
const running = fields(
  {},
  {
    autoCommit: flag,
    autoCommitInterval: mostly(fc.constantFrom<Drawn>(1, 1000, null)),
    autoCommitThreshold: mostly(fc.constantFrom<Drawn>(1, 2, 100, null)),
    eachBatchAutoResolve: flag,
    partitionsConsumedConcurrently: mostly(fc.constantFrom<Drawn>(1, 2)),
    ...unknown,
  },
).chain((others) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: c("eachMessage") },
        { weight: 6, arbitrary: c("eachBatch") },
        { weight: 1, arbitrary: c("neither") },
      ),
      mostly(handler, 20),
    )
    .map(([name, one]): Drawn => ({
      ...(others as object),
      ...(name === "neither" ? {} : { [name]: one }),
    })),
);

const EVENTS = [
  "CONNECT",
  "GROUP_JOIN",
  "START_BATCH_PROCESS",
  "COMMIT_OFFSETS",
  "STOP",
  "CRASH",
  "DISCONNECT",
];
export const METHODS: Methods = {
  producer: {
    connect: c([]),
    disconnect: c([]),
    send: one(fields({ topic: sentTo, messages }, how, 7), 30),
    sendBatch: one(
      fields(
        { topicMessages: mostly(some(mostly(fields({ topic: sentTo, messages }), 24), 2), 24) },
        how,
        7,
      ),
      24,
    ),
    isIdempotent: c([]),
    on: fc.tuple(
      mostly(fc.constantFrom<Drawn>(named("event CONNECT"), named("event DISCONNECT"))),
      mostly(c(named("listener"))),
    ),
  },
  consumer: {
    connect: c([]),
    disconnect: c([]),
    stop: c([]),
    subscribe: one(
      fc.oneof(
        fields(
          {
            topics: mostly(some(mostly(fc.constantFrom<Drawn>(TOPIC, TOPIC, named("pattern"))), 2)),
          },
          { fromBeginning: flag, ...unknown },
          1,
        ),
        fields(
          { topic: mostly(fc.constantFrom<Drawn>(TOPIC, TOPIC, named("pattern"))) },
          { fromBeginning: flag },
          1,
        ),
      ),
      24,
    ),
    run: one(running, 24),
    commitOffsets: one(
      mostly(some(mostly(fields(place, { metadata: mostly(c("m")) }), 20)), 20),
      20,
    ),
    seek: one(fields(place), 20),
    pause: one(paused, 20),
    resume: one(paused, 20),
    paused: c([]),
    describeGroup: c([]),
    on: fc.tuple(
      mostly(fc.constantFrom<Drawn>(...EVENTS.map((name) => named(`event ${name}`)))),
      mostly(c(named("listener"))),
    ),
  },
  admin: {
    connect: c([]),
    disconnect: c([]),
    createTopics: one(
      fields(
        {
          topics: mostly(
            some(
              mostly(
                fields(
                  {
                    topic: mostly(
                      fc.constantFrom<Drawn>(named("new topic"), named("new topic"), TOPIC, "a b"),
                    ),
                  },
                  {
                    numPartitions: mostly(fc.constantFrom<Drawn>(1, 2, -1, 0)),
                    replicationFactor: mostly(fc.constantFrom<Drawn>(1, -1, 2)),
                    configEntries: mostly(
                      some(
                        fields({
                          name: mostly(
                            fc.constantFrom<Drawn>("retention.ms", "cleanup.policy", "no.such"),
                          ),
                          value: mostly(fc.constantFrom<Drawn>("1000", "compact")),
                        }),
                      ),
                    ),
                    replicaAssignment: mostly(some(fields({ partition: c(0), replicas: c([1]) }))),
                    ...unknown,
                  },
                ),
                20,
              ),
              2,
            ),
            20,
          ),
        },
        {
          validateOnly: flag,
          waitForLeaders: flag,
          timeout: mostly(fc.constantFrom<Drawn>(1000, 5000)),
          ...unknown,
        },
      ),
      20,
    ),
    fetchTopicOffsets: one(topic),
    fetchTopicOffsetsByTimestamp: fc.oneof(
      fc.tuple(topic, mostly(fc.constantFrom<Drawn>(0, 1_700_000_000_000, 1_900_000_000_000, -1))),
      fc.tuple(topic),
    ),
    fetchTopicMetadata: fc.oneof(one(fields({ topics: mostly(some(topic, 2, 1)) }, unknown), 20)),
    fetchOffsets: one(
      fields(
        { groupId: group },
        { topics: mostly(some(topic, 2, 1)), resolveOffsets: flag, ...unknown },
        1,
      ),
      20,
    ),
    setOffsets: one(
      fields({
        groupId: group,
        topic,
        partitions: mostly(
          some(
            mostly(fields({ partition, offset }, { metadata: mostly(c("m")), ...unknown }), 20),
            2,
          ),
          20,
        ),
      }),
      20,
    ),
    resetOffsets: one(fields({ groupId: group, topic }, { earliest: flag, ...unknown }, 1), 20),
    describeGroups: one(mostly(some(group))),
    on: fc.tuple(
      mostly(fc.constantFrom<Drawn>(named("event CONNECT"), named("event DISCONNECT"))),
      mostly(c(named("listener"))),
    ),
  },
};
