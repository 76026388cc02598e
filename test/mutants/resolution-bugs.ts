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
        "  adopt(account: Account): void {\n    const page = this.#newest;\n    let from = page.size;\n    while (from > 0 && page.pending[from - 1] !== 0) from -= 1;\n    if (from === page.size) return;\n    account.openShare(page, from, this);\n    for (let at = from; at < page.size; at += 1) {\n      page.members[at]! += 1;\n      page.pending[at]! += 1;\n    }\n  }\n\n  /** The next ready lane's batch,",
      ],
    ],
  },
  {
    bug: "B-21",
    what: "the outcome is computed from the size of the snapshot",
    edits: [["ledger.ts", "const rejected = page.rejected?.[at] ?? 0;", "const rejected = 0;"]],
  },
  {
    bug: "B-24",
    what: "a fan-out ends at the first full queue",
    edits: [
      [
        "group.ts",
        "    for (const member of pulling) if (!member.deliver(raw)) this.#overflow(member);\n",
        "    for (const member of pulling) {\n      if (member.deliver(raw)) continue;\n      this.#overflow(member);\n      break;\n    }\n",
      ],
    ],
  },
  {
    bug: "B-26",
    what: "a full queue drops silently",
    edits: [
      [
        "group.ts",
        "if (!member.deliver(raw)) this.#overflow(member);",
        "if (!member.deliver(raw)) member.account.nextId += 1;",
      ],
    ],
  },
  {
    bug: "B-29",
    what: "the event in hand counts towards the bound",
    edits: [
      [
        "subscription.ts",
        "this.#queued() <= this.#queueMax",
        "this.#queued() + (this.account.isOpen ? 1 : 0) <= this.#queueMax",
      ],
    ],
  },
  {
    bug: "B-30",
    what: "an event that nobody was there for is advanced from the poll",
    edits: [
      [
        "group.ts",
        "    this.#takeSnapshot();\n    ledger.fanOut(",
        "    this.#takeSnapshot();\n    if (this.#accounts.length === 0) {\n      const outcome = new AdvanceOutcome(0, 0, 0);\n      void this.#producer?.advance([{ brokerPayload, outcome }]).catch(() => undefined);\n      return;\n    }\n    ledger.fanOut(",
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
        "    page.unresolved += 1;\n    if (members.length === 0) this.#noteResolved(page, at);\n",
        "    if (members.length > 0) page.unresolved += 1;\n",
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
        "    return this.#ledger.pull(this.account) as Raw;",
        "    const raw = this.#ledger.pull(this.account) as Raw;\n    this.#owner.closeWindow(this.account);\n    return raw;",
      ],
    ],
  },
  {
    bug: "B-36",
    what: "there is no persist gate",
    edits: [
      [
        "group.ts",
        "    return ledger.bind(account);\n",
        "    const seq = ledger.bind(account);\n    this.#owner.seqs.confirm(seq);\n    return seq;\n",
      ],
    ],
  },
  {
    bug: "B-38",
    what: "a confirmation resolves although the window is open",
    edits: [
      [
        "ledger.ts",
        "  confirm(share: Share, at: number): void {\n",
        "  confirm(share: Share, at: number): void {\n    if (at === share.cursor && !share.isCursorResolved) {\n      share.isCursorResolved = true;\n      this.#resolve(share.page, at);\n    }\n",
      ],
    ],
  },
  {
    bug: "B-39",
    what: "sequence number 0 is taken for none",
    edits: [
      [
        "manager.ts",
        'if (typeof seq === "number") this',
        'if (seq && typeof seq === "number") this',
      ],
    ],
  },
  {
    bug: "B-40",
    what: "a sequence number is drawn even when nothing is bound",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !ledger.isOpen(account)) return null;",
        "if (ledger === undefined || !ledger.isOpen(account)) {\n      this.#owner.seqs.skip();\n      return null;\n    }",
      ],
      [
        "seq-index.ts",
        "  /** The next sequence number, from 0",
        "  skip(): void {\n    this.#next += 1;\n  }\n\n  /** The next sequence number, from 0",
      ],
    ],
  },
  {
    bug: "B-42",
    what: "the first group uses up a one-shot iterable of confirmations",
    edits: [
      [
        "manager.ts",
        '    for (const seq of seqs) if (typeof seq === "number") this.#seqs.confirm(seq);\n',
        "    for (const group of this.#groups.values()) {\n      for (const seq of seqs) if (this.#seqs.gateOf(seq) === group.books) this.#seqs.confirm(seq);\n    }\n",
      ],
      [
        "seq-index.ts",
        "  /** Nobody waits for `seq` any more;",
        "  gateOf(seq: number): unknown {\n    return this.#pageOf(seq)?.shares[seq % 1_024]?.gate;\n  }\n\n  /** Nobody waits for `seq` any more;",
      ],
      [
        "group.ts",
        "  get isLive(): boolean {",
        "  get books(): unknown {\n    return this.#ledger;\n  }\n\n  get isLive(): boolean {",
      ],
    ],
  },
  {
    bug: "B-43",
    what: "one subscriber's confirmation opens the gate of all",
    edits: [
      [
        "ledger.ts",
        "  confirm(share: Share, at: number): void {\n",
        "  confirm(share: Share, at: number): void {\n    for (const one of share.page.shares) {\n      for (const seq of one.bound()) {\n        if (this.#seqs.eventOf(seq) !== at) continue;\n        this.#seqs.remove(seq);\n        one.waiting -= 1;\n        this.#resolve(one.page, at);\n      }\n    }\n",
      ],
    ],
  },
  {
    bug: "B-44",
    what: "a late confirmation counts an ack for who had failed",
    edits: [
      [
        "ledger.ts",
        "      const at = this.#seqs.remove(seqs[nth] as number);\n",
        "      const at = this.#seqs.eventOf(seqs[nth] as number);\n",
      ],
      [
        "ledger.ts",
        "  confirm(share: Share, at: number): void {\n",
        "  confirm(share: Share, at: number): void {\n    if (share.account.hasFailed) {\n      share.page.members[at]! += 1;\n      return;\n    }\n",
      ],
    ],
  },
  {
    bug: "B-46",
    what: "leaving opens the gate",
    edits: [
      [
        "ledger.ts",
        "      this.#failAhead(share);\n      share.cursor",
        "      for (const seq of share.bound()) {\n        const at = this.#seqs.remove(seq);\n        if (at === NOBODY) continue;\n        share.waiting -= 1;\n        this.#resolve(share.page, at);\n      }\n      this.#failAhead(share);\n      share.cursor",
      ],
    ],
  },
  {
    bug: "B-47",
    what: "leaving drops an event without counting it",
    edits: [
      [
        "ledger.ts",
        "      this.#failAhead(share);\n      share.cursor",
        "      for (let at = share.cursor; at < share.page.size; at += 1) {\n        share.page.members[at]! -= 1;\n        this.#resolve(share.page, at);\n      }\n      share.cursor",
      ],
    ],
  },
  {
    bug: "B-48",
    what: "leaving without having pulled counts as acked",
    edits: [
      [
        "ledger.ts",
        "      this.#failAhead(share);\n      share.cursor",
        "      for (let at = share.cursor; at < share.page.size; at += 1) this.#resolve(share.page, at);\n      share.cursor",
      ],
    ],
  },
  {
    bug: "B-49",
    what: "leaving marks all events with the fate of the open one",
    edits: [
      [
        "ledger.ts",
        "    if (account.isOpen) this.close(account);\n",
        "    const sat = account.isOpen;\n    if (sat) this.close(account);\n",
      ],
      [
        "ledger.ts",
        "      this.#failAhead(share);\n      share.cursor",
        "      for (let at = share.cursor; sat && at < share.page.size; at += 1) this.#resolve(share.page, at);\n      if (!sat) this.#failAhead(share);\n      share.cursor",
      ],
    ],
  },
  {
    bug: "B-51",
    what: "bind takes the newest event instead of the open one",
    edits: [
      [
        "ledger.ts",
        "    const share = account.current as Share;\n    const at = share.cursor;\n    const { pending } = share.page;\n",
        "    const share = account.newest as Share;\n    const at = share.page.size - 1;\n    const { pending } = share.page;\n",
      ],
    ],
  },
  {
    bug: "B-52",
    what: "bind goes on after the window is closed",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !ledger.isOpen(account)) return null;",
        "if (ledger === undefined) return null;\n    if (!ledger.isOpen(account)) {\n      const share = account.current;\n      const at = (share?.cursor ?? 0) - 1;\n      if (at < 0 || account.hasFailed || share === undefined) return null;\n      if (share.page.pending[at] === 0 || share.waiting === 0) return null;\n      share.page.pending[at]! += 1;\n      const late = this.#owner.seqs.draw(share, at);\n      share.noteBound(late);\n      return late;\n    }",
      ],
    ],
  },
  {
    bug: "B-53",
    what: "a reject waits for the window to close",
    edits: [
      [
        "ledger.ts",
        '  reject(account: Account): void {\n    this.#settleOpen(account, "rejected");',
        "  readonly #refused = new Set<Account>();\n\n  reject(account: Account): void {\n    this.#refused.add(account);",
      ],
      [
        "ledger.ts",
        "    account.isOpen = false;\n",
        '    if (this.#refused.delete(account)) this.#settleOpen(account, "rejected");\n    account.isOpen = false;\n',
      ],
    ],
  },
  {
    bug: "B-54",
    what: "a reject counts as failed",
    edits: [
      [
        "ledger.ts",
        'this.#settleOpen(account, "rejected");',
        'this.#settleOpen(account, "failed");',
      ],
    ],
  },
  {
    bug: "B-55",
    what: "a reject waits for confirmations",
    edits: [
      [
        "ledger.ts",
        "  reject(account: Account): void {\n",
        "  reject(account: Account): void {\n    if ((account.current?.boundToOpen().length ?? 0) > 0) return;\n",
      ],
    ],
  },
  {
    bug: "B-56",
    what: "a second reject counts again",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !ledger.isOpen(account)) return;",
        "if (ledger === undefined) return;",
      ],
      [
        "ledger.ts",
        "    if (!this.isOpen(account)) return;\n",
        '    const open = account.current;\n    if (open?.isCursorResolved === true && fate === "rejected") {\n      open.page.members[open.cursor]! += 1;\n      open.page.rejected![open.cursor]! += 1;\n    }\n    if (!this.isOpen(account)) return;\n',
      ],
    ],
  },
  {
    bug: "B-58",
    what: "bind still draws a number after a reject",
    edits: [
      [
        "group.ts",
        "if (ledger === undefined || !ledger.isOpen(account)) return null;",
        "if (ledger === undefined || !account.isOpen) return null;\n    if (!ledger.isOpen(account)) return this.#owner.seqs.skip();",
      ],
      [
        "seq-index.ts",
        "  /** The next sequence number, from 0",
        "  skip(): number {\n    this.#next += 1;\n    return this.#next - 1;\n  }\n\n  /** The next sequence number, from 0",
      ],
    ],
  },
  {
    bug: "B-60",
    what: "the reject window is one for all subscribers",
    edits: [
      [
        "subscription.ts",
        "  reject(): void {\n    this.#rejectIfOpen(ANY_WINDOW);",
        "  reject(): void {\n    if (lastOpen !== undefined) this.#owner.rejectWindow(lastOpen, this.triggerId);",
      ],
      [
        "subscription.ts",
        "    return this.#ledger.pull(this.account) as Raw;",
        "    lastOpen = this.account;\n    return this.#ledger.pull(this.account) as Raw;",
      ],
      [
        "subscription.ts",
        "function endOf<Raw>",
        "let lastOpen: Account | undefined;\n\nfunction endOf<Raw>",
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
