import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RedisStream } from "../../sim/brokers/redis/stream.ts";

const NODE_ENTRIES = 100;

const acts = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ op: fc.constant("add" as const), count: fc.nat(150) }) },
    fc.record({
      op: fc.constantFrom("delete" as const, "trim" as const),
      // Of the entries that are left, by their place; the last of them, too.
      from: fc.oneof(fc.nat(300), fc.constant(-1)),
      count: fc.constantFrom(1, 1, 50, 300),
    }),
    fc.record({ op: fc.constant("delete again" as const) }),
  ),
  { maxLength: 14 },
);

/** Nodes as Redis keeps them: a new one begins when the last is full, or empty. */
class PlainNodes {
  nodes: string[][] = [];
  #stored = 0;

  add(id: string): void {
    const last = this.nodes.at(-1);
    if (last === undefined || last.length === 0 || this.#stored === NODE_ENTRIES) {
      this.nodes.push([]);
      this.#stored = 0;
    }
    this.#stored += 1;
    this.nodes.at(-1)?.push(id);
  }

  remove(id: string): void {
    this.nodes = this.nodes.map((node, at) => {
      const left = node.filter((one) => one !== id);
      // Nothing is added to a node that is not the last.
      return left.length === 0 && at < this.nodes.length - 1 ? [] : left;
    });
  }

  get filled(): readonly (readonly string[])[] {
    return this.nodes.filter(({ length }) => length > 0);
  }
}

test("for every history whole nodes are trimmed, as many as the plain ones say", () => {
  fc.assert(
    fc.property(acts, (history) => {
      const stream = new RedisStream();
      const plain = new PlainNodes();
      let maxDeleted = "0-0";
      let [added, now] = [0, 0];
      let lastGone = "0-1";
      for (const act of history) {
        if (act.op === "add") {
          for (let n = 0; n < act.count; n += 1) {
            now += 1;
            plain.add(stream.add(now, [], undefined).id);
            added += 1;
          }
        } else if (act.op === "delete again") {
          expect(stream.remove(lastGone, "deleted")).toBeUndefined();
        } else {
          const ids = [...stream.entries.keys()].slice(act.from).slice(0, act.count);
          for (const id of ids) {
            expect(stream.remove(id, act.op === "trim" ? "trimmed" : "deleted")?.id).toBe(id);
            plain.remove(id);
            lastGone = id;
            const isGreater = Number(id.split("-")[0]) > Number(maxDeleted.split("-")[0]);
            if (act.op === "delete" && isGreater) maxDeleted = id;
          }
        }
        expect([stream.nodes, stream.entriesAdded]).toEqual([plain.filled.length, added]);
        expect(stream.maxDeletedId).toBe(maxDeleted);
        expect(stream.firstId).toBe(plain.filled[0]?.[0] ?? "0-0");
        for (const lengthMax of [0, 1, 99, 100, 101, 250]) {
          const trimmed = stream.surplusOf({ lengthMax, least: undefined, wholeNodesMax: 0 });
          expect(trimmed).toEqual(surplus(plain.filled, stream.entries.size - lengthMax));
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** The entries of the first nodes that are surplus as a whole. */
function surplus(nodes: readonly (readonly string[])[], count: number): readonly string[] {
  const taken: string[] = [];
  for (const node of nodes) {
    if (taken.length + node.length > count) break;
    taken.push(...node);
  }
  return taken;
}
