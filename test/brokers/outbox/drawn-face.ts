import * as fc from "fast-check";
import type { Script } from "./script.ts";

type Client = Record<string, (...given: unknown[]) => unknown>;

/** A call as a caller without types may make it: on the pool, or on one of two lent connections. */
export type FaceStep =
  | readonly ["connect", slot: 0 | 1]
  | readonly ["release", slot: 0 | 1, given: readonly unknown[]]
  | readonly ["query", on: "pool" | 0 | 1, given: readonly unknown[]]
  | readonly ["count"]
  | readonly ["end"];

const TEXTS: readonly unknown[] = [
  ...["SELECT 1 AS one", "SELECT $1::int AS it", "SELECT $1 AS it", "BEGIN", "COMMIT", "ROLLBACK"],
  ...["SELECT nope", "SELECT 1 / 0", "", ";", "SELECT count(*) FROM outbox", "SAVEPOINT a"],
  ...["INSERT INTO outbox (key, payload) VALUES ('k', '{}')", "SELECT", "COMMIT"],
];
const ODD: readonly unknown[] = [undefined, null];
const VALUES: readonly unknown[] = [
  ...[[], [1], ["x"], [null], [undefined], [1, 2], [{}], [[1]], [new Date(0)], [true], [2.5]],
  ...[undefined, null, {}, "x", 7, true],
];
const NAMES: readonly unknown[] = ["a", "a", "b", "", undefined];

const text = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
);
const values = fc.constantFrom(...VALUES);
const config = fc.record(
  {
    text,
    values,
    name: fc.constantFrom(...NAMES),
    rowMode: fc.constantFrom<unknown>("array", "array", "object", undefined, null, 7),
  },
  { requiredKeys: ["text"] },
);
const given = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(text) },
  { weight: 3, arbitrary: fc.tuple(text, values) },
  { weight: 4, arbitrary: fc.tuple(config) },
  { weight: 1, arbitrary: fc.tuple(config, values) },
  { weight: 1, arbitrary: fc.constant([]) },
);
const slot = fc.constantFrom<0 | 1>(0, 0, 1);
const step: fc.Arbitrary<FaceStep> = fc.oneof(
  { weight: 4, arbitrary: slot.map((at) => ["connect", at] as const) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        slot,
        fc.constantFrom<readonly unknown[]>(
          [],
          [],
          [true],
          [false],
          [new Error("e")],
          ["x"],
          [null],
          [0],
        ),
      )
      .map(([at, how]) => ["release", at, how] as const),
  },
  {
    weight: 14,
    arbitrary: fc
      .tuple(fc.constantFrom<"pool" | 0 | 1>("pool", 0, 0, 1), given)
      .map(([on, all]) => ["query", on, all] as const),
  },
  { weight: 3, arbitrary: fc.constant(["count"] as const) },
  { weight: 1, arbitrary: fc.constant(["end"] as const) },
);

/** Calls of pg's own face, right and wrong ones. */
export const FACE_STEPS: fc.Arbitrary<readonly FaceStep[]> = fc.array(step, {
  minLength: 1,
  maxLength: 14,
  size: "max",
});

const CALL_MS = 400;
const SETTLE_MS = 20;

/** Plays calls one after the other, and returns what came of each of them. */
export function scriptOfFace(steps: readonly FaceStep[]): Script {
  return async ({ pool, wait }) => {
    const clients: (Client | undefined)[] = [undefined, undefined];
    const lent: Client[] = [];
    const face = pool as unknown as Client;
    const settled = async (call: () => unknown): Promise<unknown> => {
      const state: { isOver: boolean; outcome: unknown } = { isOver: false, outcome: "pending" };
      const note = async (): Promise<void> => {
        try {
          state.outcome = shown(await call());
        } catch (error) {
          state.outcome = shown(error);
        }
        state.isOver = true;
      };
      void note();
      for (let ms = 0; ms < CALL_MS && !state.isOver; ms += SETTLE_MS) await wait(SETTLE_MS);
      return state.outcome;
    };
    const seen: unknown[] = [];
    for (const one of steps) {
      const outcome = await settled(async () => {
        switch (one[0]) {
          case "connect": {
            const client = (await face["connect"]?.()) as Client;
            clients[one[1]] = client;
            lent.push(client);
            return "lent";
          }
          case "release":
            return clients[one[1]]?.["release"]?.(...one[2]);
          case "query":
            return await (one[1] === "pool" ? face : clients[one[1]])?.["query"]?.(...one[2]);
          case "count":
            return [pool.totalCount, pool.idleCount, pool.waitingCount];
          case "end":
            return await pool.end();
          default:
            return one satisfies never;
        }
      });
      seen.push([one[0], outcome]);
    }
    for (const client of new Set(lent)) {
      try {
        client["release"]?.(true);
      } catch {
        // It was given back.
      }
    }
    await wait(SETTLE_MS);
    return seen;
  };
}

function shown(outcome: unknown): unknown {
  if (outcome instanceof Error) {
    const { name, message, code } = outcome as Error & { readonly code?: unknown };
    return { name, message, code };
  }
  if (typeof outcome !== "object" || outcome === null || Array.isArray(outcome)) return outcome;
  const { command, rowCount, rows, fields } = outcome as Record<string, unknown>;
  return {
    command,
    rowCount,
    rows,
    fields: (fields as { name: string }[])?.map(({ name }) => name),
  };
}
