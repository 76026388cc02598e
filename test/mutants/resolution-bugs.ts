import type { Mutant } from "./mutant.ts";

const GRACE = ["hostile-client-with-grace"];

/** Life cycle, snapshot, windows, gate and reject: B-01 to B-61. */
export const RESOLUTION_BUGS: readonly Mutant[] = [
  {
    bug: "B-01",
    what: "a failed group is evicted some turns later",
    edits: [
      [
        "group.ts",
        "if (wasLive) this.#owner.evict();",
        "if (wasLive) void this.#clock.setTimer(50, () => this.#owner.evict());",
      ],
    ],
  },
  {
    bug: "B-02",
    what: "the last unsubscribe awaits the stop before it evicts",
    edits: [
      [
        "manager.ts",
        "    this.#groups.delete(text);\n    await group.stop();",
        "    await group.stop();\n    this.#groups.delete(text);",
      ],
    ],
  },
  {
    bug: "B-05",
    what: "the failure reaches the first subscriber only",
    edits: [
      [
        "group.ts",
        "for (const subscription of [...this.subscriptions]) subscription.fail(error);",
        "for (const subscription of [...this.subscriptions].slice(0, 1)) subscription.fail(error);",
      ],
    ],
  },
  {
    bug: "B-07",
    what: "a stop is broadcast as a failure",
    edits: [
      [
        "group.ts",
        '      this.#state = "stopped";\n',
        '      this.#state = "stopped";\n      for (const one of this.subscriptions) one.fail(new Error("cancelled"));\n',
      ],
    ],
  },
  {
    bug: "B-08",
    what: "a source that returns is taken for a success",
    edits: [
      [
        "group.ts",
        "if (result.done === true) throw new PollTerminated(this.#text);",
        "if (result.done === true) return;",
      ],
    ],
  },
  {
    bug: "B-13",
    what: "a producer for each subscriber",
    edits: [
      [
        "manager.ts",
        "    const subscription = group.subscribe(triggerId);\n",
        "    if (known !== undefined) known.start();\n    const subscription = group.subscribe(triggerId);\n",
      ],
      ["group.ts", '    invariant(!this.#isStarted, "The group was already started");\n', ""],
    ],
  },
  {
    bug: "B-15",
    what: "the factory runs before the grace",
    scenarios: GRACE,
    edits: [
      [
        "group.ts",
        "    await this.#waitForCohort();\n    if (!this.isLive) return;\n    const { createSharedStreamProducer, openSharedStream } = this.#source;\n",
        "    const { createSharedStreamProducer, openSharedStream } = this.#source;\n    const early = createSharedStreamProducer?.();\n    await this.#waitForCohort();\n    if (!this.isLive) return;\n",
      ],
      ["group.ts", "const producer = createSharedStreamProducer();", "const producer = early!;"],
    ],
  },
  {
    bug: "B-18",
    what: "a stop does not wait for the poll to close",
    edits: [["group.ts", "return this.#ending ?? Promise.resolve();", "return Promise.resolve();"]],
  },
  {
    bug: "B-20",
    what: "who joins later must resolve what is outstanding, too",
    edits: [
      [
        "group.ts",
        "    this.subscriptions.add(subscription);\n",
        "    this.subscriptions.add(subscription);\n    this.#ledger?.adopt(subscription.account);\n",
      ],
      [
        "ledger.ts",
        "  /** The next ready lane's batch,",
        "  adopt(account: Account): void {\n    for (const lane of this.#lanes.values()) {\n      for (const entry of lane.entries.slice(lane.head)) {\n        const binding: Binding = { account, entry, isClosed: false, isResolved: false, seqs: undefined };\n        entry.bindings.push(binding);\n        entry.pending += 1;\n        account.owed.set(entry.eventId, binding);\n      }\n    }\n  }\n\n  /** The next ready lane's batch,",
      ],
    ],
  },
  {
    bug: "B-21",
    what: "the outcome is computed from the size of the snapshot",
    edits: [
      [
        "ledger.ts",
        "new AdvanceOutcome(entry.acked, entry.failed, entry.rejected)",
        "new AdvanceOutcome(entry.bindings.length - entry.failed, entry.failed, 0)",
      ],
    ],
  },
  {
    bug: "B-24",
    what: "a fan-out ends at the first full queue",
    edits: [
      [
        "group.ts",
        "      if (!member.deliver(raw, bindings[at])) this.#overflow(member);\n",
        "      if (!member.deliver(raw, bindings[at])) {\n        this.#overflow(member);\n        break;\n      }\n",
      ],
    ],
  },
  {
    bug: "B-26",
    what: "a full queue drops silently",
    edits: [
      [
        "group.ts",
        "if (!member.deliver(raw, bindings[at])) this.#overflow(member);",
        "member.deliver(raw, bindings[at]);",
      ],
    ],
  },
  {
    bug: "B-29",
    what: "the event in hand counts towards the bound",
    edits: [
      [
        "subscription.ts",
        "if (this.#queueMax > 0 && length >= this.#queueMax) return false;",
        "if (this.#queueMax > 0 && length + (this.#open ? 1 : 0) >= this.#queueMax) return false;",
      ],
    ],
  },
  {
    bug: "B-30",
    what: "an event that nobody was there for is advanced from the poll",
    edits: [
      [
        "group.ts",
        "    const accounts = members.map(",
        "    if (members.length === 0) {\n      const outcome = new AdvanceOutcome(0, 0, 0);\n      void this.#producer?.advance([{ brokerPayload, outcome }]).catch(() => undefined);\n      return;\n    }\n    const accounts = members.map(",
      ],
      [
        "group.ts",
        'import { Pump } from "./pump.ts";',
        'import { AdvanceOutcome } from "./outcome.ts";\nimport { Pump } from "./pump.ts";',
      ],
    ],
  },
  {
    bug: "B-31",
    what: "an event that nobody was there for is never resolved",
    edits: [
      [
        "ledger.ts",
        "if (members.length === 0) this.#noteResolved(entry);\n    else this.#byDeadline",
        "if (members.length > 0) this.#byDeadline",
      ],
    ],
  },
  {
    bug: "B-32",
    what: "an event that nobody was there for is called clean",
    edits: [["outcome.ts", "return this.acked > 0 && this.failed", "return this.failed"]],
  },
  {
    bug: "B-34",
    what: "a window closes when the next event arrives, not when it is asked for",
    edits: [
      [
        "subscription.ts",
        "  next(): Promise<IteratorResult<Raw>> {\n    this.#closeWindow();\n",
        "  next(): Promise<IteratorResult<Raw>> {\n",
      ],
    ],
  },
  {
    bug: "B-35",
    what: "an event is resolved when it is pulled",
    edits: [
      [
        "subscription.ts",
        "    this.#open = binding;\n    if (window",
        "    this.#open = binding;\n    if (binding !== undefined) this.#owner.closeWindow(binding);\n    if (window",
      ],
    ],
  },
  {
    bug: "B-36",
    what: "there is no persist gate",
    edits: [["group.ts", "    this.#ledger.bind(binding, seq);\n", ""]],
  },
  {
    bug: "B-38",
    what: "a confirmation resolves although the window is open",
    edits: [
      [
        "ledger.ts",
        "    binding.seqs?.splice(at, 1);\n",
        "    binding.seqs?.splice(at, 1);\n    binding.isClosed = true;\n",
      ],
    ],
  },
  {
    bug: "B-39",
    what: "sequence number 0 is taken for none",
    edits: [
      [
        "manager.ts",
        "      if (binding !== undefined) binding.account",
        "      if (seq && binding !== undefined) binding.account",
      ],
    ],
  },
  {
    bug: "B-40",
    what: "a sequence number is drawn even when nothing is bound",
    edits: [
      [
        "group.ts",
        "    const binding = subscription.open;\n    if (binding === undefined ||",
        "    const binding = subscription.open;\n    const seq = this.#owner.takeSeq();\n    if (binding === undefined ||",
      ],
      [
        "group.ts",
        "    const seq = this.#owner.takeSeq();\n    this.#ledger.bind",
        "    this.#ledger.bind",
      ],
    ],
  },
  {
    bug: "B-42",
    what: "the first group uses up a one-shot iterable of confirmations",
    edits: [
      [
        "manager.ts",
        "    for (const seq of seqs) {\n      const binding = this.#seqs.get(seq);\n      if (binding !== undefined) binding.account.gate.confirm(binding, seq);\n    }\n",
        "    for (const group of this.#groups.values()) {\n      for (const seq of seqs) {\n        const binding = this.#seqs.get(seq);\n        if (binding?.account.gate === group) group.confirm(binding, seq);\n      }\n    }\n",
      ],
    ],
  },
  {
    bug: "B-43",
    what: "one subscriber's confirmation opens the gate of all",
    edits: [
      [
        "ledger.ts",
        "    binding.seqs?.splice(at, 1);\n    this.#complete(binding);\n",
        "    binding.seqs?.splice(at, 1);\n    for (const one of binding.entry.bindings) {\n      one.seqs = undefined;\n      this.#complete(one);\n    }\n",
      ],
    ],
  },
  {
    bug: "B-44",
    what: "a late confirmation counts an ack for who had failed",
    edits: [
      [
        "ledger.ts",
        "      for (const seq of seqs) this.#seqs.delete(seq);\n      binding.seqs = undefined;\n",
        "",
      ],
      [
        "ledger.ts",
        "    binding.seqs?.splice(at, 1);\n",
        "    binding.seqs?.splice(at, 1);\n    if (binding.isResolved && binding.entry.failed > 0) binding.entry.acked += 1;\n",
      ],
    ],
  },
  {
    bug: "B-46",
    what: "leaving opens the gate",
    edits: [
      [
        "ledger.ts",
        '      else if (!binding.isClosed) this.#resolve(binding, "failed");',
        '      else this.#resolve(binding, binding.isClosed ? "acked" : "failed");',
      ],
    ],
  },
  {
    bug: "B-47",
    what: "leaving drops an event without counting it",
    edits: [
      [
        "ledger.ts",
        '      else if (!binding.isClosed) this.#resolve(binding, "failed");',
        '      else if (!binding.isClosed) {\n        binding.entry.failed -= 1;\n        this.#resolve(binding, "failed");\n      }',
      ],
    ],
  },
  {
    bug: "B-48",
    what: "leaving without having pulled counts as acked",
    edits: [
      [
        "ledger.ts",
        'else if (!binding.isClosed) this.#resolve(binding, "failed");',
        'else if (!binding.isClosed) this.#resolve(binding, "acked");',
      ],
    ],
  },
  {
    bug: "B-49",
    what: "leaving marks all events with the fate of the open one",
    edits: [
      [
        "ledger.ts",
        "      if (binding === open) this.close(binding);",
        "      if (open !== undefined) this.close(binding);",
      ],
    ],
  },
  {
    bug: "B-51",
    what: "bind takes the newest event instead of the open one",
    edits: [
      [
        "group.ts",
        "const binding = subscription.open;\n",
        "const binding = subscription.open && [...subscription.account.owed.values()].at(-1);\n",
      ],
    ],
  },
  {
    bug: "B-52",
    what: "bind goes on after the window is closed",
    edits: [
      [
        "subscription.ts",
        "    this.#open = undefined;\n    this.#owner.closeWindow(binding);",
        "    this.#owner.closeWindow(binding);",
      ],
    ],
  },
  {
    bug: "B-53",
    what: "a reject waits for the window to close",
    edits: [
      [
        "ledger.ts",
        '  reject(binding: Binding): void {\n    this.#resolve(binding, "rejected");',
        "  readonly #refused = new Set<Binding>();\n\n  reject(binding: Binding): void {\n    this.#refused.add(binding);",
      ],
      [
        "ledger.ts",
        "  #complete(binding: Binding): void {\n",
        '  #complete(binding: Binding): void {\n    if (binding.isClosed && this.#refused.has(binding)) this.#resolve(binding, "rejected");\n',
      ],
    ],
  },
  {
    bug: "B-54",
    what: "a reject counts as failed",
    edits: [
      ["ledger.ts", 'this.#resolve(binding, "rejected");', 'this.#resolve(binding, "failed");'],
    ],
  },
  {
    bug: "B-55",
    what: "a reject waits for confirmations",
    edits: [
      [
        "ledger.ts",
        "  reject(binding: Binding): void {\n",
        "  reject(binding: Binding): void {\n    if (binding.seqs !== undefined && binding.seqs.length > 0) return;\n",
      ],
    ],
  },
  {
    bug: "B-56",
    what: "a second reject counts again",
    edits: [
      [
        "group.ts",
        "    if (binding.isResolved) return;\n    const { eventId }",
        "    const { eventId }",
      ],
      [
        "ledger.ts",
        "    if (binding.isResolved) return;\n",
        '    if (binding.isResolved) {\n      if (fate === "rejected") binding.entry.rejected += 1;\n      return;\n    }\n',
      ],
    ],
  },
  {
    bug: "B-58",
    what: "bind still draws a number after a reject",
    edits: [
      [
        "group.ts",
        "binding === undefined || binding.isResolved || this.#ledger",
        "binding === undefined || this.#ledger",
      ],
    ],
  },
  {
    bug: "B-60",
    what: "the reject window is one for all subscribers",
    edits: [
      [
        "subscription.ts",
        "  reject(): void {\n    this.rejectIfOpen(this.#open);",
        "  reject(): void {\n    if (lastOpen !== undefined) this.#owner.rejectWindow(lastOpen, this.triggerId);",
      ],
      [
        "subscription.ts",
        "    this.#open = binding;\n    if (window",
        "    this.#open = binding;\n    lastOpen = binding;\n    if (window",
      ],
      [
        "subscription.ts",
        "function endOf<Raw>",
        "let lastOpen: Binding | undefined;\n\nfunction endOf<Raw>",
      ],
    ],
  },
  {
    bug: "B-61",
    what: "a reject outside a window throws",
    edits: [
      [
        "group.ts",
        "  warnOutsideWindow(triggerId: number): void {\n",
        "  warnOutsideWindow(triggerId: number): void {\n    throw new Error(`No window for ${triggerId}`);\n",
      ],
    ],
  },
];
