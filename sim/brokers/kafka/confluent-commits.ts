import type { ClientPort } from "../broker.ts";
import { pause, request } from "./kafka-calls.ts";
import { isProtocolError, isRebalancing, isUnknownMember } from "./kafka-errors.ts";
import type { KafkaGroups, OffsetCommit } from "./kafka-groups.ts";

/** As whom a consumer commits. */
interface Identity {
  readonly memberId: string;
  readonly generation: number;
}

export interface CommitParts {
  readonly port: ClientPort;
  readonly host: string;
  readonly groups: KafkaGroups;
  readonly groupId: string;
  readonly identity: () => Identity;
  /** Called when the coordinator no longer takes commits of this member. */
  readonly onFenced: (isUnknown: boolean) => void;
}

const RETRY_MS = 300;
const RETRY_MAX_MS = 30_000;

/**
 * Sends commits in the background, one after the other.
 *
 * Holds, as in the library: nobody is told what came of a commit. It is sent again after a network
 * failure, as it was, generation included, until it is answered. One that is refused because of its
 * member is dropped; so are the refused partitions of a commit whose others are taken.
 *
 * Source: librdkafka 2.15.1, rdkafka_request.c, rd_kafka_handle_OffsetCommit; the library's
 * src/kafka-consumer.cc, KafkaConsumer::Commit, which is `commitAsync`
 */
export class ConfluentCommits {
  readonly #parts: CommitParts;
  /** The next offset to read of each partition, as it was stored; by `topic/partition`. */
  readonly #stored = new Map<string, OffsetCommit>();
  readonly #sent = new Map<string, number>();
  #last: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  /** Remembers that everything before `offset` was processed. */
  store(offset: OffsetCommit): void {
    this.#stored.set(placeOf(offset), offset);
  }

  /** Queues a commit. */
  commit(offsets: readonly OffsetCommit[]): void {
    if (offsets.length === 0) return;
    for (const offset of offsets) this.#sent.set(placeOf(offset), offset.offset);
    this.#last = this.#last.then(() => this.#send(offsets));
  }

  /** Queues a commit of what is stored and was not committed yet. */
  commitStored(): void {
    const due = [...this.#stored].filter(([place, at]) => this.#sent.get(place) !== at.offset);
    this.commit(due.map(([, offset]) => offset));
  }

  /** Forgets what was stored: the partitions belong to another reading now. */
  forget(): void {
    this.#stored.clear();
    this.#sent.clear();
  }

  /** Resolves once all that was queued is answered. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** From now on nothing is sent twice. */
  close(): void {
    this.#isClosing = true;
  }

  async #send(offsets: readonly OffsetCommit[]): Promise<void> {
    const { port, host, groups, groupId, identity, onFenced } = this.#parts;
    const { memberId, generation } = identity();
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
      try {
        await request(port, "broker.settle", host, () =>
          groups.commit(groupId, memberId, generation, offsets),
        );
        return;
      } catch (error) {
        if (isUnknownMember(error) || isRebalancing(error)) {
          onFenced(isUnknownMember(error));
          return;
        }
        if (isProtocolError(error)) {
          if (offsets.length === 1) void this.#sendLater(offsets);
          return;
        }
        if (this.#isClosing) return;
      }
      await pause(port, waitMs);
    }
  }

  /** A commit that was refused as a whole is tried again, if it is still the last of its partition. */
  async #sendLater(offsets: readonly OffsetCommit[]): Promise<void> {
    await pause(this.#parts.port, RETRY_MS);
    const isLast = offsets.every((one) => this.#sent.get(placeOf(one)) === one.offset);
    if (isLast && !this.#isClosing) this.#last = this.#last.then(() => this.#send(offsets));
  }
}

export function placeOf({
  topic,
  partition,
}: {
  readonly topic: string;
  readonly partition: number;
}): string {
  return `${topic}/${partition}`;
}
