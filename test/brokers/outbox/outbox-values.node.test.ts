import { types } from "pg";
import { expect, test } from "vitest";
import { playOnModel } from "./play-on-model.ts";
import { RESULT_SCRIPTS } from "./result-scripts.ts";

const payload = { ref: "ref-000001", key: "key-1" };

test("pg reads the values of a type by the parser that the program has set for it", async () => {
  const seen = await playOnModel(async ({ pool, publish }) => {
    await publish(1);
    const own = types.getTypeParser(types.builtins.INT8, "text") as (text: string) => unknown;
    types.setTypeParser(types.builtins.INT8, Number);
    const { rows } = await pool.query("SELECT id, attempts, payload FROM outbox").finally(() => {
      types.setTypeParser(types.builtins.INT8, own);
    });
    const later = await pool.query("SELECT id FROM outbox");
    return [rows, later.rows];
  });
  expect(seen).toEqual([[{ id: 1, attempts: 0, payload }], [{ id: "1" }]]);
});

test("jsonb takes no U+0000, and no half of a pair", async () => {
  const script = RESULT_SCRIPTS["JSON with escapes that no text of a server has"];
  const seen = script === undefined ? [] : await playOnModel(script);
  const [nul, half] = ["22P05", "22P02"].map((code) => [code, expect.any(String) as unknown]);
  const smile = "\u{1f600}";
  const taken = (value: unknown) => [{ value }];
  expect(seen).toEqual([
    ...[nul, nul, taken("\\u0000"), taken(smile), half],
    ...[half, half, half, half, half],
    ...[half, taken({ note: `whole ${smile}` }), nul],
  ]);
});
