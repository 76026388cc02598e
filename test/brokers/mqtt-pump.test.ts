import { expect, test } from "vitest";
import type { ServerPacket } from "../../sim/brokers/mqtt/packet.ts";
import { Pump } from "../../sim/brokers/mqtt/pump.ts";

const packet = (messageId: number): ServerPacket => ({ cmd: "pubrel", messageId });

function opened(): { pump: Pump; handed: (number | undefined)[]; done: (() => void)[] } {
  const handed: (number | undefined)[] = [];
  const done: (() => void)[] = [];
  const pump = new Pump((one, ready) => {
    handed.push("messageId" in one ? one.messageId : undefined);
    done.push(ready);
  });
  return { pump, handed, done };
}

test("a pump hands out the next packet when the one before is done with, which is told once", () => {
  const { pump, handed, done } = opened();
  pump.add([packet(1), packet(2)]);
  pump.add([packet(3)]);
  expect(handed).toEqual([1]);
  done[0]?.();
  done[0]?.();
  expect(handed).toEqual([1, 2]);
  pump.discard();
  done[1]?.();
  pump.add([packet(4)]);
  expect(handed).toEqual([1, 2, 4]);
  expect(pump.isCurrent).toBe(true);
});

test("a pump that was stopped hands out nothing, and says that it is not the current one", () => {
  const { pump, handed, done } = opened();
  pump.add([packet(1), packet(2)]);
  pump.stop();
  done[0]?.();
  pump.add([packet(3)]);
  expect([handed, pump.isCurrent]).toEqual([[1], false]);
});
