import type { BrokerModel } from "../../sim/brokers/broker.ts";
import { brokers } from "../../sim/brokers/brokers.ts";
import type { SourceBug } from "./producers/source-bug.ts";

/** A bug of a producer under scenarios/producers. */
export interface LeftAtTheEnd extends SourceBug {
  readonly source: string;
  readonly broker: BrokerModel<never>;
}

/** Producers that settle now and then, and at their end leave what they have noted since. */
export const LEFT_AT_THE_END: readonly LeftAtTheEnd[] = [
  {
    id: "deletes-with-the-renewals",
    what: "deletes with the renewals, every eight seconds",
    source: "sqs.ts",
    broker: brokers.sqs() as BrokerModel<never>,
    guarantees: ["progress"],
    edits: [
      [
        "    const kept = await this.#delete(done.map(({ handle }) => handle));\n    for (const { handle, received } of done) if (kept.has(handle)) received.isBlocked = true;\n",
        "    this.#noted.push(...done.map(({ handle }) => handle));\n",
      ],
      [
        "  async #renew(): Promise<void> {\n",
        "  readonly #noted: string[] = [];\n\n  async #renew(): Promise<void> {\n    await this.#delete(this.#noted.splice(0));\n",
      ],
    ],
  },
  {
    id: "checkpoints-when-it-reads",
    what: "checkpoints before it reads on, and not when it is closed",
    source: "kinesis.ts",
    broker: brokers.kinesis() as BrokerModel<never>,
    guarantees: ["progress"],
    edits: [
      [
        "    const shard = batch[0]?.brokerPayload.shard;\n    if (shard !== undefined) await this.#save(shard);\n",
        "",
      ],
    ],
  },
  {
    id: "acknowledges-with-the-refresh",
    what: "acknowledges with the refresh, every three seconds",
    source: "redis.ts",
    broker: brokers.redis() as BrokerModel<never>,
    guarantees: ["progress"],
    edits: [
      [
        "    await this.#acknowledge(done);\n  }",
        '    for (const id of done) this.#held.set(id, "unacked");\n  }',
      ],
    ],
  },
];
