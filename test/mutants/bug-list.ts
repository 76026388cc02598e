import type { Mutant } from "./mutant.ts";

const STRICT = [
  "hostile-client-under-strict-persistence",
  "filter-raises-under-strict-persistence",
];
const GRACE = ["hostile-client-with-grace"];

/**
 * Bugs of the specification's list (section B), planted in copies of the manager; I-… are faults for
 * promises that no listed bug breaks in this build.
 */
export const MUTANTS: readonly Mutant[] = [
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
  {
    bug: "B-62",
    what: "an event times out after its time, not at it",
    edits: [
      [
        "ledger.ts",
        "if (now - entry.createdAt < this.#timeoutMs) break;",
        "if (now - entry.createdAt <= this.#timeoutMs) break;",
      ],
    ],
  },
  {
    bug: "B-63",
    what: "the scans are too far apart",
    edits: [["group.ts", "const SCANS_PER_TIMEOUT = 10;", "const SCANS_PER_TIMEOUT = 4;"]],
  },
  {
    bug: "B-64",
    what: "the age is measured from the last activity",
    edits: [
      ["ledger.ts", "  readonly createdAt: number;", "  createdAt: number;"],
      [
        "group.ts",
        "    this.#ledger.bind(binding, seq);\n",
        "    this.#ledger.bind(binding, seq);\n    binding.entry.createdAt = this.#clock.now();\n",
      ],
    ],
  },
  {
    bug: "B-65",
    what: "a confirmation starts the timeout anew",
    edits: [
      ["ledger.ts", "  readonly createdAt: number;", "  createdAt: number;"],
      [
        "group.ts",
        "    this.#ledger?.confirm(binding, seq);\n",
        "    this.#ledger?.confirm(binding, seq);\n    binding.entry.createdAt = this.#clock.now();\n",
      ],
    ],
  },
  {
    bug: "B-66",
    what: "a timeout fails those who were done, too",
    edits: [
      [
        "ledger.ts",
        "      if (isResolved) continue;\n      if (!account.hasLeft)",
        "      if (!account.hasLeft)",
      ],
      ["ledger.ts", "const { account, isResolved } of entry", "const { account } of entry"],
    ],
  },
  {
    bug: "B-68",
    what: "who timed out is in later snapshots",
    edits: [["ledger.ts", "    account.hasFailed = true;\n", ""]],
  },
  {
    bug: "B-72",
    what: "the scan stops when nothing is outstanding",
    edits: [
      [
        "group.ts",
        "if (this.isLive) this.#scheduleScan();",
        "if (this.isLive && this.#ledger?.isEmpty === false) this.#scheduleScan();",
      ],
    ],
  },
  {
    bug: "B-73",
    what: "ages are taken from the wall clock",
    scenarios: ["wall-clock-jumps-an-hour"],
    edits: [
      ["group.ts", "accounts, this.#clock.now());", "accounts, this.#clock.wallNow());"],
      ["group.ts", "failOverdue(this.#clock.now())", "failOverdue(this.#clock.wallNow())"],
    ],
  },
  {
    bug: "B-74",
    what: "the backlog comes before the failure",
    edits: [
      [
        "subscription.ts",
        "    const state = this.#state;\n",
        '    const early = this.#state.kind === "failed" ? this.#dequeue() : undefined;\n    if (early !== undefined) {\n      return Promise.resolve({ done: false, value: this.#handOut(early, undefined) });\n    }\n    const state = this.#state;\n',
      ],
      ["subscription.ts", "isGiven) return;\n    this.#dropQueue();\n", "isGiven) return;\n"],
    ],
  },
  {
    bug: "B-75",
    what: "advances are fired and forgotten",
    edits: [
      [
        "pump.ts",
        "await this.#producer.advance(batch.items);",
        "void this.#producer.advance(batch.items).catch(() => undefined);",
      ],
    ],
  },
  {
    bug: "B-76",
    what: "one order for all lanes",
    edits: [
      [
        "group.ts",
        "const lane = textFromLane(this.#producer?.getAdvanceLane?.(brokerPayload));",
        'textFromLane(this.#producer?.getAdvanceLane?.(brokerPayload));\n    const lane = "";',
      ],
    ],
  },
  {
    bug: "B-77",
    what: "the lane hook is asked twice",
    edits: [
      [
        "group.ts",
        "const lane = textFromLane(",
        "this.#producer?.getAdvanceLane?.(brokerPayload);\n    const lane = textFromLane(",
      ],
    ],
  },
  {
    bug: "B-78",
    what: "lanes are compared by identity",
    edits: [
      [
        "key.ts",
        '  return `[${parts.join(",")}]`;',
        '  identities += 1;\n  return `[${parts.join(",")}]${parts[0] === \'"lane"\' ? identities : ""}`;',
      ],
      ["key.ts", "function textFrom(value", "let identities = 0;\n\nfunction textFrom(value"],
    ],
  },
  {
    bug: "B-80",
    what: "a lane is never deleted",
    edits: [
      [
        "ledger.ts",
        "if (lane.head === lane.entries.length) this.#lanes.delete(lane.text);\n    else if",
        "if",
      ],
    ],
  },
  {
    bug: "B-81",
    what: "a wake during an advance is lost",
    edits: [
      [
        "pump.ts",
        "    while (!this.#isOver) {",
        "    for (let once = 0; once < 1 && !this.#isOver; once += 1) {",
      ],
    ],
  },
  {
    bug: "B-84",
    what: "a batch goes on behind an unresolved event",
    edits: [
      [
        "ledger.ts",
        "      if (entry === undefined || entry.pending > 0) break;\n",
        "      if (entry === undefined) break;\n      if (entry.pending > 0) {\n        const behind = lane.entries.slice(lane.head + 1).find((one) => one.pending === 0);\n        if (behind === undefined) break;\n        lane.entries.splice(lane.entries.indexOf(behind), 1);\n        const early = new AdvanceOutcome(behind.acked, behind.failed, behind.rejected);\n        items.push({ brokerPayload: behind.brokerPayload as Payload, outcome: early });\n        continue;\n      }\n",
      ],
    ],
  },
  {
    bug: "B-85",
    what: "a batch crosses lanes",
    edits: [
      [
        "ledger.ts",
        "    this.#outstanding -= items.length;\n",
        "    this.#outstanding -= items.length;\n    const other = this.#ready.length > 0 ? this.harvest() : undefined;\n    if (other !== undefined) items.push(...other.items);\n",
      ],
    ],
  },
  {
    bug: "B-86",
    what: "a wake with an unresolved head sends an empty batch",
    edits: [
      [
        "ledger.ts",
        "if (lane.isReady || lane.entries[lane.head]?.pending !== 0) return;",
        "if (lane.isReady) return;",
      ],
    ],
  },
  {
    bug: "B-87",
    what: "lanes advance side by side",
    edits: [
      ["pump.ts", "if (this.#running !== undefined || this.#isOver ||", "if (this.#isOver ||"],
    ],
  },
  {
    bug: "B-88",
    what: "a failed advance is skipped, and the pump goes on",
    edits: [
      [
        "pump.ts",
        "        this.#isOver = true;\n        this.#failed(error, batch);\n",
        "        void error;\n",
      ],
    ],
  },
  {
    bug: "B-89",
    what: "a failed advance is tried again",
    edits: [
      [
        "pump.ts",
        "        this.#isOver = true;\n        this.#failed(error, batch);\n",
        "        this.#failed(error, batch);\n        await this.#producer.advance(batch.items).catch(() => undefined);\n",
      ],
    ],
  },
  {
    bug: "B-92",
    what: "only plain errors of advance are handled",
    edits: [
      [
        "pump.ts",
        "        this.#isOver = true;\n        this.#failed",
        '        if ((error as Error).name === "AbortError") break;\n        this.#isOver = true;\n        this.#failed',
      ],
    ],
  },
  {
    bug: "B-93",
    what: "the items of a batch share one outcome",
    edits: [
      [
        "ledger.ts",
        "    this.#outstanding -= items.length;\n",
        "    for (let at = 1; at < items.length; at += 1) items[at] = { ...items[at]!, outcome: items[0]!.outcome };\n    this.#outstanding -= items.length;\n",
      ],
    ],
  },
  {
    bug: "B-95",
    what: "a stop does not wait for the advance in flight",
    edits: [["group.ts", "    await this.#pump?.drain();\n", ""]],
  },
  {
    bug: "B-96",
    what: "a stop drops what is resolved but not yet advanced",
    edits: [
      [
        "pump.ts",
        "  async drain(): Promise<void> {\n    this.wake();\n",
        "  async drain(): Promise<void> {\n    this.#isOver = true;\n",
      ],
    ],
  },
  {
    bug: "B-97",
    what: "a stop advances what nobody has resolved",
    edits: [
      [
        "pump.ts",
        "  async drain(): Promise<void> {\n",
        "  async drain(): Promise<void> {\n    this.#ledger.giveUp();\n",
      ],
      [
        "ledger.ts",
        "  /** The next ready lane's batch,",
        '  giveUp(): void {\n    for (const lane of [...this.#lanes.values()]) {\n      for (const entry of lane.entries.slice(lane.head)) {\n        for (const binding of entry.bindings) this.#resolve(binding, "failed");\n      }\n    }\n  }\n\n  /** The next ready lane\'s batch,',
      ],
    ],
  },
  {
    bug: "B-100",
    what: "the producer is closed twice",
    edits: [
      [
        "group.ts",
        "      await this.#producer?.aclose?.();\n",
        "      await this.#producer?.aclose?.();\n      await this.#producer?.aclose?.();\n",
      ],
    ],
  },
  {
    bug: "B-101",
    what: "a group that failed does not close its producer",
    edits: [
      [
        "group.ts",
        "      await this.#producer?.aclose?.();\n",
        '      if (this.#state !== "failed") await this.#producer?.aclose?.();\n',
      ],
    ],
  },
  {
    bug: "B-104",
    what: "stopAll empties the map after the stops",
    edits: [
      ["manager.ts", "    this.#groups.clear();\n", ""],
      [
        "manager.ts",
        "    await Promise.all(stops);\n",
        "    await Promise.all(stops);\n    this.#groups.clear();\n",
      ],
    ],
  },
  {
    bug: "B-107",
    what: "filters see pairs",
    edits: [
      [
        "group.ts",
        "if (!member.deliver(raw, bindings[at]))",
        "if (!member.deliver([raw, at] as Raw, bindings[at]))",
      ],
    ],
  },
  {
    bug: "I-02",
    what: "a late joiner gets the last event",
    edits: [
      [
        "group.ts",
        "    this.subscriptions.add(subscription);\n",
        "    this.subscriptions.add(subscription);\n    if (this.#lastRaw !== undefined) subscription.deliver(this.#lastRaw, undefined);\n",
      ],
      [
        "group.ts",
        "    const [raw, brokerPayload] = item as [Raw, unknown];\n",
        "    const [raw, brokerPayload] = item as [Raw, unknown];\n    this.#lastRaw = raw;\n",
      ],
      [
        "group.ts",
        "  #isStarted = false;\n",
        "  #isStarted = false;\n  #lastRaw: Raw | undefined;\n",
      ],
    ],
  },
  {
    bug: "I-23",
    what: "strict persistence without a gate",
    scenarios: STRICT,
    edits: [["group.ts", "    this.#ledger.bind(binding, seq);\n", ""]],
  },
  {
    bug: "I-24",
    what: "after a failed advance the next lane is tried",
    edits: [
      [
        "pump.ts",
        "        this.#isOver = true;\n        this.#failed(error, batch);\n",
        "        this.#failed(error, batch);\n",
      ],
    ],
  },
  {
    bug: "W-01",
    what: "no gate, in a triggerer that crashes",
    scenarios: ["everything-at-once"],
    edits: [["group.ts", "    this.#ledger.bind(binding, seq);\n", ""]],
  },
  {
    bug: "W-02",
    what: "a lost wakeup, in a triggerer without faults",
    scenarios: ["one-slow-lane-does-not-hold-the-others"],
    edits: [
      [
        "ledger.ts",
        "    if (lane.isReady || lane.entries",
        "    if (this.#nextEventId > 6 || lane.isReady || lane.entries",
      ],
    ],
  },
];
