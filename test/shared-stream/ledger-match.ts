import type { Account as AccountType } from "../../src/shared-stream/account.ts";
import type { Ledger as LedgerType } from "../../src/shared-stream/ledger.ts";
import type { SeqIndex as SeqIndexType } from "../../src/shared-stream/seq-index.ts";
import { type LedgerAct, TIMEOUT_MS } from "./ledger-acts.ts";
import { LedgerModel, type MemberModel } from "./ledger-model.ts";

/** The books, whole or with a bug planted. */
export interface Books {
  readonly Account: typeof AccountType;
  readonly Ledger: typeof LedgerType;
  readonly SeqIndex: typeof SeqIndexType;
}

interface Player {
  readonly account: AccountType;
  readonly model: MemberModel;
}

/**
 * Does each act to the books and to the model, and answers the first difference, in words;
 * undefined when there is none.
 */
export function differenceOf(books: Books, acts: readonly LedgerAct[]): string | undefined {
  const match = new LedgerMatch(books);
  for (const [nth, act] of acts.entries()) {
    const found = match.perform(act) ?? match.compare();
    if (found !== undefined) return `after act ${nth}, ${JSON.stringify(act)}: ${found}`;
  }
  return match.finish();
}

class LedgerMatch {
  readonly #books: Books;
  readonly #seqs: SeqIndexType;
  readonly #ledger: LedgerType<number>;
  readonly #model = new LedgerModel(TIMEOUT_MS);
  readonly #players: Player[] = [];
  #nextSeq = 0;
  #now = 0;

  constructor(books: Books) {
    this.#books = books;
    this.#seqs = new books.SeqIndex();
    this.#ledger = new books.Ledger<number>(TIMEOUT_MS, this.#seqs);
  }

  perform(act: LedgerAct): string | undefined {
    if (act.op === "join") {
      this.#players.push({
        account: new this.#books.Account(),
        model: this.#model.join(),
      });
      return undefined;
    }
    if (act.op === "emit") return this.#emit(act.count, act.lanes, act.first ?? 0);
    if (act.op === "harvest") return this.#harvest(act.count);
    if (act.op === "confirm") return this.#confirm(act.count, act.step);
    if (act.op === "tick") return this.#tick(act.ms);
    const player = this.#players[act.who % this.#players.length] as Player;
    if (player.model.hasLeft) return undefined;
    if (act.op === "pass") return this.#pass(player, act);
    const { account, model } = player;
    if (act.op === "leave") {
      this.#ledger.leave(account);
      this.#model.leave(model);
    } else if (act.op === "failAll") {
      this.#ledger.failAll(account);
      this.#model.failAll(model);
    } else {
      this.#ledger[act.op](account);
      this.#model.settle(model, act.op === "fail" ? "failed" : "rejected");
    }
    return undefined;
  }

  /** Whether the books hold what the model holds. */
  compare(): string | undefined {
    const ours = { ...this.#ledger.holdings(), unconfirmed: this.#seqs.waiting };
    const model = {
      outstanding: this.#model.outstanding,
      lanes: this.#model.lanes.size,
      unconfirmed: this.#model.seqs.size,
    };
    const difference = differs("the books hold", ours, model);
    if (difference !== undefined) return difference;
    return differs("a lane is ready", this.#ledger.hasReady, this.#model.hasReady);
  }

  /** Everybody leaves, everything is confirmed and taken out: nothing must be left. */
  finish(): string | undefined {
    for (const { account, model } of this.#players) {
      if (model.hasLeft) continue;
      this.#ledger.leave(account);
      this.#model.leave(model);
    }
    const found =
      this.#confirm(this.#model.seqs.size, 1) ?? this.#harvest(Infinity) ?? this.compare();
    if (found !== undefined) return `at the end: ${found}`;
    if (!this.#ledger.isEmpty) return "at the end: something is outstanding";
    return this.#seqs.waiting === 0 ? undefined : "at the end: the index waits for a number";
  }

  #emit(count: number, lanes: number, first: number): string | undefined {
    for (let nth = 0; nth < count; nth += 1) {
      const present = new Set(this.#model.present());
      const accounts = this.#players.filter(({ model }) => present.has(model));
      const lane = (first + nth) % lanes;
      const id = this.#model.emit(lane, this.#now);
      this.#ledger.fanOut(
        { raw: id, brokerPayload: id, lane },
        accounts.map(({ account }) => account),
        this.#now,
      );
      const newest = differs("the newest event is", this.#ledger.newestEventId, id);
      if (newest !== undefined) return newest;
    }
    return undefined;
  }

  /** Moves past some events and ends sitting on one. */
  #pass(
    { account, model }: Player,
    act: { readonly count: number; readonly boundEvery: number; readonly bindings: number },
  ): string | undefined {
    if (model.isFailed) return undefined;
    for (let nth = 0; nth < act.count && model.queue.length > 0; nth += 1) {
      if (account.isOpen) this.#ledger.close(account);
      this.#model.close(model);
      const queued = differs("are queued", this.#ledger.queuedFor(account), model.queue.length);
      if (queued !== undefined) return queued;
      const pulled = differs("is pulled", this.#ledger.pull(account), this.#model.pull(model));
      if (pulled !== undefined) return pulled;
      for (let more = act.bindings; nth % act.boundEvery === 0 && more > 0; more -= 1) {
        const can = this.#model.canBind(model, model);
        const open = differs("can be bound", account.canBind, can);
        if (open !== undefined || !can) return open;
        const drawn = differs("is drawn", this.#ledger.bind(account), this.#nextSeq);
        if (drawn !== undefined) return drawn;
        this.#model.bind(model, this.#nextSeq);
        this.#nextSeq += 1;
      }
    }
    return undefined;
  }

  #confirm(count: number, step: number): string | undefined {
    const waited = [...this.#model.seqs.keys()].filter((_, nth) => nth % step === 0);
    for (const seq of waited.slice(0, count)) {
      this.#seqs.confirm([seq]);
      // A number that was confirmed is nobody's any more, however often it comes.
      this.#seqs.confirm([seq]);
      this.#model.confirm(seq);
    }
    return undefined;
  }

  #tick(ms: number): string | undefined {
    this.#now += ms;
    const told = this.#ledger
      .failOverdue(this.#now)
      .map(({ account, eventId }) => [
        this.#players.findIndex((player) => player.account === account),
        eventId,
      ]);
    return differs("are overdue", told, this.#model.failOverdue(this.#now));
  }

  #harvest(count: number): string | undefined {
    for (let nth = 0; nth < count && this.#model.hasReady; nth += 1) {
      const batch = this.#ledger.harvest();
      if (batch === undefined) return "no batch, where the model has one";
      const items = batch.items.map(({ brokerPayload, outcome }) => [
        brokerPayload,
        outcome.acked,
        outcome.failed,
        outcome.rejected,
      ]);
      const found = differs("is advanced", items, this.#model.harvest(Number(batch.lane)));
      if (found !== undefined) return found;
      if (items.length === 0) return "an empty batch";
    }
    return undefined;
  }
}

function differs(what: string, ours: unknown, model: unknown): string | undefined {
  const [one, other] = [JSON.stringify(ours), JSON.stringify(model)];
  return one === other ? undefined : `${what}: ours ${one}, the model's ${other}`;
}
