import { EXPLAINED } from "../../real/elasticmq-as-aws.ts";
import { KINESIS } from "../observed/kinesis.ts";
import { SQS } from "../observed/sqs.ts";
import { SQS_FIFO } from "../observed/sqs-fifo.ts";
import type { Comparison } from "./comparison.ts";

const REQUEST_DIFFERS: readonly [string, string] = [
  "A request that a middleware sees has the headers of the protocol, and neither a body nor what the library says of itself",
  "what is changed of it goes nowhere",
];

export const KINESIS_COMPARISON: Comparison = {
  broker: "Kinesis",
  observed: KINESIS,
  rerun: "test:real",
  drawn:
    "single and several puts by keys of both shards, iterators of every kind but at an instant, also by numbers of the other shard, and reads by each of them, once and again, with right and wrong limits; and every command with each of its fields missing, right, at its limits and of another type",
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
    [
      "Without the option `deadLetterStreams` any other stream takes records as dead letters; with it another one is refused, as it is here",
      "a producer may call its streams as it likes",
    ],
    [
      "kinesalite refuses a PutRecords for its length only above 7 MB, and ends a closed shard with a read that finds nothing",
      "the API reference has 5 MiB for PutRecords, and no next iterator with the shard's last records",
    ],
    [
      "A description of no stream is refused with InvalidArgumentException",
      "kinesalite, which is older than `StreamARN`, has ValidationException",
    ],
    [
      "`MillisBehindLatest` says how old the next record is",
      "kinesalite says 0 while there are records left",
    ],
    [
      "A request that was aborted before it was sent rejects with AbortError",
      "so does the SDK's own handler; the test has another one, as kinesalite does not speak HTTP/2",
    ],
    [
      "While the server is down, a request ends with TimeoutError",
      "the SDK has an error of the system, whose code depends on its handler",
    ],
    [
      "An error has `name`, `message`, `$fault` and `$metadata`, and messages are worded as the services word them",
      "`__type`, `Error`, `$retryable` and `$response`, which the SDK's error has as well, say how a reply was read",
    ],
    [
      "Leases and checkpoints are those of the Kinesis Client Library, which is not compared",
      "it runs on Java",
    ],
    [
      "kinesalite does not look at `MaxResults` and the filters of ListShards",
      "the API reference has both; nothing is ever trimmed in the model",
    ],
    REQUEST_DIFFERS,
    [
      "Texts of errors name account 000000000000, and nothing of a list that is too long",
      "kinesalite has the account that it is told, and Java's name for each entry",
    ],
    [
      "A number or truth where a text or bytes are to be is told of as `NUMBER_VALUE` or `TRUE_VALUE`, and a text where a number or a time is to be as `STRING_VALUE`",
      "so the services word it; kinesalite has the names of Java's classes, as they did before",
    ],
    [
      "An explicit hash key is a whole number",
      "the API reference has a pattern for it; kinesalite takes whatever begins or ends as it has",
    ],
    [
      "A sequence number that no shard has given is invalid",
      "kinesalite reads from any number a shard, which may be none, and fails with InternalFailure for 0",
    ],
  ],
  leftOut: [
    "other commands: streams, tags, consumers with enhanced fan-out, merging and splitting",
    "an iterator at an instant with a `StartingSequenceNumber`",
    "`StreamARN`, filters of ListShards by an instant",
    "reading another stream than the workload's",
    "the client's `config`; of its `middlewareStack` the steps that run for each attempt, `clone`, `concat`, `addRelativeTo`, `applyToStack` and `resolve`",
  ],
};

export const SQS_COMPARISON: Comparison = {
  broker: "SQS",
  observed: { ...SQS, observations: [...SQS.observations, ...SQS_FIFO.observations] },
  rerun: "test:real",
  drawn:
    "messages of two groups on a standard and on a FIFO queue that are received, deleted and kept, one by one and in batches, by right, outdated and unknown handles, with timeouts of 0, 1, 2 and 30 s that end while the sequence waits; and every command with each of its fields missing, right, at its limits and of another type: whether it is taken, and with what effect",
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
    [
      "Without the options `queue` and `deadLetterQueues` any other queue takes messages as dead letters; with them another one does not exist, as it is here",
      "a producer may call its queues as it likes",
    ],
    [
      "A FIFO queue hands out messages of several groups in the order in which they were sent",
      "the API reference has that it first tries to return as many as possible of one group, and promises no order between groups; ElasticMQ does so",
    ],
    [
      "A long poll that was aborted takes nothing any more",
      "what the stand-in finds for one goes to nobody and is invisible for its timeout; what the service does is not documented, and a message that is in flight for nobody comes by faults",
    ],
    [
      "The URL that GetQueueUrl gives is one of the service, with an account of zeros; the name of a queue alone is taken for its URL as well",
      "a run is the same each time; the service has InvalidAddress for what is no address of it, but what it takes for one is not documented",
    ],
    [
      "A FIFO queue, too, accepts a second delete by one handle",
      "the API reference has that a delete of what is deleted succeeds; ElasticMQ refuses it on a FIFO queue",
    ],
    [
      "A sequence number has 20 digits, and comes with the results of a batch",
      "so it is documented; ElasticMQ counts from 1, and leaves it out of a batch",
    ],
    [
      "While the server is down, a request is replied to with ServiceUnavailable, 503",
      "the service has many hosts, and one that replies in front of them; of a server without any the SDK has an error of the system, ECONNREFUSED",
    ],
    [
      "An error has `name`, `message`, `$fault` and `$metadata`, and messages are worded as the services word them",
      "`__type`, `Error`, `$retryable` and `$response`, which the SDK's error has as well, say how a reply was read",
    ],
    REQUEST_DIFFERS,
    [
      "Nothing is deduplicated in another queue, a FIFO queue takes messages without an id for it, and replies have neither sequence numbers nor sums of attributes",
      "how another queue is set up is not known: it may make the ids itself",
    ],
    [
      "A receive that finds nothing has no `Messages`, and a batch has both of its lists",
      "that is what the service replies; ElasticMQ has an empty list, and no `Failed` where nothing has",
    ],
    [
      "GetQueueAttributes that asks for none has no `Attributes`",
      "the service leaves out what is empty; ElasticMQ has an empty map",
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
    "an entry without a `ReceiptHandle` in a batch, a `MessageBody` that is no text and is written as one",
    "receiving from a queue that something was sent to, unless the option `queue` names it",
    "`ListQueues`, `PurgeQueue`, `SetQueueAttributes` and other administration, `ReceiveRequestAttemptId`, `MessageSystemAttributes`, receiving from a queue of dead letters",
    "the client's `config` and so its paginators, middleware of a command; of the client's `middlewareStack` the steps that run for each attempt, `clone`, `concat`, `addRelativeTo` and `resolve`",
  ],
};
