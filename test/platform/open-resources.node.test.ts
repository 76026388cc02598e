import { createServer } from "node:net";
import { expect, test } from "vitest";
import { openResources, openSockets } from "../../src/platform/mod.ts";

test("a timer that is set is open until it is cleared, and is no socket", () => {
  const [resources, sockets] = [openResources(), openSockets()];
  const timer = setTimeout(() => undefined, 60_000);
  expect([openResources() - resources, openSockets() - sockets]).toEqual([1, 0]);
  clearTimeout(timer);
  expect(openResources()).toBe(resources);
});

test("a server that listens is open, and a socket", async () => {
  const [resources, sockets] = [openResources(), openSockets()];
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  expect([openResources() - resources, openSockets() - sockets]).toEqual([1, 1]);
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

test("files and pipes that a runtime lists by other names are neither", () => {
  const { getActiveResourcesInfo } = process;
  process.getActiveResourcesInfo = () => ["FSReqCallback", "Timeout", "tcpsocketwrap", "Immediate"];
  try {
    expect([openResources(), openSockets()]).toEqual([2, 1]);
    process.getActiveResourcesInfo = () => {
      throw new Error("not permitted");
    };
    expect([openResources(), openSockets()]).toEqual([0, 0]);
    Reflect.set(process, "getActiveResourcesInfo", undefined);
    expect([openResources(), openSockets()]).toEqual([0, 0]);
  } finally {
    process.getActiveResourcesInfo = getActiveResourcesInfo;
  }
});
