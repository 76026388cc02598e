import { EXPLAINED } from "../../real/elasticmq-as-aws.ts";
import { KINESIS } from "../observed/kinesis.ts";
import { SQS } from "../observed/sqs.ts";
import type { Comparison } from "./comparison.ts";

export const KINESIS_COMPARISON: Comparison = {
  broker: "Kinesis",
  observed: KINESIS,
  rerun: "test:real",
  drawn:
    "single and several puts by keys of both shards, iterators of every kind but at an instant, also by numbers of the other shard, and reads by each of them, once and again, with right and wrong limits",
  differs: [
    [
      "kinesalite ends a closed shard with an empty read, some moments later, and never names its children",
      "the API reference of GetRecords has a `NextShardIterator` of null once the shard is closed and the iterator returns no more, and `ChildShards` at that end",
    ],
    [
      "kinesalite's `MillisBehindLatest` of an open shard is always 0, so only the tip is compared",
      "the API reference has how far the response is from the tip of the stream",
    ],
    [
      "kinesalite never replies to an iterator at an instant behind the newest record, so none is asked for",
      "the API reference has no such case: the model's iterator is then for what comes next",
    ],
    [
      "Records of the workload are aggregated, as the Kinesis Producer Library does with a burst",
      "readers who do not expect it are to find out; what the SDK puts is not",
    ],
    ["Any other stream takes records as dead letters", "one stream is checked"],
    [
      "Leases and checkpoints are those of the Kinesis Client Library, which is not compared",
      "it runs on Java",
    ],
    [
      "kinesalite does not look at `MaxResults` and the filters of ListShards",
      "the API reference has both; nothing is ever trimmed in the model",
    ],
    ["Texts of errors name no account and no values", "a run is the same each time"],
  ],
  leftOut: [
    "other commands: streams, tags, consumers with enhanced fan-out, merging and splitting",
    "descriptions of streams, `StreamARN`, `ExplicitHashKey`, `SequenceNumberForOrdering`, filters of ListShards by an instant",
    "reading another stream than the workload's",
    "the client's `config`; of its `middlewareStack` the steps that run for each attempt, `clone`, `concat`, `addRelativeTo`, `applyToStack` and `resolve`",
  ],
};

export const SQS_COMPARISON: Comparison = {
  broker: "SQS",
  observed: SQS,
  rerun: "test:real",
  drawn:
    "messages of two groups on a standard and on a FIFO queue that are received, deleted and kept, one by one and in batches, by right, outdated and unknown handles, with timeouts of 0, 1, 2 and 30 s that end while the sequence waits",
  differs: [
    ...SQS.observations.flatMap(({ name, standIn }): [string, string][] =>
      standIn === undefined
        ? []
        : [
            [
              `ElasticMQ shows something else in "${name}"`,
              `AWS documents that ${standIn.documented}`,
            ],
          ],
    ),
    ...EXPLAINED.map(([what, why]): [string, string] => [`In drawn sequences: ${what}`, why]),
    ["Any other queue takes messages as dead letters", "one queue is checked"],
    [
      "Nothing is deduplicated in another queue, a FIFO queue takes messages without an id for it, and replies have neither sequence numbers nor sums of attributes",
      "how another queue is set up is not known: it may make the ids itself",
    ],
    [
      "A receive that finds nothing has no `Messages`, and a batch has both of its lists",
      "that is what the service replies; ElasticMQ has an empty list, and no `Failed` where nothing has",
    ],
    [
      "A number that is no integer is refused with SerializationException",
      "ElasticMQ refuses it as well, with a reply that the SDK cannot read",
    ],
    [
      "`requestTimeout` has no effect",
      "the SDK's handler only warns of a reply that takes longer, unless it was made to throw",
    ],
  ],
  leftOut: [
    "sending to the queue that is read",
    "`GetQueueUrl`, `GetQueueAttributes`, `ListQueues`, `PurgeQueue` and other administration",
    "the client's `config` and so its paginators, middleware of a command; of the client's `middlewareStack` the steps that run for each attempt, `clone`, `concat`, `addRelativeTo` and `resolve`",
  ],
};
