import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { redis } from "../../sim/brokers/redis/model.ts";
import { BrokerStage } from "./broker-stage.ts";

/** What the library keeps to itself. */
const OWN = ["constructor", "autoPipelineQueueSize"];
const isOwn = (name: string): boolean => name.startsWith("_") || OWN.includes(name);

test("the model's client has every member of ioredis, or refuses it by name", async () => {
  const stage = new BrokerStage(redis());
  const names = membersOf(Redis.prototype).filter((name) => !isOwn(name));
  const { missing, refused } = await stage.play((client) => {
    const members = client as unknown as Readonly<Record<string, unknown>>;
    const missing = names.filter((name) => !(name in client));
    return Promise.resolve({ missing, refused: messageOf(() => call(members["getdelBuffer"])) });
  });
  expect(names.length).toBeGreaterThan(500);
  expect(missing).toEqual([]);
  expect(refused).toBe("Not modelled: Redis.getdelBuffer(); see brokers.redis");
});

test("what the model lists as refused is the library's", async () => {
  const stage = new BrokerStage(redis());
  const own = await stage.play((client) =>
    Promise.resolve(membersOf(Object.getPrototypeOf(client) as object)),
  );
  const names = new Set(membersOf(Redis.prototype));
  // The library has these on each client, and no class of it.
  const FIELDS = ["status", "options", "commandQueue", "condition", "offlineQueue"];
  expect(own.filter((name) => !names.has(name) && !FIELDS.includes(name))).toEqual([]);
});

function call(member: unknown): void {
  (member as () => void)();
}

function messageOf(run: () => void): string {
  try {
    run();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The names along the chain of prototypes. */
function membersOf(object: object): readonly string[] {
  const above = Object.getPrototypeOf(object) as object | null;
  if (above === null) return [];
  return [...new Set([...Object.getOwnPropertyNames(object), ...membersOf(above)])];
}
