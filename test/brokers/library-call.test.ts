import { describe, expect, test } from "vitest";
import { isTransportError, once, untilAborted } from "../../sim/brokers/library-call.ts";

const named = (name: string): Error => Object.assign(new Error("why"), { name });

test("what the network throws is told from what a broker answers, and from what is no error", () => {
  const failures = [
    ...["InjectedFault", "CallTimedOut", "ConnectionRefused", "ConnectionLost"],
    ...["TooManyRequests", "CorruptReply"],
  ];
  expect(failures.filter((name) => !isTransportError(named(name)))).toEqual([]);
  const others: unknown[] = [named("Error"), named("ReplyError"), named("")];
  others.push("ConnectionLost", undefined, null, { name: "ConnectionLost" });
  expect(others.filter((one) => isTransportError(one))).toEqual([]);
});

describe("an effect that a network may repeat", () => {
  function counted(result: (lies: boolean) => string) {
    const calls: boolean[] = [];
    const run = once((lies: boolean) => {
      calls.push(lies);
      return result(lies);
    });
    return { calls, run };
  }

  test("is had once, and answered each time", () => {
    const { calls, run } = counted((lies) => `${calls.length} ${lies}`);
    expect([run(), run(), run(true), run(false, false)]).toEqual(Array(4).fill("1 false"));
    expect(calls).toEqual([false]);
  });

  test("is had again by a copy that comes late, whose answer nobody gets", () => {
    const { calls, run } = counted((lies) => `${calls.length} ${lies}`);
    expect([run(true), run(true, true), run()]).toEqual(["1 true", "2 false", "1 true"]);
    expect(calls).toEqual([true, false]);
  });

  test("fails each time with the same error", () => {
    const { calls, run } = counted(() => {
      throw named(`failure ${calls.length}`);
    });
    const errors = [1, 2].map(() => {
      try {
        return run();
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(errors).toEqual(["failure 1", "failure 1"]);
    expect(calls).toHaveLength(1);
  });
});

describe("a reply that may be given up", () => {
  const gone = (): Error => named("gone");
  const outcome = (reply: Promise<unknown>): Promise<unknown> =>
    reply.catch((error: unknown) => (error as Error).name);

  test("comes as it is without a signal, or with one that stays calm", async () => {
    const calm = new AbortController().signal;
    for (const signal of [undefined, calm]) {
      expect(await untilAborted(Promise.resolve("reply"), signal, gone)).toBe("reply");
      const failed = untilAborted(Promise.reject(named("failed")), signal, gone);
      expect(await outcome(failed)).toBe("failed");
    }
  });

  test("ends with the given error when the signal aborts, also when it has before", async () => {
    const ending = new AbortController();
    const never = new Promise<never>(() => undefined);
    const waiting = outcome(untilAborted(never, ending.signal, gone));
    ending.abort();
    expect(await waiting).toBe("gone");
    expect(await outcome(untilAborted(never, ending.signal, gone))).toBe("gone");
  });
});
