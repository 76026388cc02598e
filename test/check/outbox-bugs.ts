import type { SourceBug } from "./producers/source-bug.ts";

/** Bugs of scenarios/producers/outbox.ts, each of which loses a repair that its comment names. */
export const OUTBOX_BUGS: readonly SourceBug[] = [
  {
    id: "never-renews",
    what: "no lease is renewed",
    guarantees: ["G9"],
    edits: [
      ["this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));", "return;"],
    ],
  },
  {
    id: "keeps-no-dead-letter",
    what: "a rejected row is deleted, and nobody has kept it",
    guarantees: ["G3"],
    edits: [["if (rowCount === 1) await connection.query(BURY, [id, key, payload]);", ""]],
  },
  {
    id: "buries-after-the-commit",
    what: "the dead letter is written when the row is gone already",
    guarantees: ["G3"],
    edits: [
      ['      await connection.query("COMMIT");\n', ""],
      ["if (rowCount === 1)", 'await connection.query("COMMIT");\n      if (rowCount === 1)'],
    ],
  },
  {
    id: "deletes-what-failed",
    what: "what failed is deleted like what was taken",
    guarantees: ["G1"],
    edits: [["if (failed > 0 || acked + rejected === 0)", "if (failed + acked + rejected === 0)"]],
  },
  {
    id: "remembers-what-it-deleted",
    what: "a deleted row that comes back after a fail-over is ignored",
    guarantees: ["progress"],
    edits: [
      ["readonly #held = new Set<Claim>();", "readonly #held = new Set<Claim>();\n  #gone = {};"],
      [
        "for (const claim of claims) yield [claim.payload, claim];",
        "for (const claim of claims) if (!(claim.id in this.#gone)) yield [claim.payload, claim];",
      ],
      [
        "else await this.#pool.query(DELETE, [claim.id, claim.attempts, this.#worker]);",
        `else {
          const deleted = [claim.id, claim.attempts, this.#worker];
          const { rowCount } = await this.#pool.query(DELETE, deleted);
          if (rowCount === 1) Object.assign(this.#gone, { [claim.id]: true });
        }`,
      ],
    ],
  },
  {
    id: "keeps-a-connection",
    what: "the connection of a transaction is never given back",
    // Or it is lost, when nobody listens to its errors any more.
    guarantees: ["G6", "uncaught"],
    edits: [["connection.release(lost);", "void lost;"]],
  },
  {
    id: "gives-an-open-transaction-back",
    what: "a connection goes back to the pool with its transaction, where others go on in it",
    guarantees: ["progress", "G9", "G10", "G8", "G6"],
    edits: [['      await connection.query("COMMIT");\n', ""]],
  },
  {
    id: "hears-of-no-lost-connection",
    what: "nobody listens to the errors of a connection that is lent",
    guarantees: ["uncaught"],
    edits: [['connection.on("error", onLost);', ""]],
  },
  {
    id: "ends-with-the-first-error",
    what: "a claim that fails ends the stream",
    guarantees: ["G10"],
    edits: [["} catch {\n      return [];", "} catch (error) {\n      throw error;"]],
  },
  {
    id: "renews-for-ever",
    what: "the timer of the renewal is never cleared",
    guarantees: ["G6"],
    edits: [["clearInterval(this.#timer);", ""]],
  },
  {
    id: "believes-a-lost-commit",
    what: "where a commit failed the next try only deletes, as if the dead letter were there",
    guarantees: ["G3"],
    edits: [
      ["readonly #held = new Set<Claim>();", "readonly #held = new Set<Claim>();\n  #buried = {};"],
      ["else if (rejected > 0)", "else if (rejected > 0 && !(claim.id in this.#buried))"],
      [
        'await connection.query("COMMIT");',
        'Object.assign(this.#buried, { [id]: true });\n      await connection.query("COMMIT");',
      ],
    ],
  },
  {
    id: "takes-a-deadlock-for-done",
    what: "a deadlock is taken for another's burial of the row, which is only deleted",
    guarantees: ["G3"],
    edits: [
      [
        "      throw error;\n    } finally {",
        `      if (error.code !== "40P01") throw error;
      await this.#pool.query(DELETE, [id, attempts, this.#worker]);
    } finally {`,
      ],
    ],
  },
];
