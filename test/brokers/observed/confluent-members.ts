/** The members of the library's classes, by what makes one of them; those that begin with "_" are its own. */
export const CONFLUENT_MEMBERS: Readonly<
  Record<"kafka" | "consumer" | "producer" | "admin", readonly string[]>
> = {
  kafka: ["admin", "consumer", "producer"],
  consumer: [
    ...["assignment", "commitOffsets", "committed", "connect", "dependentAdmin", "describeGroup"],
    ...["disconnect", "events", "logger", "on", "pause", "paused", "rebalanceProtocol", "resume"],
    ...["run", "seek", "stop", "subscribe"],
  ],
  producer: [
    ...["abort", "commit", "connect", "dependentAdmin", "disconnect", "flush", "isActive"],
    ...["logger", "send", "sendBatch", "sendOffsets", "setSaslCredentials", "transaction"],
  ],
  admin: [
    ...["connect", "createTopics", "deleteGroups", "deleteTopicRecords", "deleteTopics"],
    ...["describeGroups", "disconnect", "fetchOffsets", "fetchTopicMetadata", "fetchTopicOffsets"],
    ...["fetchTopicOffsetsByTimestamp", "listGroups", "listTopics"],
  ],
};

/** Members that only the library's types have. */
export const ONLY_IN_TYPES: readonly string[] = ["setSaslCredentialProvider", "storeOffsets"];
