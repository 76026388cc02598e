import { refusedNames } from "../../../sim/brokers/redis/refused-commands.ts";
import { CONFLUENT_KAFKA } from "../observed/confluent.ts";
import { KAFKA } from "../observed/kafka.ts";
import { MQTT } from "../observed/mqtt.ts";
import { NATS } from "../observed/nats.ts";
import { NODE_REDIS } from "../observed/node-redis.ts";
import { PUBSUB } from "../observed/pubsub.ts";
import { RABBITMQ } from "../observed/rabbitmq.ts";
import { REDIS } from "../observed/redis.ts";
import { SCRIPTS as FEED_SCRIPTS } from "../http-feed/scripts.ts";
import { SCRIPTS } from "../outbox/scripts.ts";
import { KINESIS_COMPARISON, SQS_COMPARISON } from "./aws-comparisons.ts";
import type { Comparison } from "./comparison.ts";

const COMMANDS_LEFT_OUT = refusedNames().filter((name) => !name.endsWith("Buffer"));

const OUTBOX_SCRIPTS = Object.keys(SCRIPTS).map((name) => ({ name }));

export const COMPARISONS: readonly Comparison[] = [
  {
    broker: "HTTP feed",
    observed: {
      server: "a server of node:http through the global fetch of Node.js 24",
      observations: Object.keys(FEED_SCRIPTS).map((name) => ({ name })),
      folder: "http-feed",
    },
    rerun: "npm test",
    drawn:
      "requests with addresses, methods, headers, bodies, signals and options of every kind, and what is done with a response and its copies: each way of reading it, in any order, also behind an abort",
    differs: [
      [
        "A body comes at once, in one piece, and bytes of a copy are there also when the other is not read",
        "replies are short; where a connection breaks between head and body is not modelled",
      ],
      [
        "A request that waits when its server is silently gone waits for ever",
        "Node.js gives up after five minutes, browsers and Deno do not",
      ],
      [
        "Of the cause of a failed request only its message is given",
        "each runtime has another one",
      ],
    ],
    leftOut: [
      "other paths and methods than those of the feed",
      "a `Request` with a body; bodies other than text, bytes and the fields of a form; `integrity`, `referrer`, `duplex` and `window`",
      "`blob` and `formData` of a response",
    ],
  },
  {
    broker: "Kafka",
    observed: KAFKA,
    rerun: "test:real",
    drawn:
      "sending by key and by partition, commits by hand, seeks to every kind of offset, pauses, resumptions and new starts of a group's one consumer, on two partitions; and programs that slip: each method and option of a consumer, a producer and an admin with values of every kind, in any order, with handlers that throw, commit, seek, pause, stop and send",
    differs: [
      ["Any topic other than the workload's takes records as dead letters", "one topic is checked"],
      [
        "A topic exists as soon as it is named, also by a subscription or a send, and whatever `allowAutoTopicCreation` says",
        "a producer chooses the topic that it is checked with, and who has none created has somebody else create it",
      ],
      [
        "`setOffsets`, `resetOffsets` and `fetchOffsets` with `resolveOffsets` are over at once",
        "the library lets a consumer of its own join the group and fetch once, which takes up to 5 s",
      ],
      [
        "A subscription by a pattern never takes `__consumer_offsets`, whatever it is",
        "what the server keeps there is not the caller's",
      ],
      [
        "What a topic is set to is checked, and has no effect",
        "retention is a disturbance, and a message may have a megabyte",
      ],
      [
        "Two members whose rebalance timeout is as long as a fetch waits, and who begin in step, put each other out for as long as they are in step",
        "on the server, too, but there a request takes a little more or less each time: after some rounds they are not",
      ],
      [
        "A new group begins at once, as with a `group.initial.rebalance.delay.ms` of 0",
        "Kafka's default of 3 s would make runs longer",
      ],
      [
        "What `send` and an admin resolve with is in the order of the partitions, in which members share them as well, sends that are not awaited take effect in order",
        "the server promises neither",
      ],
      [
        "A client that is used again right after its `disconnect` has a new connection",
        "the library may lose that one when the server closes the old one: the first request then fails with an error that is tried again",
      ],
      [
        "The function that `on` returns, which takes the listener off, returns nothing",
        "so its types say; the library's returns its emitter",
      ],
      [
        "Of the requests of a client nobody is told: `REQUEST`, `REQUEST_TIMEOUT` and `REQUEST_QUEUE_SIZE` are names of events that never come",
        "the model calls its broker, and writes no requests",
      ],
      [
        "The pauses between tries of kafkajs have no jitter: the comparisons set its `factor` to 0",
        "a run has to be the same each time",
      ],
      [
        "A broker that does not answer is given up after 10 s, and the `cause` of a lost connection is the simulator's",
        "the library waits 1 s for a connection and 30 s for a reply, and names no cause",
      ],
      [
        "`batchContext` of a message is that of one sent alone, by nobody in particular",
        "how a sender has cut its batches says nothing of a message",
      ],
      [
        "Errors that the engine words, and the own members of a batch (`rawMessages`, `messagesWithinOffset`, `fetchedOffset`, and of its questions those that its types do not have, as `isEmptyControlRecord`)",
        "they are not the library's interface",
      ],
      [
        "Clocks, ids of members, their encoded assignments, and what else a server makes up",
        "a run has to be the same each time",
      ],
    ],
    leftOut: [
      "transactions of a producer",
      "consumers with other `partitionAssigners`",
      "values of a type that only a caller without types can give, where the library does not refuse them itself, each refused by its name",
      "what operators do: `createPartitions`, `deleteTopics`, `deleteTopicRecords`, `deleteGroups`, configurations, access lists, reassignments, `describeCluster`",
    ],
  },
  {
    broker: "confluent-kafka",
    observed: CONFLUENT_KAFKA,
    rerun: "test:real",
    drawn:
      "programs that slip: each method and option of a consumer, a producer and an admin with values of every kind, in any order, with handlers that throw, commit, seek and pause; and the sequences of kafkajs, by this library: sending by key and by partition, commits by hand, seeks to every kind of offset, pauses, resumptions and new starts of a group's one consumer, on two partitions",
    differs: [
      [
        "The log and the groups are those that are compared through kafkajs",
        "it is one model of a cluster",
      ],
      [
        "One commit is under way at a time, and one that is tried again does not land after a later one of its partition",
        "librdkafka sends further ones meanwhile; a producer could not keep the position from moving back",
      ],
      [
        "A message is tried again, a fetch and a join go on for ever, and the pauses between tries have no jitter",
        "a run has to be the same each time",
      ],
      [
        "Records that wait in several partitions are handed out in the order of the partitions",
        "the server and librdkafka promise none",
      ],
      ["Members that begin with an underscore", "they are not the library's interface"],
      [
        "A `disconnect` from within a handler, which the library forbids, ends behind the handler",
        "the library ends at once, so that the message of the handler comes again",
      ],
      [
        "Of several messages of one send that are refused, one that cannot be written is told of first",
        "the library tells of the first of them, which may be one whose partition is none",
      ],
      [
        "Texts of errors are shorter than the library's, which show how to write it instead, and of the server's refusals they are Kafka's own",
        "what tells an error is its `code` and `type`",
      ],
    ],
    leftOut: [
      "transactions of a producer, `acks` other than all, partitioners other than `murmur2_random` and `consistent_random`",
      "other ways to assign partitions than `roundrobin`, also cooperative ones, and `group.protocol: consumer`",
      "`storeOffsets` and `setSaslCredentialProvider`, which only the library's types have",
      "a seek whose partition is a text: behind it the library reads no more of the partition",
      "a commit of an offset above 9,007,199,254,740,991",
      "a commit, or a question for what is committed, without a topic or a partition, and a pause of a partition that is a text: the library's process ends with a segmentation fault",
      "administration beyond `listTopics`, `createTopics`, `fetchTopicMetadata`, `fetchTopicOffsets` and `fetchOffsets`",
      "properties of librdkafka that the model would have to ignore, each refused by its name",
      "what becomes of records in hand when `max.poll.interval.ms` is over: the member leaves, no more",
    ],
  },
  KINESIS_COMPARISON,
  {
    broker: "MQTT",
    observed: MQTT,
    rerun: "test:real",
    drawn:
      "two clients, one of each version, that come, go without a word or say goodbye, subscribe to filters that overlap, and acknowledge messages, or not, one after the other; and one that publishes and retains",
    differs: [
      [
        "Records wait until somebody has subscribed to them",
        "the publisher is taken to be started last; from then on what nobody subscribes to is dropped",
      ],
      ["What is published to the dead-letter topic is kept", "an operator subscribes to it"],
      ["The server notices a client that is silently gone after 2 s", "it would be 90 s"],
      ["Ids of clients and messages count from 1", "a run is the same each time"],
      [
        "A refused message costs a client of version 3.1.1 its connection",
        "mosquitto confirms and drops it, which no client can tell; the standard allows both",
      ],
      ["There are no topics below `$SYS`", "no record comes from there"],
      [
        "A receive maximum is never exceeded",
        "mosquitto 2.0.11 counts from the place of what was acknowledged, and sends more ahead; the standard of version 5 forbids it",
      ],
      [
        "A shared subscription gets nothing of what is retained",
        "mosquitto 2.0.11 sends it, the standard of version 5 forbids it",
      ],
      [
        "When the server closes all connections, it keeps what it has for its sessions, and takes new ones at once",
        "mosquitto, when it is killed, refuses connections until it is back, and loses messages that it had not saved; that it forgets its sessions altogether is a disturbance of its own",
      ],
      [
        "A message that comes ahead of a listener is lost to it where both come with one packet of the network",
        "in the model that is always so when a session goes on; so listen before you connect",
      ],
    ],
    leftOut: [
      "versions other than 3.1.1 and 5, authentication beyond names and passwords, which are not looked at",
      "topic aliases, a maximal packet size",
      "stores and message ids of one's own, `reconnect()` with stores",
      "publishing to a topic without a name or above 65,535 bytes, or with a qos that is no number: what the library writes then is no packet",
      "`outgoing`, `queue`, `messageIdProvider` and what else is the library's own state; of `stream` all but `destroy()`",
      "the module's `Client`, `Store`, `KeepaliveManager` and other classes",
    ],
  },
  {
    broker: "NATS",
    observed: NATS,
    rerun: "test:real",
    drawn:
      "publishing, a reader that calls back, stops and is followed by another, and every way to settle what was delivered, once or again",
    differs: [
      ["Deliveries come again after 5 s unless told otherwise", "30 s would make runs longer"],
      ["The consumer exists from the start", "a run begins with records to read"],
      [
        "The time from which a consumer reads is in UTC",
        "the server gives it back in the zone in which it was written",
      ],
      [
        "An `idle_heartbeat` of over half of `expires` is refused by name, and so is a `max_messages` that is no number of messages",
        "the server ends such a pull with status 400, or never replies to it, which is not modelled",
      ],
      [
        "Of several subscriptions that wait at once the first takes all that it has asked for",
        "the server serves them in turns, but promises neither",
      ],
      [
        "With a filter, what a consumer has passed over is not counted in `delivered` before something comes, and counts in `ack_floor` before the next acknowledgement",
        "the server's numbers depend on when it looked",
      ],
      [
        "What was unacknowledged when the server's process was killed comes again when its time is over, to the millisecond",
        "the server has whole seconds on its disk, so that it may come up to a second earlier",
      ],
      [
        "A pull that follows a `nak()` at once finds what was handed back",
        "the server takes acknowledgements and pulls from two queues, so that one with a single core often serves what is new first",
      ],
      [
        "What becomes due again at once comes in the order of the stream",
        "on the server it may come in another, after a reader that has left with messages of its own",
      ],
      [
        "`status()` tells of missed heartbeats, a deleted consumer and a request that nobody takes, not of each pull, heartbeat and rest of a pull; how often it looks for a consumer that is gone has no jitter",
        "the model pulls when there is something to pull, not as the library does",
      ],
      [
        "`getPending()` counts messages alone",
        "what the library notes between them, such as that a pull is over or that it has stopped, counts there, too",
      ],
      [
        "No `type`, no `cluster`, no place in a list, no metadata that begins with `_nats`",
        "the server's own, which change with its version",
      ],
      [
        "The own fields of messages and headers",
        "they are private in the library, and say nothing of what a caller may use",
      ],
      [
        "`data` is a `Uint8Array`, as its type says",
        "on Node.js the library gives a `Buffer` where the message came in one piece",
      ],
      [
        "Streams are on disk, keep everything and have one replica",
        "what is published has to be settled, not to vanish",
      ],
    ],
    leftOut: [
      "ordered consumers, which acknowledge nothing; push consumers; consumers without a durable name, which the server deletes",
      "batches, priority groups, limits in bytes, `max_waiting`, `max_batch`, `max_expires`, `headers_only`, `sample_freq`, `inactive_threshold`, replay as it was published",
      "time to live, schedules and counters of a publish",
      "what operators do to streams and consumers: `update` of a stream, `purge`, `delete`, `deleteMessage`, limits of a stream, retention as a work queue or by interest, `pause`, `resume`, `unpin`, `reset`, `getAccountInfo`, `advisories`",
      "direct reads; `alternates()` and `best()` of a stream, of which there is one",
    ],
  },
  {
    broker: "Pub/Sub",
    observed: PUBSUB,
    rerun: "test:real",
    drawn:
      "publishing, reading with and without flow control, acks, nacks and new deadlines of what came, with and without responses, more listeners, messages to another topic, closing and reading again; one subscription at a time",
    differs: [
      [
        "Ordering keys, exactly-once delivery, dead letters and pauses before the next try follow the documentation",
        "the stand-in, Google's own fake in Debian's golang-google-cloud-dev, is older than they",
      ],
      [
        "An ack after the deadline comes to nothing",
        "the stand-in takes it, as its ack ids outlive their leases; the reference of the method Acknowledge has that it may succeed",
      ],
      [
        "What would undo a nack that is still under way is never sent",
        "the library confirms each message with a whole deadline 100 ms after it came, and the stand-in takes back what was nacked sooner; the observations wait for that",
      ],
      [
        "The deadline of a stream is that of its first request",
        "the stand-in takes the subscription's instead; the reference of StreamingPullRequest has that the first request sets it",
      ],
      [
        "`maxMessages` is never exceeded",
        "the library lets through what comes beyond it unless `allowExcessMessages` is false, which is compared; the stand-in has no flow control, the service has it for each of up to five streams",
      ],
      [
        "Acks, nacks and new deadlines go out at once, and messages to a topic one by one unless it has `batching`",
        "the library gathers them for 100 ms and 10 ms; what may be lost meanwhile is lost here by faults",
      ],
      [
        "Messages come in the order of their publishing",
        "neither service nor stand-in has an order",
      ],
      [
        "Without the options `subscription` and `deadLetterTopics` any topic takes messages as dead letters, any subscription reads the workload until it is made or deleted, and the first that is made of the workload's topic has its records; with them a name that was not made is unknown, as it is here",
        "a producer may call them as it likes",
      ],
      [
        "A name that is unknown or taken is told of in the service's words",
        "the stand-in has its own; the code is the same",
      ],
      [
        "All messages of one response are handed out, also when the first listener closes",
        "so the library does; the stand-in has one message in each response",
      ],
      [
        "Calls of the library that return nothing resolve with undefined",
        "it resolves with an empty list, and its types say nothing",
      ],
      ["A message has own members that the library has as methods", "no producer lists them"],
      ["Ids of messages count from 1", "a run is the same each time"],
      ["A time of publishing has whole milliseconds", "so has the clock of a run"],
      [
        "A message that is empty, has more than 100 attributes, a key above 256 bytes, a value or an ordering key above 1,024, or is in a request above 10 MiB is an INVALID_ARGUMENT",
        "the stand-in takes all but the last, which it refuses with a code at which the library tries again for ten minutes; Google documents these limits, and issues have most of the texts",
      ],
      [
        "A subscription needs no ack deadline, and a setting out of bounds is an INVALID_ARGUMENT, in words of the model's own",
        "the stand-in wants a deadline, looks at few settings, and tells of some with a code at which the library tries again for ten minutes; the bounds are documented",
      ],
      [
        "The streams of a subscription that is deleted end with an error, but for that of who deletes it",
        "the stand-in leaves them open",
      ],
      [
        "A call that makes or deletes something is tried again when its answer is lost, and is told then that it was done",
        "so the library does, which does not know that it was its own",
      ],
    ],
    leftOut: [
      "deleting the topic of the workload, snapshots, `seek`, `detachSubscription`, push, schemas, access control",
      "filters, exports and transforms of a subscription; of a topic all settings but labels and retention; pages of lists, options of single calls",
      "options of topics but for `batching` and `messageOrdering`, `flowControlled`",
      "the subscription options `batching`, `maxAckDeadline`, `streamingOptions`, `useLegacyFlowControl` and `maxBytes`",
      "setting the parts of a time below the millisecond, tracing",
    ],
  },
  {
    broker: "RabbitMQ",
    observed: RABBITMQ,
    rerun: "test:real",
    drawn:
      "publishing, consuming, getting, prefetch, settling one or all, twice or never, recovering, cancelling, closing channels, purging and deleting the queue; one consumer and a channel that gets",
    differs: [
      [
        "Which of several channels gets a message: here the one that asks first",
        "the model's channels take deliveries, the node hands them out in turns",
      ],
      [
        "What several consumers give back at once returns in the queue's order",
        "the node requeues it consumer by consumer, and delivers in between",
      ],
      ["Texts that a server makes up, such as a consumer's tag", "a run is the same each time"],
      [
        "The first declaration of the workload's queues and exchange is right, whatever it is",
        "how they were declared before is not known here; the second has to be alike",
      ],
      [
        "Confirms come one by one, with `multiple` false",
        "the node puts together what it confirms within a moment",
      ],
      [
        "Where only one consumer is active and is cancelled, the next one gets what waits at once",
        "the node of version 3.10 gives it only when a consumer or channel comes or goes, and its queue fails at a publish before that",
      ],
      [
        "An operator gives no reason of his own for closing the connections",
        "the text of the error is that of the management plugin",
      ],
      [
        "An argument that cannot be written rejects its call alone",
        "amqplib then waits for a reply to it, and so never settles what the channel calls next",
      ],
    ],
    leftOut: [
      "streams, direct replies (`amq.rabbitmq.reply-to`), messages with a time to live of 0",
      "arguments of a consumer other than its priority",
      "`updateSecret`",
    ],
  },
  {
    broker: "Redis",
    observed: REDIS,
    rerun: "test:real",
    drawn:
      "all commands that the model has, of streams, strings, hashes, lists, sets, sorted sets and keys, with right and wrong arguments, on streams of up to some hundred entries; compared with the model of version 7; and programs of careless callers: values of every kind, pipelines, transactions, callbacks, connections that come and go",
    differs: [
      [
        "By default a read or claim of nothing creates its consumer",
        "servers do so from 7.2 on; the model of version 7 does not, and is compared",
      ],
      [
        "A node of a stream holds 100 entries, which decides what `MAXLEN ~` removes",
        "the server begins a new one after 4,096 bytes, too",
      ],
      [
        "The connection's events are `connect`, `ready`, `close`, `end`, without `wait`",
        "it reconnects silently where `disconnect(true)` has not asked for it",
      ],
      [
        "A pipeline that was answered in part is sent on when the connection is made anew",
        "the library aborts what is left of it, as where `disconnect()` closes the connection for good",
      ],
      [
        "A command is given up after three retries, within a second while the server is down",
        "`maxRetriesPerRequest` says how many there are, of a duplicate that is told of it, too; by default it is 20, which takes a minute or more, while the outages of a check are short",
      ],
      [
        "A command that is sent behind `quit` is rejected alone",
        "where the server has gone before it is written, the library rejects those ahead of it, too, though they were executed",
      ],
      [
        "A read that waits on several streams gets all that came together, and goes on waiting where that was deleted at once",
        "so does version 7.2; the model of version 7, which is compared, gives the stream in which something came first, but for the empty list of entries that were deleted at once",
      ],
      [
        "The error of a transaction whose connection is closed while it waits has those of all its commands, in turn",
        "there it is the same for all, and so among its own `previousErrors`",
      ],
      [
        "A read that waits when its group is destroyed fails in the words of version 7.2 and later",
        "both begin with NOGROUP",
      ],
      [
        "What is asked twice or beside the form is a syntax error: two COUNTs of XRANGE, two consumers of XPENDING, a blank ahead of an id",
        "the server takes the last, the first, the id",
      ],
      [
        "Ids are exact up to 2^53 - 1 in time and number",
        "entries are never so late; ids above 2^64 - 1 are refused",
      ],
      [
        "The members of a set are in the order in which they came, but for integers that are in their own",
        "so they are from version 7.2 on, as long as they are few and short; before, and else, the server has no order that is defined, and what is compared is which members there are",
      ],
      [
        "The fields of a hash are in the order in which they came",
        "so they are as long as they are few (512) and short (64 bytes); else the server has no order that is defined",
      ],
      [
        "What is put into a list is a dead letter, if it has a record in it",
        "as what is added to a stream other than that of the workload; what is put into a hash, a set or a sorted set is none",
      ],
    ],
    leftOut: [
      "what draws a member at random (SPOP, SRANDMEMBER, HRANDFIELD, ZRANDMEMBER), what goes through a collection bit by bit (HSCAN, SSCAN, ZSCAN), what waits for a list or a sorted set (BLPOP, BLMOVE, BZPOPMIN), ZUNION, ZINTER and ZDIFF, fields that expire, WATCH",
      "RENAME of a stream",
      "XGROUP HELP, XINFO HELP, XINFO STREAM FULL, CLAIM of XREADGROUP",
      "options of `duplicate` other than `lazyConnect`, `maxRetriesPerRequest`, `retryStrategy` and those that change nothing here (`connectTimeout`, `connectionName`, `enableReadyCheck`, `keepAlive`, `noDelay`), and `multi` without a pipeline",
      `what else ioredis has: ${COMMANDS_LEFT_OUT.map((name) => `\`${name}\``).join(", ")}; and replies as buffers`,
    ],
  },
  {
    broker: "node-redis",
    observed: NODE_REDIS,
    rerun: "test:real",
    drawn:
      "programs of careless callers: values and options of every kind, transactions, clients that connect and close",
    differs: [
      [
        "Streams and groups are those that are compared through ioredis",
        "it is one model of a server",
      ],
      [
        "When the connection breaks, one command fails at a time",
        "the library rejects all that it has written and that have no reply yet",
      ],
      [
        "While the server is down, each failure to connect is reported as a lost connection that is made anew",
        "the library reports an error of the system and `reconnecting`, and is not ready meanwhile",
      ],
      [
        "An `error` with nobody listening ends the producer's process when a reply is lost",
        "so does the library's event emitter",
      ],
    ],
    leftOut: [
      "`withAbortSignal`, `withTypeMapping`, `withCommandOptions`, `createPool`",
      "all other commands, RENAME of a stream, CLAIM of XREADGROUP, and options of `duplicate`",
    ],
  },
  {
    broker: "Outbox",
    observed: {
      server: "PostgreSQL 15 through pg 8.23.1",
      observations: OUTBOX_SCRIPTS,
      folder: "outbox",
    },
    rerun: "test:long",
    drawn:
      "transactions of two connections and statements beside them that claim, lock, renew, free, delete and bury rows; but none that waits for a row",
    differs: [
      [
        "Rows without ORDER BY, and those that RETURNING gives, come in the order in which they were inserted",
        "a server promises none",
      ],
      ["A statement that waits for a row begins anew when it gets on", "a server takes up the row"],
      [
        "The server notices a client that is silently gone after 10 s, others at once",
        "with the default settings of TCP it would be hours",
      ],
      ["A connection is made with its first statement", "it fails there as well"],
      [
        "A pool tells of a new connection at once, also ahead of the `remove` of one that was given back broken",
        "both take their time on a network",
      ],
      [
        "An error has `code`, `severity`, `table`, `column`, `constraint`, and `detail` for a key that is there; not `routine`, `file`, `line`, `position` and other details",
        "where in the server it was raised is no matter of a producer and differs between versions, and a row that fails has times in it",
      ],
      [
        "A result is an object of `command`, `rowCount`, `rows` and `fields`, and no instance of `Result`; a field has a name and the number of its type",
        "the rest says how the protocol was read",
      ],
      [
        "A text that the model cannot read as SQL is refused by name, also where a server has 42601 for it",
        "the model knows a part of the grammar only, and cannot tell a mistake from what it does not know",
      ],
      [
        "An error of an idle connection that nobody listens to at the pool ends no process",
        "the pool is made by somebody else than the producer; that of a connection which the producer has borrowed does",
      ],
      [
        "Idle connections stay, whatever `idleTimeoutMillis` says",
        "a new one costs nothing here; that one is lost is a fault of its own",
      ],
      [
        "A number of jsonb is one of JavaScript",
        "a server keeps the zeros behind its point, which only its text shows",
      ],
      [
        "Of several rows that a statement fails in, the first is the one that was inserted first",
        "a server has an order of its own, and computes first what it takes for cheap",
      ],
      [
        "A part of WITH is computed as a whole before what reads it",
        "a server passes its rows on one by one, so that one of them may fail in what reads it before another fails in the part",
      ],
      [
        "`min(id)` and `max(id)` look at all rows that a condition is computed for",
        "a server may go by its index, and never come to a row in which the condition fails",
      ],
      [
        "No connection has a `notice`",
        "a server warns, as of a COMMIT without a transaction, and does what it was told",
      ],
      [
        "An index is made at once, and changes nothing",
        "a server waits until those who are changing the table have ended",
      ],
      [
        "A deadlock is noticed at once",
        "a server looks for one after `deadlock_timeout`, a second by default, and mostly refuses whoever has waited longest; here it is the last to come",
      ],
    ],
    leftOut: [
      "joins but for UPDATE ... FROM and DELETE ... USING with a table or a part of WITH, WITH RECURSIVE, GROUP BY and HAVING, window functions, DISTINCT of all columns or in an order of others, `unnest` elsewhere than behind IN",
      "COPY, LOCK, SHOW, TRUNCATE, FOR SHARE and FOR KEY SHARE, LIKE, DEFAULT in an expression, a schema other than `public`, isolation levels above Read Committed, READ ONLY, settings but for the two timeouts, the name of the application, the level of messages, `search_path` of `public` and `timezone` of UTC",
      "tables and columns of one's own, indexes but for `CREATE INDEX IF NOT EXISTS` on columns, where they are compared, types other than those of the two tables, microseconds of times and intervals more than 285 years long, whole numbers beyond 2^53, numbers without an end, arrays and whole rows as results, columns and tables of the system, times that are written otherwise than in ISO 8601 or as a word, the order of jsonb, the text of a decimal that was computed, `current_user`, other functions (`pg_sleep`, `jsonb_agg`, `upper`, `length`, `hashtext`), bytes as a parameter",
      "cursors, types of one's own, several statements at once, advisory locks that wait",
    ],
  },
  SQS_COMPARISON,
];
