import type { Entrant } from "../engine/measure.ts";
import type { Work } from "../engine/work.ts";
import type { Clock } from "../../src/time/mod.ts";
import { createEffectQueues } from "./effect-peer.ts";
import { createOffsetManager } from "./kafkajs-peer.ts";
import { createFastqs, createPQueues, createRxjs } from "./queue-peers.ts";
import { runTracker, type Settled, type Tracker } from "./settler.ts";

export const PEER_PACKAGES: readonly string[] = ["p-queue", "fastq", "rxjs", "effect", "kafkajs"];

interface Peer {
  readonly name: string;
  readonly create: (settled: Settled, work: Work) => Tracker;
}

const PEERS: readonly Peer[] = [
  { name: "p-queue per lane", create: createPQueues },
  { name: "fastq per lane", create: createFastqs },
  { name: "rxjs groupBy, concatMap, buffer", create: createRxjs },
  { name: "Effect queues", create: createEffectQueues },
];

/** Works in order only, and so takes part in that row only. */
const IN_ORDER: Peer = { name: "kafkajs OffsetManager", create: createOffsetManager };

/** What a user would otherwise reach for, at the work of a tracker. */
export function peersAt(work: Work, clock: Clock): readonly Entrant[] {
  const peers = work.persisted === "in order" ? [...PEERS, IN_ORDER] : PEERS;
  return peers.map(({ name, create }) => ({
    name,
    sample: () => runTracker(name, work, () => clock.now(), create),
  }));
}
