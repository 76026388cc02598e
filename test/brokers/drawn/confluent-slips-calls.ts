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
const topic = mostly(c(TOPIC), 20);
/** Other programs have groups of such names, too. */
const SHARED = /"text/;
const group = mostly(
  fc.oneof(
    { weight: 6, arbitrary: c(named("group")) },
    { weight: 1, arbitrary: c(named("no group")) },
  ),
).filter((drawn) => !SHARED.test(JSON.stringify(drawn)));
const partition = mostly(fc.constantFrom<Drawn>(0, 0, 0, 0, 7), 20);
const offset = mostly(fc.constantFrom<Drawn>("0", "1", "2", "9", "-2", "-3", "-5"), 20);

const message = mostly(
  fields(
    { value: mostly(fc.oneof(text, c(null))), partition },
    {
      key: mostly(fc.oneof(text, c(null))),
      headers: mostly(fc.dictionary(fc.constantFrom("a", "b"), header)),
      timestamp: mostly(fc.constantFrom<Drawn>("4102444800000", 4_102_444_800_000)),
    },
  ),
  24,
);
const messages = mostly(some(message, 3, 0), 24);
const misplaced = {
  acks: c<Drawn>(-1),
  timeout: c<Drawn>(1000),
  compression: c<Drawn>(0),
  ...unknown,
};
const paused = mostly(some(mostly(fields({ topic }, { partitions: mostly(some(partition)) }, 1))));
const thrown = fc.constantFrom<Drawn>("error", "text", "undefined", "null", "TypeError");
const act: fc.Arbitrary<Drawn> = fc.oneof(
  fc.tuple(
    fc.constantFrom<Drawn>(
      "heartbeat",
      "pause",
      "pause and resume",
      "pass",
      "produce",
      "uncommitted",
      "running",
      "nothing",
    ),
  ),
  fc.tuple(fc.constantFrom<Drawn>("commit", "seek", "resolve"), fc.constantFrom<Drawn>(0, 1, 2)),
  fc.tuple(
    fc.constantFrom<Drawn>("commitIfNecessary"),
    fc.constantFrom<Drawn>("none", "uncommitted"),
  ),
  fc.tuple(fc.constantFrom<Drawn>("throw"), thrown),
);
const handler = handlerOf(act);
const running = fields(
  {},
  {
    eachBatchAutoResolve: flag,
    partitionsConsumedConcurrently: mostly(fc.constantFrom<Drawn>(1, 2)),
    autoCommit: flag,
    autoCommitInterval: mostly(c(1000)),
    autoCommitThreshold: mostly(c(1)),
    ...unknown,
  },
  9,
).chain((others) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: c("eachMessage") },
        { weight: 6, arbitrary: c("eachBatch") },
        { weight: 1, arbitrary: c("neither") },
      ),
      mostly(handler, 24),
    )
    .map(([name, one]): Drawn => ({
      ...(others as object),
      ...(name === "neither" ? {} : { [name]: one }),
    })),
);

export const METHODS: Methods = {
  producer: {
    connect: c([]),
    disconnect: c([]),
    send: one(fields({ topic, messages }, misplaced, 19), 30),
    sendBatch: one(
      fields(
        { topicMessages: mostly(some(mostly(fields({ topic, messages }), 24), 2), 24) },
        misplaced,
        19,
      ),
      24,
    ),
    flush: one(fields({ timeout: mostly(fc.constantFrom<Drawn>(500, 1000)) }, unknown)),
  },
  consumer: {
    connect: c([]),
    disconnect: c([]),
    subscribe: one(
      fc.oneof(
        fields(
          {
            topics: mostly(some(mostly(fc.constantFrom<Drawn>(TOPIC, TOPIC, named("pattern"))), 2)),
          },
          { fromBeginning: flag, replace: flag, ...unknown },
          9,
        ),
        fields(
          { topic: mostly(fc.constantFrom<Drawn>(TOPIC, TOPIC, named("pattern"))) },
          { replace: flag },
          4,
        ),
      ),
      24,
    ),
    run: one(running, 24),
    commitOffsets: one(
      mostly(
        some(
          mostly(
            fields(
              { topic, partition, offset },
              { metadata: mostly(c("m")), leaderEpoch: mostly(fc.constantFrom<Drawn>(0, null)) },
            ),
            24,
          ),
        ),
        24,
      ),
      20,
    ),
    committed: fc.oneof(c([]), one(mostly(some(mostly(fields({ topic, partition }), 20))), 20)),
    seek: one(fields({ topic, partition, offset }, { leaderEpoch: mostly(c(0)) }), 20),
    pause: one(paused, 20),
    resume: one(paused, 20),
    paused: c([]),
    assignment: c([]),
    rebalanceProtocol: c([]),
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
        { validateOnly: flag, timeout: mostly(fc.constantFrom<Drawn>(1000, 5000)), ...unknown },
      ),
      20,
    ),
    fetchTopicOffsets: fc.oneof(
      one(topic),
      fc.tuple(
        topic,
        fields(
          {},
          {
            timeout: mostly(c(2000)),
            isolationLevel: mostly(fc.constantFrom<Drawn>(0, 1)),
            ...unknown,
          },
        ),
      ),
    ),
    fetchOffsets: one(
      fields(
        { groupId: group },
        {
          topics: mostly(
            some(
              mostly(fc.oneof(c(TOPIC), fields({ topic, partitions: mostly(some(partition)) }))),
              2,
              1,
            ),
          ),
          timeout: mostly(c(2000)),
          requireStableOffsets: flag,
          ...unknown,
        },
        1,
      ),
      20,
    ),
  },
};
