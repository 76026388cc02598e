import { isRival } from "./kafka-group.ts";
import type { KafkaLog } from "./kafka-log.ts";

/**
 * Records of which there are several messages, as a client has sent them again.
 *
 * Why so: 1. a reader sends a record again; 2. a competing consumer commits that message, and with
 * it takes the record over; 3. the reader commits the first message, and is not who settles it.
 */
export class Copies {
  readonly #log: KafkaLog;
  readonly #rivals = new Map<string, string>();

  constructor(log: KafkaLog) {
    this.#log = log;
  }

  /** Notes that a member has committed a message of the record, and returns who settles it by that. */
  settledBy(
    memberId: string,
    committed: ReadonlyMap<string, number>,
    ref: string,
  ): string | undefined {
    if (!this.#isOwedAgain(committed, ref)) return this.#rivals.get(ref) ?? memberId;
    if (isRival(memberId)) this.#rivals.set(ref, memberId);
    return undefined;
  }

  /** Whether a group has a further message of the record to come. */
  #isOwedAgain(committed: ReadonlyMap<string, number>, ref: string): boolean {
    const log = this.#log;
    if (!log.isCopied(ref)) return false;
    return log.sources.some((topic) =>
      log.partitionsOf(topic).some(({ number, records }) => {
        const from = committed.get(`${topic}/${number}`) ?? 0;
        return records.some((record) => record.ref === ref && record.offset >= from);
      }),
    );
  }
}
