import { expect, test } from "vitest";
import { bindAsyncContext, createAsyncContext } from "../../src/platform/mod.ts";

test("a bound function sees the context of the line that bound it, whoever calls it", () => {
  const context = createAsyncContext<string>();
  const read = (suffix: string): string => `${context?.get() ?? "none"} ${suffix}`;
  const bound = context?.run("outer", () => bindAsyncContext(read)) ?? read;
  const seen = context?.run("inner", () => [read("now"), bound("later")]);
  expect(seen).toEqual(["inner now", "outer later"]);
  expect(bound("after")).toBe("outer after");
});

test("a value that is entered holds for the rest of the task and for what it starts", async () => {
  const context = createAsyncContext<string>();
  const seen: unknown[] = [];
  async function task(name: string): Promise<void> {
    seen.push(context?.get());
    context?.enter(name);
    await Promise.resolve();
    seen.push(context?.get());
  }
  await context?.run("outer", async () => {
    await Promise.all([task("one"), task("two")]);
  });
  // The second task begins in the turn in which the first one has entered its value.
  expect(seen).toEqual(["outer", "one", "one", "two"]);
});
