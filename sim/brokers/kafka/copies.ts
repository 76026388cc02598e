import type { KafkaLog } from "./kafka-log.ts";

/** Whether a group has a further message of a record to come, as a client has sent it again. */
export function isOwedAgain(
  log: KafkaLog,
  committed: ReadonlyMap<string, number>,
  ref: string,
): boolean {
  if (!log.isCopied(ref)) return false;
  return log.sources.some((topic) =>
    log.partitionsOf(topic).some(({ number, records }) => {
      const from = committed.get(`${topic}/${number}`) ?? 0;
      return records.some((record) => record.ref === ref && record.offset >= from);
    }),
  );
}
