import { afterEach, expect, test, vi } from "vitest";
import { consoleLogger } from "../../src/time/mod.ts";
import { rejectSharedStreamEvent, SharedStreamManager } from "../../src/shared-stream/mod.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Records what reaches the console. */
function listen(): (readonly unknown[])[] {
  const lines: (readonly unknown[])[] = [];
  for (const method of ["debug", "info", "log", "warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((...line: unknown[]) => {
      lines.push([method, ...line]);
    });
  }
  return lines;
}

test("writes warnings and errors, and drops the rest", () => {
  const lines = listen();
  const error = new Error("connection lost");
  consoleLogger.debug("a");
  consoleLogger.info("b", { n: 1 });
  consoleLogger.warn("c");
  consoleLogger.error("d", { error });
  expect(lines).toEqual([
    ["warn", "c"],
    ["error", "d", { error }],
  ]);
});

test("is what a manager logs to by default: an advance that throws, a stray reject", async () => {
  const lines = listen();
  const manager = new SharedStreamManager();
  const address = { triggerId: 1, key: "k" };
  const stream = manager.subscribe({
    ...address,
    trigger: {
      createSharedStreamProducer: () => ({
        async *openStream(signal: AbortSignal) {
          yield ["e0", 0] as const;
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
        advance: () => Promise.reject(new Error("broker gone")),
        aclose: () => Promise.reject(new Error("already closed")),
      }),
    },
  });
  await stream.next();
  await expect(stream.next()).rejects.toThrow("broker gone");
  await manager.unsubscribe(address);
  rejectSharedStreamEvent();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(lines.map(([method]) => method)).toContain("error");
  const text = JSON.stringify(lines.map(([, message]) => message));
  expect(text).toContain("Cannot reject a shared stream event outside");
  expect(text.toLowerCase()).toContain("advance");
  expect(text.toLowerCase()).toContain("close");
});
