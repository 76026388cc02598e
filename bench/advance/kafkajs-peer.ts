import { createRequire } from "node:module";
import { laneOf, type Work } from "../engine/work.ts";
import type { Settled, Tracker } from "./settler.ts";

/** The part of kafkajs's own commit counter that its consumer drives. */
interface OffsetManager {
  resolveOffset(at: { topic: string; partition: number; offset: string }): void;
  commitOffsets(): Promise<void>;
}

type OffsetManagerClass = new (options: Readonly<Record<string, unknown>>) => OffsetManager;

interface Commit {
  readonly topics: readonly {
    readonly partitions: readonly { readonly partition: string; readonly offset: string }[];
  }[];
}

const TOPIC = "bench";
const require = createRequire(import.meta.url);

/**
 * A commit counter per partition: cheap, and for in-order work only, since resolving an offset
 * resolves all before it.
 */
export function createOffsetManager(settled: Settled, { lanes }: Work): Tracker {
  const OffsetManager = require("kafkajs/src/consumer/offsetManager") as OffsetManagerClass;
  const nextOffsets = new Int32Array(lanes);
  let committing: Promise<void> = Promise.resolve();

  /** The broker gets the next offset of each partition; the events before it are done. */
  async function offsetCommit({ topics }: Commit): Promise<void> {
    for (const { partition: name, offset } of topics.flatMap(({ partitions }) => partitions)) {
      const partition = Number(name);
      const batch: number[] = [];
      for (let at = nextOffsets[partition] ?? 0; at < Number(offset); at += 1) {
        batch.push(at * lanes + partition);
      }
      nextOffsets[partition] = Number(offset);
      committing = committing.then(() => settled.advance(batch));
    }
    await committing;
  }

  const partitions = Array.from({ length: lanes }, (_, partition) => partition);
  const coordinator = { isConnected: () => true, offsetCommit };
  const offsets = new OffsetManager({
    cluster: { committedOffsets: () => ({ [TOPIC]: {} }) },
    coordinator,
    memberAssignment: { [TOPIC]: partitions },
    autoCommit: true,
    topicConfigurations: { [TOPIC]: { fromBeginning: true } },
    instrumentationEmitter: { emit: () => undefined },
    groupId: "bench",
    generationId: 1,
    memberId: "bench",
  });
  return {
    track: () => undefined,
    complete(id) {
      const partition = laneOf(id, lanes);
      offsets.resolveOffset({ topic: TOPIC, partition, offset: String((id - partition) / lanes) });
    },
    beat: () => offsets.commitOffsets(),
  };
}
