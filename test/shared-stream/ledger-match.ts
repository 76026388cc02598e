import type { SubscriberCursor as CursorType } from "../../src/shared-stream/ledger/cursor.ts";
import type { Ledger as LedgerType } from "../../src/shared-stream/ledger/ledger.ts";
import type { SeqIndex as SeqIndexType } from "../../src/shared-stream/ledger/seq-index.ts";
import { type LedgerAct, TIMEOUT_MS } from "./ledger-acts.ts";
import { LedgerModel, type MemberModel } from "./ledger-model.ts";

/** The parts of a ledger, correct or with a planted bug. */
export interface LedgerParts {
  readonly SubscriberCursor: typeof CursorType;
  readonly Ledger: typeof LedgerType;
  readonly SeqIndex: typeof SeqIndexType;
}

/** How many empty lanes a ledger without an outstanding event may keep for reuse. */
const EMPTY_LANES_MAX = 16;

interface Player {
  readonly cursor: CursorType;
  readonly model: MemberModel;
}

/**
 * Performs each act on the ledger and on the model; returns the first difference in words, or
 * undefined.
 */
export function differenceOf(parts: LedgerParts, acts: readonly LedgerAct[]): string | undefined {
  const match = new LedgerMatch(parts);
  for (const [nth, act] of acts.entries()) {
    const found = match.perform(act) ?? match.compare();
    if (found !== undefined) return `after act ${nth}, ${JSON.stringify(act)}: ${found}`;
  }
  return match.finish();
}

class LedgerMatch {
  readonly #parts: LedgerParts;
  readonly #seqs: SeqIndexType;
  readonly #ledger: LedgerType<number>;
  readonly #model = new LedgerModel(TIMEOUT_MS);
  readonly #players: Player[] = [];
  #nextSeq = 0;
  #now = 0;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
    this.#seqs = new parts.SeqIndex();
    this.#ledger = new parts.Ledger<number>(TIMEOUT_MS, this.#seqs);
  }

  perform(act: LedgerAct): string | undefined {
    if (act.op === "join") {
      this.#players.push({
        cursor: new this.#parts.SubscriberCursor(),
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
    const { cursor, model } = player;
    if (act.op === "leave") {
      this.#ledger.leave(cursor);
      this.#model.leave(model);
    } else if (act.op === "abandon") {
      this.#ledger.abandon(cursor);
      this.#model.abandon(model);
    } else if (act.op === "failAll") {
      this.#ledger.failAll(cursor);
      this.#model.failAll(model);
    } else {
      this.#ledger[act.op](cursor);
      this.#model.settle(model, act.op === "fail" ? "failed" : "rejected");
    }
    return undefined;
  }

  /** Compares what the ledger holds with what the model holds. */
  compare(): string | undefined {
    const ours = { ...this.#ledger.counts(), unconfirmed: this.#seqs.unconfirmed };
    const model = {
      outstanding: this.#model.outstanding,
      lanes: this.#model.lanes.size,
      unconfirmed: this.#model.seqs.size,
    };
    const difference = differs("the ledger holds", ours, model);
    if (difference !== undefined) return difference;
    return differs("a lane is ready", this.#ledger.hasReady, this.#model.hasReady);
  }

  /** Everybody leaves, everything is confirmed and taken out: nothing must be left. */
  finish(): string | undefined {
    for (const { cursor, model } of this.#players) {
      if (model.hasLeft) {
        this.#ledger.failAll(cursor);
        this.#model.failAll(model);
      } else {
        this.#ledger.leave(cursor);
        this.#model.leave(model);
      }
    }
    const found =
      this.#confirm(this.#model.seqs.size, 1) ?? this.#harvest(Infinity) ?? this.compare();
    if (found !== undefined) return `at the end: ${found}`;
    if (!this.#ledger.isEmpty) return "at the end: something is outstanding";
    // A look for what is overdue forgets who has left and owes nothing any more.
    this.#ledger.failOverdue(this.#now);
    const { lanes, ...subscribers } = this.#ledger.kept();
    const forgotten = differs("it keeps", subscribers, { subscribers: 0, departed: 0 });
    if (forgotten !== undefined) return `at the end: ${forgotten}`;
    if (lanes > EMPTY_LANES_MAX) return `at the end: it keeps ${lanes} empty lanes`;
    return this.#seqs.unconfirmed === 0 ? undefined : "at the end: the index waits for a number";
  }

  #emit(count: number, lanes: number, first: number): string | undefined {
    for (let nth = 0; nth < count; nth += 1) {
      const present = new Set(this.#model.present());
      const cursors = this.#players.filter(({ model }) => present.has(model));
      const lane = (first + nth) % lanes;
      const id = this.#model.emit(lane, this.#now);
      this.#ledger.fanOut(
        { raw: id, brokerPayload: id, lane },
        cursors.map(({ cursor }) => cursor),
        this.#now,
      );
      const newest = differs("the newest event is", this.#ledger.newestEventId, id);
      if (newest !== undefined) return newest;
    }
    return undefined;
  }

  /** Moves past some events and ends sitting on one. */
  #pass(
    { cursor, model }: Player,
    act: { readonly count: number; readonly boundEvery: number; readonly bindings: number },
  ): string | undefined {
    if (model.isFailed) return undefined;
    for (let nth = 0; nth < act.count && model.queue.length > 0; nth += 1) {
      if (cursor.isOpen) this.#ledger.close(cursor);
      this.#model.close(model);
      const queued = differs("are queued", this.#ledger.queuedFor(cursor), model.queue.length);
      if (queued !== undefined) return queued;
      const pulled = differs("is pulled", this.#ledger.pull(cursor), this.#model.pull(model));
      if (pulled !== undefined) return pulled;
      for (let more = act.bindings; nth % act.boundEvery === 0 && more > 0; more -= 1) {
        const can = this.#model.canBind(model, model);
        const open = differs("can be bound", cursor.canBind, can);
        if (open !== undefined || !can) return open;
        const drawn = differs("is drawn", this.#ledger.bind(cursor), this.#nextSeq);
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
      // Confirming a number again changes nothing.
      this.#seqs.confirm([seq]);
      this.#model.confirm(seq);
    }
    return undefined;
  }

  #tick(ms: number): string | undefined {
    this.#now += ms;
    const told = this.#ledger
      .failOverdue(this.#now)
      .map(({ cursor, eventId }) => [
        this.#players.findIndex((player) => player.cursor === cursor),
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
