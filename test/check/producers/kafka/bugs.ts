import type { SourceBug } from "../source-bug.ts";

const ADVANCE_HOLD = `        await this.#commit(last);
        this.#readAgain(brokerPayload);
        return;`;

/** What is done wrong with Kafka: each bug is the correct producer but for one small change. */
export const KAFKA_BUGS: readonly SourceBug[] = [
  {
    id: "P-01",
    what: "stops at the first failure of a batch and forgets it at the next",
    // The failure may be that of the dead letter of a record that was rejected.
    guarantees: ["G2", "G1", "G3"],
    edits: [["        this.#readAgain(brokerPayload);\n", ""]],
  },
  {
    id: "P-02",
    what: "ignores the outcome",
    guarantees: ["G1"],
    edits: [["      if (isHeld) {", "      if (isHeld && batch.length === 0) {"]],
  },
  {
    id: "P-03",
    what: "holds, but never seeks back: the floor blocks every later commit",
    guarantees: ["G8"],
    edits: [
      ["      this.#consumer.seek({ topic, partition, offset });\n", ""],
      [
        "    const held = reading.epoch;\n",
        "    const held = reading.epoch;\n    this.#floors.set(partition, offset);\n",
      ],
      [
        "    return this.#readingOf(topic, partition).epoch === epoch;",
        "    return !this.#floors.has(partition) && this.#readingOf(topic, partition).epoch === epoch;",
      ],
      ["  #forgetReadings(): void {\n", "  #forgetReadings(): void {\n    this.#floors.clear();\n"],
      [
        "  #isClosed = false;\n",
        "  #isClosed = false;\n  readonly #floors = new Map<number, string>();\n",
      ],
    ],
  },
  {
    id: "P-05",
    what: "lets a stale copy lift the floor",
    // What it passes by has failed, or was rejected and could not be dead-lettered yet.
    guarantees: ["G1", "G2", "G3"],
    edits: [
      ["    reading.epoch += 1;\n    const held = reading.epoch;\n", "    const held = epoch;\n"],
      [
        "      if (reading.epoch === held) reading.heldAt = offset;",
        "      if (reading.epoch++ === held) reading.heldAt = offset;",
      ],
    ],
  },
  {
    id: "P-08",
    what: "commits the offset instead of the next one",
    guarantees: ["progress", "G4", "G3"],
    edits: [["String(BigInt(last.offset) + 1n)", "last.offset"]],
  },
  {
    id: "P-08b",
    what: "commits the offset after the next one",
    guarantees: ["G2", "G1"],
    edits: [["BigInt(last.offset) + 1n", "BigInt(last.offset) + 2n"]],
  },
  {
    id: "P-09",
    what: "waits for offsets that compaction has removed",
    guarantees: ["progress", "G8"],
    edits: [
      [
        "  #isClosed = false;\n",
        "  #isClosed = false;\n  readonly #due = new Map<number, bigint>();\n",
      ],
      [
        "      const isHeld =",
        `      const { partition, offset } = brokerPayload;
      const due = this.#due.get(partition) ?? BigInt(offset);
      if (BigInt(offset) > due) break;
      this.#due.set(partition, BigInt(offset) + 1n);
      const isHeld =`,
      ],
      [
        "    reading.epoch += 1;\n    const held",
        "    reading.epoch += 1;\n    this.#due.delete(partition);\n    const held",
      ],
      ["  #forgetReadings(): void {\n", "  #forgetReadings(): void {\n    this.#due.clear();\n"],
    ],
  },
  {
    id: "P-10",
    what: "leaves auto-commit on",
    guarantees: ["G1", "G2"],
    edits: [["      autoCommit: false,\n", ""]],
  },
  {
    id: "P-11",
    what: "commits for partitions that were revoked meanwhile",
    guarantees: ["G5", "G2"],
    edits: [
      [
        "      reading.epoch += 1;\n      reading.heldAt = undefined;",
        "      reading.heldAt = undefined;",
      ],
    ],
  },
  {
    id: "P-13",
    what: "raises what a rebalance makes of a commit",
    guarantees: ["G10"],
    edits: [
      ["        if (isFenced(error)) return;\n", "        if (isFenced(error)) throw error;\n"],
    ],
  },
  {
    id: "P-14",
    what: "notices rebalances, but not that it was put out",
    guarantees: ["G5", "G2"],
    edits: [
      [
        "    this.#consumer.on(GROUP_JOIN, () => this.#forgetReadings());\n",
        "    this.#consumer.on(GROUP_JOIN, () => this.#wake?.());\n",
      ],
    ],
  },
  {
    id: "P-15",
    what: "takes a commit for done when it is sent",
    guarantees: ["G2", "G5", "progress", "G6"],
    edits: [
      [
        "        await this.#consumer.commitOffsets([{ topic, partition, offset }]);",
        "        this.#consumer.commitOffsets([{ topic, partition, offset }]).catch(() => undefined);",
      ],
    ],
  },
  {
    id: "P-16",
    what: "does not look whether the dead letter was taken",
    guarantees: ["G3"],
    edits: [
      ["    } catch {\n      return false;\n    }", "    } catch {\n      return true;\n    }"],
    ],
  },
  {
    id: "P-16b",
    what: "sends dead letters without waiting for the broker's answer",
    guarantees: ["G3"],
    edits: [["        topic: DEAD_LETTERS,\n", "        topic: DEAD_LETTERS,\n        acks: 0,\n"]],
  },
  {
    id: "P-17",
    what: "dead-letters after the commit",
    guarantees: ["G3"],
    edits: [
      ["mustHold(outcome) || !(await this.#isSafe(brokerPayload, outcome));", "mustHold(outcome);"],
      [
        "    await this.#commit(last);\n  }\n",
        "    await this.#commit(last);\n    for (const one of batch) await this.#isSafe(one.brokerPayload, one.outcome);\n  }\n",
      ],
    ],
  },
  {
    id: "P-18",
    what: "dead-letters what lies behind the first failure",
    guarantees: ["G3"],
    edits: [
      [
        ADVANCE_HOLD,
        `        for (const one of batch) {
          if (BigInt(one.brokerPayload.offset) <= BigInt(brokerPayload.offset)) continue;
          if (!mustHold(one.outcome)) await this.#isSafe(one.brokerPayload, one.outcome);
        }
${ADVANCE_HOLD}`,
      ],
    ],
  },
  {
    id: "P-19",
    what: "dead-letters and settles what one rejected and another failed",
    guarantees: ["G1", "G3"],
    decide: "failed-first",
    edits: [["  return failed > 0 ||", "  return (failed > 0 && rejected === 0) ||"]],
  },
  {
    id: "P-21",
    what: "has no dead-letter topic, because the first subscriber wanted none",
    guarantees: ["G3"],
    edits: [["    if (rejected === 0) return true;\n", "    if (rejected >= 0) return true;\n"]],
  },
  {
    id: "P-22",
    what: "has a twin in its group, for the same topics in another order",
    guarantees: ["G8"],
    edits: [
      ["  readonly #deadLetters: ", "  readonly #twin: Consumer;\n  readonly #deadLetters: "],
      [
        "    this.#deadLetters = client.producer();\n",
        "    this.#twin = client.consumer({ groupId: GROUP });\n    this.#deadLetters = client.producer();\n",
      ],
      [
        "    if (this.#isClosed) return;\n",
        `    await this.#twin.connect();
    await this.#twin.subscribe({ topic: TOPIC, fromBeginning: true });
    await this.#twin.run({ autoCommit: false, eachMessage: async () => undefined });
    if (this.#isClosed) return;
`,
      ],
      [
        "    await this.#consumer.disconnect();\n    await this",
        "    await this.#twin.disconnect();\n    await this.#consumer.disconnect();\n    await this",
      ],
    ],
  },
  {
    id: "P-23",
    what: "does one thing at a time, and waits for messages meanwhile",
    guarantees: ["G8", "progress"],
    edits: [
      [
        "  #isClosed = false;\n",
        `  #isClosed = false;
  #worker: Promise<unknown> = Promise.resolve();
  #inWorker<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#worker.then(work);
    this.#worker = done.catch(() => undefined);
    return done;
  }
`,
      ],
      [
        `        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (signal.aborted) resolve();
        });
`,
        `        await this.#inWorker(
          () =>
            new Promise<void>((resolve) => {
              this.#wake = resolve;
              if (signal.aborted || this.#queue.length > 0) resolve();
            }),
        );
`,
      ],
      [
        "        await this.#consumer.commitOffsets([{ topic, partition, offset }]);",
        `        await this.#inWorker(async () => {
          if (!this.#hasSay(last)) return;
          await this.#consumer.commitOffsets([{ topic, partition, offset }]);
        });`,
      ],
    ],
  },
  {
    id: "P-26",
    what: "takes a rebalance for the end",
    guarantees: ["G10"],
    edits: [
      [
        "this.#consumer.on(REBALANCING, () => this.#forgetReadings());",
        'this.#consumer.on(REBALANCING, () => this.#fail(new Error("Rebalancing")));',
      ],
    ],
  },
  {
    id: "P-27",
    what: "reads a held event again at full speed",
    guarantees: ["hot-loop"],
    edits: [
      ["    }, BACKOFF_MS);", "    }, 0);"],
      ["retry: { retries: 0 } });", "retry: { retries: 0 }, maxWaitTimeInMs: 50 });"],
    ],
  },
  {
    id: "P-28",
    what: "starts at the end where its place is unknown or gone",
    guarantees: ["G1", "G2", "G8"],
    edits: [["fromBeginning: true", "fromBeginning: false"]],
  },
  {
    id: "P-105",
    what: "connects in the constructor",
    guarantees: ["G6"],
    edits: [
      [
        "    this.#deadLetters = client.producer();\n",
        "    this.#deadLetters = client.producer();\n    void this.#deadLetters.connect();\n",
      ],
    ],
  },
  {
    id: "P-106",
    what: "assumes in aclose that the stream was opened",
    guarantees: ["G6"],
    edits: [["await this.#opening?.catch(", "await (this.#opening as Promise<void>).catch("]],
  },
  {
    id: "P-107",
    what: "waits in aclose for what never comes",
    guarantees: ["G6"],
    edits: [
      [
        "    await this.#opening?.catch(() => undefined);\n",
        "    await new Promise((resolve) => this.#consumer.on(this.#consumer.events.STOP, resolve));\n",
      ],
    ],
  },
  {
    id: "P-108",
    what: "does not wait for its own disconnecting",
    guarantees: ["G6"],
    edits: [["    await this.#disconnect();", "    void this.#disconnect();"]],
  },
  {
    id: "P-110",
    what: "settles what nobody took, because nobody failed it",
    guarantees: ["G1"],
    edits: [
      [
        "  return failed > 0 || acked + rejected === 0;",
        "  return failed > 0 && acked >= 0 && rejected >= 0;",
      ],
    ],
  },
  {
    id: "P-111",
    what: "answers the lane hook with a promise",
    guarantees: ["contract", "G7"],
    edits: [
      [
        "    return [topic, partition];",
        "    return Promise.resolve([topic, partition]) as unknown as Lane;",
      ],
    ],
  },
  {
    id: "P-111b",
    what: "has a lane that changes",
    guarantees: ["contract", "G7"],
    edits: [["    return [topic, partition];", "    return [topic, partition, Math.random()];"]],
  },
  {
    id: "P-111c",
    what: "has a lane for each event",
    guarantees: ["G7"],
    edits: [
      [
        "getAdvanceLane({ topic, partition }: OrderPayload)",
        "getAdvanceLane({ topic, partition, offset }: OrderPayload)",
      ],
      ["    return [topic, partition];", "    return [topic, partition, offset];"],
    ],
  },
  {
    id: "P-113",
    what: "ends its stream after one fetch",
    guarantees: ["contract"],
    edits: [
      [
        "          yield next;\n          continue;",
        "          yield next;\n          if (this.#queue.length === 0) return;\n          continue;",
      ],
    ],
  },
  {
    id: "P-114",
    what: "does not heed its signal",
    guarantees: ["contract"],
    edits: [
      ["    const wake = (): void => this.#wake?.();", "    const wake = (): void => undefined;"],
      ["          if (signal.aborted) resolve();\n", ""],
      ["      while (!signal.aborted) {", "      for (;;) {"],
    ],
  },
  {
    id: "P-116",
    what: "leaks the abort of a call of its own",
    guarantees: ["G10"],
    edits: [
      [
        "        if (isFenced(error)) return;\n",
        '        if (isFenced(error)) throw new DOMException("The commit was aborted", "AbortError");\n',
      ],
    ],
  },
  {
    id: "P-117",
    what: "swallows what goes wrong in advance, and forgets what it held",
    guarantees: ["G8", "progress"],
    edits: [
      [
        "        if (attempt === COMMIT_ATTEMPTS_MAX && this.#hasSay(last)) throw error;",
        "        return;",
      ],
    ],
  },
  {
    id: "no-raw-event",
    what: "has the order in its payload alone",
    guarantees: ["contract"],
    edits: [["          yield next;\n", "          yield [undefined as never, next[1]];\n"]],
  },
  {
    id: "no-pairs",
    what: "yields an event with its payload inside",
    guarantees: ["contract"],
    edits: [
      [
        "          yield next;\n",
        "          yield { ...next[0], payload: next[1] } as unknown as typeof next;\n",
      ],
    ],
  },
  {
    id: "lane-asks",
    what: "asks the broker in the lane hook",
    guarantees: ["contract"],
    edits: [
      [
        "    return [topic, partition];",
        "    void this.#consumer.describeGroup().catch(() => undefined);\n    return [topic, partition];",
      ],
    ],
  },
  {
    id: "lane-object",
    what: "has a lane that cannot be compared by value",
    guarantees: ["contract"],
    edits: [
      ["    return [topic, partition];", "    return { topic, partition } as unknown as Lane;"],
    ],
  },
  {
    id: "timer-left",
    what: "forgets to end its background work",
    guarantees: ["G6"],
    edits: [
      [
        "    await this.#deadLetters.connect();\n    await this.#consumer.connect();\n",
        `    await this.#deadLetters.connect();
    setInterval(() => this.#wake?.(), 5_000);
    await this.#consumer.connect();
`,
      ],
    ],
  },
  {
    id: "works-on",
    what: "goes on sending after it was closed",
    guarantees: ["G6"],
    edits: [
      [
        "    await this.#opening?.catch(() => undefined);\n",
        `    await this.#opening?.catch(() => undefined);
    setTimeout(() => void this.#deadLetters.connect().catch(() => undefined), 3_000);
`,
      ],
    ],
  },
  {
    id: "payload-reuse",
    what: "yields one payload object again and again",
    guarantees: ["contract"],
    edits: [
      [
        "        if (next !== undefined) {\n          yield next;",
        "        if (next !== undefined) {\n          yield [next[0], Object.assign(this.#last, next[1])];",
      ],
      ["  #isClosed = false;\n", "  #isClosed = false;\n  readonly #last = {} as OrderPayload;\n"],
    ],
  },
];
