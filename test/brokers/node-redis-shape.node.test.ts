import { createClient } from "@redis/client";
import { expect, test } from "vitest";
import { nodeRedis } from "../../sim/brokers/redis/model.ts";
import { BrokerStage } from "./broker-stage.ts";

/** What the library keeps to itself, and the class of its transactions. */
const OWN = ["constructor", "Multi"];
const isOwn = (name: string): boolean => name.startsWith("_") || OWN.includes(name);
const NAMES = membersOf(createClient()).filter((name) => !isOwn(name));

test("the model's client has every member of node-redis, or refuses it by name", async () => {
  const stage = new BrokerStage(nodeRedis());
  const { missing, refused } = await stage.play((client) => {
    const members = client as unknown as Readonly<Record<string, () => void>>;
    return Promise.resolve({
      missing: NAMES.filter((name) => !(name in client)),
      refused: ["append", "APPEND", "options"].map((name) => messageOf(() => members[name]?.())),
    });
  });
  expect(NAMES.length).toBeGreaterThan(800);
  expect(missing).toEqual([]);
  expect(refused).toEqual([
    "Not modelled: RedisClient.append(); see brokers.nodeRedis",
    "Not modelled: RedisClient.APPEND(); see brokers.nodeRedis",
    "Not modelled: RedisClient.options; see brokers.nodeRedis",
  ]);
});

test("what the model lists as refused is the library's", async () => {
  const stage = new BrokerStage(nodeRedis());
  const own = await stage.play((client) =>
    Promise.resolve(membersOf(Object.getPrototypeOf(client) as object)),
  );
  const names = new Set(NAMES);
  expect(own.filter((name) => !names.has(name) && name !== "constructor")).toEqual([]);
});

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
