import type { Mutant } from "./mutant.ts";

const STRICT = [
  "hostile-client-under-strict-persistence",
  "filter-raises-under-strict-persistence",
];

/** Time-outs, lanes, pump, stop and shape: B-62 to B-107, and faults for promises that no listed bug breaks. */
export const DISPATCH_BUGS: readonly Mutant[] = [
  {
    bug: "B-62",
    what: "an event times out after its time, not at it",
    edits: [
      [
        "ledger.ts",
        "(createdAt[eventId & MASK] as number) >= this.#timeoutMs",
        "(createdAt[eventId & MASK] as number) > this.#timeoutMs",
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
      [
        "group.ts",
        "    return this.isLive ? ledger.bind(account) : this.#bindLate(ledger, account);\n",
        "    account.page!.createdAt[account.openAt] = this.#clock.now();\n    return this.isLive ? ledger.bind(account) : this.#bindLate(ledger, account);\n",
      ],
    ],
  },
  {
    bug: "B-65",
    what: "a confirmation starts the timeout anew",
    edits: [
      [
        "seq-index.ts",
        "      page.gate.settle(page, waiter & MASK);\n",
        "      page.createdAt[waiter & MASK] = (page.gate as any).now();\n      page.gate.settle(page, waiter & MASK);\n",
      ],
      [
        "ledger.ts",
        "  readonly #timeoutMs: number;\n",
        "  now = (): number => 0;\n  readonly #timeoutMs: number;\n",
      ],
      [
        "group.ts",
        "() => this.#pump?.wake());\n",
        "() => this.#pump?.wake());\n      this.#ledger.now = () => this.#clock.now();\n",
      ],
    ],
  },
  {
    bug: "B-66",
    what: "a timeout fails those who were done, too",
    edits: [
      [
        "ledger.ts",
        "      const eventId = this.#oldestOwed(account);\n      if (this",
        "      const eventId = this.#oldestOwed(account) ?? this.#oldestUnresolved();\n      if (this",
      ],
    ],
  },
  {
    bug: "B-68",
    what: "who timed out is in later snapshots",
    edits: [["group.ts", ".filter(({ account }) => !account.hasFailed)", ""]],
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
        '    const state = this.#state;\n    if (state.kind === "failed" && this.#queued() > 0) {\n      return Promise.resolve({ done: false, value: this.#take(undefined) });\n    }\n',
      ],
      ["subscription.ts", "isGiven) return;\n    this.#raws.clear();\n", "isGiven) return;\n"],
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
        "const lane = keyFromLane(this.#producer?.getAdvanceLane?.(brokerPayload));",
        'keyFromLane(this.#producer?.getAdvanceLane?.(brokerPayload));\n    const lane = "";',
      ],
    ],
  },
  {
    bug: "B-77",
    what: "the lane hook is asked twice",
    edits: [
      [
        "group.ts",
        "const lane = keyFromLane(",
        "this.#producer?.getAdvanceLane?.(brokerPayload);\n    const lane = keyFromLane(",
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
    edits: [["lanes.ts", "    this.#live -= 1;\n", ""]],
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
        "      if (page.pending[at] !== 0) break;\n",
        "      if (page.pending[at] !== 0) {\n        const id = page.firstId + at + page.nextInLane[at]!;\n        const behind = this.#pages.get(Math.floor(id / PAGE_SIZE))!;\n        const nth = id - behind.firstId;\n        if (page.nextInLane[at] === 0 || behind.pending[nth] !== 0) break;\n        const further = behind.nextInLane[nth]!;\n        items.push(this.#takeOut(behind, nth));\n        page.nextInLane[at] = further === 0 ? 0 : page.nextInLane[at]! + further;\n        if (further === 0) Object.assign(queue, { tailPage: page, tailAt: at });\n        continue;\n      }\n",
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
        "    this.#outstanding -= items.length;\n    const other = this.hasReady ? this.harvest() : undefined;\n    if (other !== undefined) items.push(...other.items);\n",
      ],
    ],
  },
  {
    bug: "B-86",
    what: "a wake with an unresolved head sends an empty batch",
    edits: [
      ["lanes.ts", "    if (queue.headAt !== at || queue.headPage !== page) return false;\n", ""],
      [
        "ledger.ts",
        "    let page = queue.headPage as EventPage;\n",
        "    if (queue.headPage === undefined) return { lane: queue.key, items: [] };\n    let page = queue.headPage;\n",
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
        "  giveUp(): void {\n    for (const account of [...this.#accounts]) this.failAll(account);\n  }\n\n  /** The next ready lane's batch,",
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
        "ledger.fanOut({ raw, brokerPayload, lane }",
        "ledger.fanOut({ raw: [raw, brokerPayload], brokerPayload, lane }",
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
        "    this.subscriptions.add(subscription);\n    this.#ledger?.repeat(subscription.account);\n",
      ],
      [
        "ledger.ts",
        "  /** The next ready lane's batch,",
        "  repeat(account: Account): void {\n    const page = this.#newest;\n    const at = page.size - 1;\n    if (at < 0 || page.pending[at] === 0) return;\n    account.join(page, page.firstId + at);\n    this.#accounts.add(account);\n    page.pending[at]! += 1;\n    page.members[at]! += 1;\n  }\n\n  /** The next ready lane's batch,",
      ],
    ],
  },
  {
    bug: "I-23",
    what: "strict persistence without a gate",
    scenarios: STRICT,
    edits: [
      [
        "group.ts",
        "    return this.isLive ? ledger.bind(account) : this.#bindLate(ledger, account);\n",
        "    if (!this.isLive) return this.#bindLate(ledger, account);\n    const seq = ledger.bind(account);\n    this.#owner.seqs.confirm([seq]);\n    return seq;\n",
      ],
    ],
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
    edits: [
      [
        "group.ts",
        "    return this.isLive ? ledger.bind(account) : this.#bindLate(ledger, account);\n",
        "    if (!this.isLive) return this.#bindLate(ledger, account);\n    const seq = ledger.bind(account);\n    this.#owner.seqs.confirm([seq]);\n    return seq;\n",
      ],
    ],
  },
  {
    bug: "W-02",
    what: "a lost wakeup, in a triggerer without faults",
    scenarios: ["one-slow-lane-does-not-hold-the-others"],
    edits: [
      [
        "lanes.ts",
        "    if (queue.headAt !== at ||",
        "    if (page.size > 6 || queue.headAt !== at ||",
      ],
    ],
  },
  {
    bug: "I-08",
    what: "a seat that was left stays at hand",
    edits: [
      [
        "seats.ts",
        "    this.#atHand[triggerId & (AT_HAND - 1)] = seat;\n  }\n\n  /** Looks",
        "  }\n\n  /** Looks",
      ],
    ],
  },
];
