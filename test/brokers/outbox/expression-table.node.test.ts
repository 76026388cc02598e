// What expressions of all kinds come to, with operands of every type, right and wrong ones. The long
// gate compares them with a server; a line that changes is then written by
// `npm run test:node -- test/brokers/outbox/expression-table --update`.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { OutboxServer } from "../../../sim/brokers/outbox/outbox-server.ts";
import type { Session } from "../../../sim/brokers/outbox/outbox-session.ts";
import { CalmChoices } from "../../../sim/choices/choices.ts";
import { World } from "../../../sim/kernel/world.ts";
import { expressionGroups } from "./expression-groups.ts";

const DIGEST_CHARS = 12;

test("expressions of all kinds come to what they came to", async () => {
  const world = new World(new CalmChoices(), { keepTrace: false });
  const tables = { table: "outbox", deadLetterTable: "outbox_dead" };
  const server = new OutboxServer(world, "broker", tables);
  server.publish({ ref: "ref-000001", key: "key-1" });
  const session = server.connect("one");
  const lines: string[] = [];
  for (const [name, expressions] of expressionGroups()) {
    const hash = createHash("sha256");
    let values = 0;
    for (const expression of expressions) {
      const seen = outcomeOf(session, `SELECT ${expression} AS it FROM outbox`);
      if ("rows" in seen) values += 1;
      hash.update(JSON.stringify([expression, seen]));
    }
    const digest = hash.digest("hex").slice(0, DIGEST_CHARS);
    lines.push(`${name}: ${values} of ${expressions.length} ${digest}\n`);
  }
  await expect(lines.join("")).toMatchFileSnapshot("pinned/expression-table.txt");
});

function outcomeOf(session: Session, text: string): object {
  try {
    // The same rows as lists say nothing more.
    return { ...session.run(text, []), lists: undefined };
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    return { code, message };
  }
}
